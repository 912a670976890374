#include "apps/session/cast.h"

#include <map>

#include "agents/thinking/served.h"
#include "config/config.h"
#include "executors/job_environment.h"
#include "kernel/manifest.h"

namespace session {

Cast::Cast(std::string config) : config_(std::move(config)) {}
Cast::~Cast() = default;

kernel::Result<agents::Player> Cast::player(const std::string& profile, const std::string& role) {
  const auto environment = executors::own_environment();
  const auto config = config::load(config_, environment);
  if (!config) return config.problem();
  if (!config->profiles.contains(profile)) {
    std::string known = "`builtin`";
    for (const auto& [name, roles] : config->profiles) known += ", `" + name + "`";
    return kernel::Problem{config->file, 0, "agents: " + profile, "there is no such profile",
                           config->file.empty() ? "there is no configuration: docs/models.md says how to write one"
                                                : "there are " + known};
  }
  const std::string name = config->model_of(profile, role);
  auto model = config::ready(*config, name, environment);
  if (!model) return model.problem();
  const config::ModelEntry& entry = config->models.at(name);
  agents::Player player;
  player.name = name;
  player.price = entry.price;
  player.template_request.model = entry.model;
  player.template_request.max_output = entry.max_output;
  player.template_request.temperature = entry.temperature;
  const std::lock_guard lock(mutex_);
  if (!service_) service_ = std::make_shared<models::Service>();
  player.model = std::make_shared<agents::ServedModel>(service_, std::move(*model));
  return player;
}

std::optional<kernel::Problem> Cast::missing(const kernel::StudySpec& spec) {
  if (spec.agents == "builtin") return std::nullopt;
  for (const char* role : config::roles) {
    const auto found = player(spec.agents, role);
    if (!found) return found.problem();
    if (!found->price && spec.budget.usd)
      return kernel::Problem{"", 0, "model " + found->name, "its price is not known, and the study has a budget in usd",
                             "state its `prices` in the configuration; of a model of your own write 0"};
  }
  return std::nullopt;
}

agents::Files frozen_files(const memory::Blobs& blobs, const std::string& workspace) {
  agents::Files files;
  if (workspace.empty()) return files;
  const auto manifest = kernel::read_manifest(blobs.get(workspace));
  if (!manifest) throw std::runtime_error(manifest.problem().text());
  const auto hashes = std::make_shared<std::map<std::string, std::string>>();
  for (const kernel::ManifestEntry& entry : *manifest) {
    if (entry.type != kernel::EntryType::file && entry.type != kernel::EntryType::executable) continue;
    files.entries.push_back({entry.path, entry.bytes});
    hashes->emplace(entry.path, entry.sha256);
  }
  files.read = [&blobs, hashes](const std::string& path) -> std::optional<std::string> {
    const auto found = hashes->find(path);
    return found == hashes->end() ? std::nullopt : std::optional(blobs.get(found->second));
  };
  return files;
}

}  // namespace session
