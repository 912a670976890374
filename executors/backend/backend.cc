#include "executors/backend/backend.h"

#include <algorithm>
#include <filesystem>

#include "programs/find_program.h"

namespace executors {

EnvironmentQuery query_of(const kernel::StudySpec& spec) {
  EnvironmentQuery query{spec.environment, {spec.run}, spec.workspace.path, programs::parent_of(spec.file), {}, false};
  query.sandboxed = spec.resources.sandbox != kernel::SandboxMode::none;
  for (const kernel::StageSpec& stage : spec.stages) {
    query.commands.push_back(stage.run);
    query.sandboxed = query.sandboxed && stage.resources.sandbox != kernel::SandboxMode::none;
  }
  if (spec.setup) query.commands.push_back(spec.setup->run);
  for (const kernel::Factor& factor : spec.factors)
    for (const kernel::Level& level : factor.levels) {
      if (level.bundle.empty()) query.values[factor.name].push_back(level.value.text);
      for (const auto& [key, scalar] : level.bundle) query.values[factor.name + "." + key].push_back(scalar.text);
    }
  for (const auto& [key, scalar] : spec.constants) query.values[key] = {scalar.text};
  return query;
}

NodeNeeds node_needs(const kernel::StudySpec& spec) {
  NodeNeeds needs{{}, {}, {spec.resources}};
  for (const kernel::StageSpec& stage : spec.stages) needs.resources.push_back(stage.resources);
  for (const kernel::Resources& resources : needs.resources)
    if (const kernel::Factor* factor = spec.factor(resources.node))
      for (const kernel::Level& level : factor->levels)
        if (std::ranges::find(needs.nodes, level.name) == needs.nodes.end()) needs.nodes.push_back(level.name);
  return needs;
}

std::string launch_with(const std::string& home, const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const fs::directory_entry& study : fs::directory_iterator(home + "/runs", error))
    for (const fs::directory_entry& launch : fs::directory_iterator(study.path(), error))
      if (std::error_code none; fs::exists(launch.path() / file, none)) return launch.path();
  return "";
}

Variables passed_on(const Variables& own, const std::vector<std::string>& pass) {
  Variables passed;
  for (const auto& [name, value] : own)
    if (name == "LANG" || name == "TZ" || name.starts_with("LC_") || std::ranges::find(pass, name) != pass.end())
      passed[name] = value;
  return passed;
}

}  // namespace executors
