#pragma once
// Records as JSON lists their members (json_records.def), without the reasons that stand in place of some texts.

#include "kernel/domain/journal.h"

namespace kernel {

struct RequirementOfTexts : StudyRequirement {};
struct NodeOfTexts : Node {};

}  // namespace kernel
