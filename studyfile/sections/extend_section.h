#pragma once
// `extend`: the artifact that a study builds on. The study runs its code, compares with its control levels and knows
// its dead ends. Knows the artifact only through the caller's function.

#include <functional>
#include <string>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace studyfile {

class Value;
struct Draft;

/// Reads the artifact that a study extends: an absolute folder, or the address of an imported one, "ara:NAME". Lists
/// its code in any case.
using LookAtParent = std::function<kernel::Result<kernel::Extended>(const std::string& source)>;

/// `own_code`: whether the study has a workspace of its own.
void read_extend(const Value&, bool own_code, const LookAtParent&, Draft&);
/// Takes the extended artifact's control level if the factor has no baseline; false if the factor has no such level.
bool adopt_control(const Value& entry, const Draft&, kernel::Factor&);

}  // namespace studyfile
