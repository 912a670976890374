#include "kernel/domain/journal.h"

namespace kernel {

const LineOfWork* Thinking::line(const std::string& id) const {
  return find_by(lines, &LineOfWork::id, id);
}

const ModelCall* Thinking::call(int number) const {
  return number >= 1 && number <= static_cast<int>(calls.size()) ? &calls[static_cast<std::size_t>(number) - 1]
                                                                 : nullptr;
}

const StudyRequirement* Thinking::requirement(const std::string& id) const {
  return find_by(requirements, &StudyRequirement::id, id);
}

int Thinking::ordered(int call_number, const std::string& tool_call) const {
  for (const auto& [run, order] : orders)
    if (order.call == call_number && order.tool_call == tool_call) return run;
  return 0;
}

}  // namespace kernel
