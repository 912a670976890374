#pragma once
// The claims of an artifact of etude as a program of LARA (github.com/ARA-Labs/Lara, lara-syntax 0.7 to 0.10) with its
// policy: each claim is supported by the verdict of a registered test, and the test's obligations, randomisation and
// adequate power, are discharged where the event log shows them, and left open where it does not. Reads only below the
// root.

#include <map>
#include <string>

#include "artifacts/read/safe_root.h"
#include "base/result.h"

namespace artifacts {

inline constexpr const char* lara_file = "program.lara";
inline constexpr const char* lara_policy_file = "etude-v1.policy.lara";

/// Path → bytes. A problem if there is no sound event log, or no claim of an analysed experiment.
kernel::Result<std::map<std::string, std::string>> lara_program(const SafeRoot&);

}  // namespace artifacts
