#pragma once
// The names of enumerators, as events, JSON and people have them. One list each.

#include <string_view>

#include "kernel/domain/code_records.h"
#include "kernel/domain/records.h"

namespace kernel {

std::string_view name(RunState);
std::string_view name(Verdict);
std::string_view name(Purpose);
std::string_view name(Phase);
std::string_view name(NodeType);
std::string_view name(Direction);
std::string_view name(StudyState);
std::string_view name(StudyOutcome);
std::string_view name(Role);
std::string_view name(Tier);
std::string_view name(GateOn);
std::string_view name(CodeOperator);

}  // namespace kernel
