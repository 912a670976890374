#pragma once
// By what a set-up is known whose files an agent added to. Pure; any thread.

#include <map>
#include <string>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// StudySpec::setup_key once these files, path → content, are written; empty: none of them is one that it depends on.
SetupKey setup_key_after(const StudySpec&, const std::map<std::string, std::string>& written);

}  // namespace kernel
