#pragma once
// What the audit says of the artifact that a study has just left: we do to our own what we do to others'.

#include <string>

#include "kernel/study/state.h"

namespace cli {

/// One line for the study's ending. What is critical is said on stderr too. Empty where there is no artifact.
std::string own_audit_line(const kernel::Study&);

}  // namespace cli
