#pragma once
// `extend`: the artifact that a study builds on, whose code it runs, whose control levels it compares with and whose
// dead ends it knows. Knows the artifact only by what the caller's function says of it.

#include <functional>
#include <string>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace studyfile {

class Value;
struct Draft;

/// Looks at the artifact that a study extends: an absolute folder, or the address of an imported one, "ara:NAME".
/// Its code is listed, whether the study has its own or not.
using LookAtParent = std::function<kernel::Result<kernel::Extended>(const std::string& source)>;

/// `own_code`: the study has a workspace of its own.
void read_extend(const Value&, bool own_code, const LookAtParent&, Draft&);
/// The control of what the study extends, where the factor has no baseline; false: it has no such level.
bool adopt_control(const Value& entry, const Draft&, kernel::Factor&);

}  // namespace studyfile
