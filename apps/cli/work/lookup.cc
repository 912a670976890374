#include "apps/cli/work/lookup.h"

#include <algorithm>
#include <filesystem>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/views/study_text.h"
#include "apps/server/protocol/kernel_client.h"
#include "apps/session/home/home.h"
#include "apps/session/home/placed_artifact.h"
#include "apps/session/watch/failures.h"
#include "apps/session/watch/public_view.h"
#include "kernel/study/state.h"
#include "memory/files/home_folder.h"
#include "memory/store/store.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

using nlohmann::json;

namespace {

constexpr std::size_t shown_candidates = 5;

std::string listed(const std::vector<std::string>& ids) {
  std::vector<std::string> some(ids.begin(), ids.begin() + static_cast<long>(std::min(ids.size(), shown_candidates)));
  std::string text = studyfile::listed(some);
  if (ids.size() > some.size()) text += " and " + std::to_string(ids.size() - some.size()) + " more";
  return text;
}

kernel::Problem no_study(const std::string& wanted, std::string why, std::string todo) {
  return {"", 0, "study `" + cut(one_line(wanted), 80) + "`", std::move(why), std::move(todo)};
}

}  // namespace

std::optional<std::set<std::string>> in_hand(const std::string& home) {
  constexpr int patience_s = 5;
  const auto health = server::KernelClient(home, patience_s).get("/health");
  if (!health || !health->ok()) return std::nullopt;
  return health->body.value("studies", std::set<std::string>());
}

void name_owners(const std::string& home, std::span<json> studies) {
  const auto owner = session::owner_of(session::HomePaths{home});
  const bool asked = owner && std::ranges::any_of(studies, [](const json& s) { return s.at("state") == "running"; });
  const auto its = asked ? in_hand(home) : std::nullopt;
  for (json& study : studies)
    name_owner(study, its && !its->contains(study.at("id").get<std::string>()) ? std::nullopt : owner);
}

json failures_of(const memory::Reader& reader, const json& study) {
  return session::failures_shape(reader, study);
}

json environment_of(const memory::Reader& reader, const std::string& study) {
  const auto opened = reader.moments(study, 0, 1, "StudyOpened");
  if (opened.empty()) return nullptr;
  const json payload = json::parse(opened.front().payload);
  const json& found = payload.at("environment");
  return {{"use", payload.at("spec").at("environment").at("use")},
          {"machine", found.at("machine")},
          {"programs", found.at("programs")}};
}

kernel::Result<std::string> find_study(const std::string& wanted, const std::vector<std::string>& ids) {
  std::vector<std::string> candidates;
  for (const std::string& id : ids) {
    if (id == wanted) return id;
    if (!wanted.empty() && id.rfind(wanted, 0) == 0) candidates.push_back(id);
  }
  if (candidates.size() == 1) return candidates.front();
  if (candidates.size() > 1)
    return no_study(wanted, "more than one study begins with it", "name one of " + listed(candidates));
  if (ids.empty()) return no_study(wanted, "this home holds no study", "start one with `etude run STUDY.yaml`");
  const std::optional<std::string> near = studyfile::nearest(wanted, ids);
  if (near) return no_study(wanted, "no study has this id", "did you mean `" + *near + "`?");
  return no_study(wanted, "no study has this id",
                  ids.size() <= shown_candidates ? "there are " + listed(ids) : "see `etude ls`");
}

kernel::Result<RunName> read_run_name(const std::string& wanted) {
  const int number = kernel::run_number(wanted);
  const std::string study = kernel::run_study(wanted);
  if (number < 1 || study.empty())
    return kernel::Problem{"", 0, "run `" + cut(one_line(wanted), 80) + "`", "it is not the id of a run",
                           "write STUDY-rNUMBER; `etude runs STUDY` lists them"};
  return RunName{study, number};
}

kernel::Result<json> study_named(const memory::Reader& reader, const std::string& wanted) {
  const auto id = find_study(wanted, reader.ids());
  if (!id) return id.problem();
  return json::parse(reader.study(*id).value());
}

kernel::Result<std::string> artifact_named(const Context& context, const std::string& wanted) {
  if (std::error_code error; std::filesystem::exists(wanted, error) || wanted.find('/') != wanted.npos) return wanted;
  const memory::Reader reader(context.home());
  const auto document = reader.study(wanted);
  if (!document) return wanted;
  const json study = json::parse(*document);
  if (const auto replaced = session::artifact_replaced(reader, study))
    return kernel::Problem{"", 0, "the artifact of " + wanted, *replaced, ""};
  if (!study.at("artifact").is_string())
    return kernel::Problem{"", 0, "study " + wanted, "it has no artifact yet", "wait until it ends"};
  return study.at("artifact").get<std::string>();
}

kernel::Result<NamedRun> run_named(const memory::Reader& reader, const std::string& wanted) {
  const auto run_name = read_run_name(wanted);
  if (!run_name) return run_name.problem();
  auto study = study_named(reader, run_name->study);
  if (!study) return study.problem();
  const std::string id = text_at(*study, "id");
  const auto run = reader.run(id + "-r" + std::to_string(run_name->number));
  if (!run)
    return kernel::Problem{"", 0, "run `" + wanted + "`",
                           "study " + id + " has " + study->at("runs").at("total").dump() + " runs",
                           "`etude runs " + id + "` lists them"};
  json shown = session::Withheld(*study).shown(json::parse(*run));
  return NamedRun{std::move(*study), std::move(shown)};
}

kernel::Problem no_store(const Context& context) {
  if (memory::without_store(context.home()) == memory::Storeless::lost)
    return {"", 0, memory::database_path(context.home()), memory::store_lost, "", true};
  return {"", 0, context.home(), "there is no store here", "`etude run STUDY.yaml` makes one; --home names another"};
}

}  // namespace cli
