#pragma once
// The sentences that people read, made of reasons by one version of the wording. A version never changes: an artifact
// names the one that its pages were written by. Pure; any thread.

#include <string>
#include <vector>

#include "kernel/domain/reason.h"

namespace kernel {

/// Precondition: there is such a version.
std::string sentence(const Reason&, int version = wording_version);
std::vector<std::string> sentences(const std::vector<Reason>&);

}  // namespace kernel
