#pragma once
// Audits the artifact that a study has just written.

#include <string>

#include "kernel/study/state.h"

namespace cli {

/// One line for the study's ending; critical findings also go to stderr. Empty if there is no artifact.
std::string own_audit_line(const kernel::Study&);

}  // namespace cli
