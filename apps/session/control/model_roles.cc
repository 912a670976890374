#include "apps/session/control/model_roles.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/manifest.h"
#include "config/config.h"
#include "memory/store/reader.h"
#include "memory/workspace/code_reads.h"
#include "memory/workspace/snapshot.h"
#include "programs/run_program.h"

namespace session {

ModelRoles::ModelRoles(std::string config, std::string home, const memory::Blobs& blobs)
    : config_(std::move(config)), home_(std::move(home)), blobs_(blobs) {}
ModelRoles::~ModelRoles() = default;

std::string replayed_study(const std::string& profile) {
  constexpr std::string_view mark = "replay:";
  return profile.starts_with(mark) ? profile.substr(mark.size()) : "";
}

kernel::Result<agents::AssignedModel> ModelRoles::recorded(const std::string& study, const std::string& line) const {
  const kernel::State state = memory::Reader(home_).load(study);
  const kernel::Study* found = state.study(study);
  if (!found || found->thinking.calls.empty())
    return kernel::Problem{"", 0, "--agents replay:" + study,
                           found ? "no model was asked in that study" : "there is no such study in this home",
                           "`etude ls` lists the studies"};
  const auto fetch = [this](const std::string& sha256) { return blobs_.get(sha256); };
  std::vector<agents::RecordedCall> calls;
  agents::AssignedModel assigned;
  assigned.name = "replay:" + study;
  assigned.price = models::Price{};
  for (const kernel::ModelCall& call : found->thinking.calls) {
    const std::string& of = found->thinking.lines.at(static_cast<std::size_t>(call.line)).id;
    if (call.state != kernel::CallState::answered || of != line) continue;
    calls.push_back({call.number, blobs_.get(call.request.sha256), blobs_.get(call.reply.sha256)});
  }
  // A replay needs the context size of the recorded calls, and their choice about pictures.
  if (!calls.empty())
    if (const auto first = agents::request_from_journal(calls.front().request, fetch)) {
      assigned.context = first->context;
      assigned.sees = std::ranges::any_of(first->request.tools,
                                          [](const models::Tool& tool) { return agents::shows_pictures(tool.name); });
    }
  assigned.model = std::make_shared<agents::ReplayModel>(study, line, std::move(calls), fetch);
  return assigned;
}

kernel::Result<agents::AssignedModel> ModelRoles::assigned_model(const agents::ModelQuery& asked) {
  if (const std::string study = replayed_study(asked.profile); !study.empty()) return recorded(study, asked.line);
  const auto environment = programs::own_environment();
  const auto config = config::load(config_, environment);
  if (!config) return config.problem();
  if (!config->profiles.contains(asked.profile)) {
    std::string known = "`builtin`";
    for (const auto& [name, roles] : config->profiles) known += ", `" + name + "`";
    return kernel::Problem{config->file, 0, "agents: " + asked.profile, "there is no such profile",
                           config->file.empty() ? "there is no configuration: docs/models.md says how to write one"
                                                : "there are " + known};
  }
  const config::Casting casting = config->casting_of(asked.profile, asked.role);
  const std::string& name = asked.instead.empty() ? casting.model : asked.instead;
  auto model = config::ready(*config, name, environment);
  if (!model) return model.problem();
  const config::ModelEntry& entry = config->models.at(name);
  agents::AssignedModel assigned;
  assigned.name = name;
  assigned.price = entry.price;
  assigned.sees = entry.sees;
  assigned.context = entry.context;
  assigned.fallback = asked.instead.empty() ? casting.fallback : "";
  assigned.patience_s = casting.patience_s.value_or(entry.patience_s.value_or(0));
  const config::ToolLimits limits = config->tool_limits.at(asked.profile);
  assigned.tools_in_reply = limits.in_reply;
  assigned.tools_in_line = limits.in_line;
  const std::lock_guard lock(mutex_);
  if (!service_) service_ = std::make_shared<models::Service>();
  if (!habits_) habits_ = std::make_shared<models::HabitBook>(home_ + "/models.json");
  model->habits = habits_;
  const bool thinks = habits_->of(models::habit_key(model->endpoint, entry.model)).thinks;
  assigned.template_request = config::request_to(entry, thinks);
  assigned.model = std::make_shared<agents::ServiceModel>(service_, std::move(*model), entry.model);
  return assigned;
}

std::optional<kernel::Problem> ModelRoles::missing(const kernel::StudySpec& spec) {
  if (spec.agents == "builtin") return std::nullopt;
  for (const kernel::GateSpec& gate : spec.gates)
    for (const std::string& glob : gate.tools)
      if (!agents::fits_a_tool(glob))
        return kernel::Problem{spec.file, 0, "gates: " + glob, "no tool has such a name",
                               "docs/models.md lists the tools"};
  for (const char* role : config::roles) {
    const auto found = assigned_model({spec.agents, role, ""});
    if (!found) return found.problem();
    if (!found->price && spec.budget.usd)
      return kernel::Problem{"", 0, "model " + found->name, "its price is not known, and the study has a budget in usd",
                             "state its `prices` in the configuration; of a model of your own write 0"};
  }
  return std::nullopt;
}

agents::Files frozen_files(const memory::Blobs& blobs, const kernel::WorkspaceHash& workspace) {
  agents::Files files;
  if (workspace.empty()) return files;
  const auto manifest = kernel::read_manifest(blobs.get(workspace.text()));
  if (!manifest) throw std::runtime_error(manifest.problem().text());
  const auto hashes = std::make_shared<std::map<std::string, std::string>>();
  for (const kernel::ManifestEntry& entry : *manifest) {
    if (entry.type == kernel::EntryType::link) files.links.push_back(entry.path);
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

namespace {

/// Whether a line of the file is an agent's: it is not in the base's file, or an agent wrote it there.
std::function<bool(std::string_view)> by_agent(const memory::Blobs& blobs, const kernel::WorkspaceRecord& base,
                                               const std::string& path) {
  const auto manifest = kernel::read_manifest(blobs.get(base.hash.text()));
  std::string text;
  if (manifest)
    for (const kernel::ManifestEntry& entry : *manifest)
      if (entry.path == path && !entry.sha256.empty()) text = blobs.get(entry.sha256);
  std::set<std::string> known;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    known.insert(text.substr(at, end - at));
    at = end + 1;
  }
  for (const kernel::CodeLine& line : base.reads)
    if (line.by_agent && line.place.starts_with(path + ":"))
      std::erase_if(known, [&](const std::string& one) {
        const std::string written = line.place.substr(line.place.find(": ") + 2);
        return one.find(written) != one.npos;
      });
  return [known = std::move(known)](std::string_view line) { return !known.contains(std::string(line)); };
}

}  // namespace

kernel::WorkspaceRecord frozen_anew(memory::Blobs& blobs, const std::string& workspaces,
                                    const kernel::WorkspaceRecord& base, const agents::Changes& changes) {
  auto manifest = kernel::read_manifest(blobs.get(base.hash.text()));
  if (!manifest) throw std::runtime_error(manifest.problem().text());
  std::map<std::string, kernel::ManifestEntry> entries;
  for (kernel::ManifestEntry& entry : *manifest) entries.emplace(entry.path, std::move(entry));
  for (const std::string& path : changes.removed) entries.erase(path);
  for (const auto& [path, content] : changes.written) {
    const kernel::BlobRef blob = blobs.put(content);
    kernel::ManifestEntry& entry = entries[path];  // Executable files stay executable.
    entry.path = path;
    entry.sha256 = blob.sha256;
    entry.bytes = blob.bytes;
  }
  kernel::WorkspaceRecord record = base;
  record.files = record.bytes = 0;
  const auto changed = [&](const std::string& place) {
    const std::string path = place.substr(0, place.find(':'));
    return changes.removed.contains(path) || changes.written.contains(path);
  };
  std::erase_if(record.reads, [&](const kernel::CodeLine& line) { return changed(line.place); });
  for (const auto& [path, content] : changes.written)
    memory::add_code_reads(record, memory::code_reads(path, content, by_agent(blobs, base, path)));
  std::vector<kernel::ManifestEntry> list;
  for (auto& [path, entry] : entries) {
    const bool file = entry.type == kernel::EntryType::file || entry.type == kernel::EntryType::executable;
    record.files += file ? 1 : 0;
    record.bytes += entry.bytes;
    list.push_back(std::move(entry));
  }
  record.hash = kernel::WorkspaceHash(blobs.put(kernel::manifest_text(std::move(list))).sha256);
  memory::materialise(record.hash, workspaces + "/" + record.hash, blobs);
  return record;
}

}  // namespace session
