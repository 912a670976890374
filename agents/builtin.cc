#include "agents/builtin.h"

#include "agents/builtin/roles.h"
#include "kernel/domain/enum_names.h"

namespace agents {

std::vector<kernel::Command> builtin_turn(kernel::Role role, const kernel::Study& study) {
  std::vector<kernel::CommandBody> bodies;
  switch (role) {
    case kernel::Role::hypothesis:
      bodies = hypothesis_turn(study);
      break;
    case kernel::Role::experiment:
      bodies = experiment_turn(study);
      break;
    case kernel::Role::analysis:
      bodies = analysis_turn(study);
      break;
    case kernel::Role::writeup:
      bodies = writeup_turn(study);
      break;
  }
  std::vector<kernel::Command> commands;
  commands.reserve(bodies.size());
  for (kernel::CommandBody& body : bodies) commands.push_back({study.id, std::string(name(role)), std::move(body)});
  return commands;
}

}  // namespace agents
