// Care of the home and its machine. These take seconds to minutes, so only one of them runs at a time.
#include <algorithm>
#include <filesystem>
#include <mutex>

#include "apps/cli/doctor/ask_model.h"
#include "apps/cli/doctor/doctor_checks.h"
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/home/garbage.h"
#include "config/config.h"
#include "memory/store/backup.h"
#include "memory/store/verify.h"
#include "programs/run_program.h"
#include "studyfile/yaml/scalars.h"

namespace server {

namespace {

namespace fs = std::filesystem;

/// None if another one runs; then the refusal was sent.
std::unique_lock<std::mutex> alone_or_refusal(Api& api, Response& response) {
  std::unique_lock lock(api.caring, std::try_to_lock);
  if (!lock)
    refuse(response, ProblemType::unavailable, "the home or its machine is being checked or backed up", "ask again");
  return lock;
}

void verify(Api& api, const Request&, Response& response) {
  const auto alone = alone_or_refusal(api, response);
  if (alone) answer_text(response, memory::verify(api.session.home().root).json());
}

json shape_of(const session::Garbage& one, std::int64_t bytes) {
  return {{"kind", session::name(one.kind)}, {"path", one.path}, {"bytes", bytes}, {"why", one.why}};
}

/// What `etude gc` lists.
void list_garbage(Api& api, const Request& request, Response& response) {
  const auto alone = alone_or_refusal(api, response);
  if (!alone) return;
  const session::HomePaths& home = api.session.home();
  const executors::Backend& backend = api.session.backend();
  if (const auto problem = backend.launches_of_another(home.root)) return refuse(response, *problem);
  const std::vector<executors::Elsewhere> elsewhere = backend.elsewhere(home.root);
  json items = json::array();
  std::int64_t all = 0;
  for (const session::Garbage& one : session::collectable(home, backend, session::leftovers(home, backend, true))) {
    const std::int64_t bytes = session::size_of(one, elsewhere);
    all += bytes;
    items.push_back(shape_of(one, bytes));
  }
  json list = list_of(request, std::move(items));
  list["bytes"] = all;
  answer(response, list);
}

/// Deletes what `list_garbage` lists, while nothing else writes to the home.
void delete_garbage(Api& api, const Request& request, Response& response) {
  if (!body_of(request, response)) return;
  const auto alone = alone_or_refusal(api, response);
  if (!alone) return;
  const auto deleted = api.session.delete_garbage([&] { return !api.session.feed().closed(); });
  if (!deleted) return refuse(response, deleted.problem(), 409);
  json items = json::array();
  std::int64_t all = 0;
  for (const session::Deleted& one : *deleted) {
    all += one.bytes;
    items.push_back(shape_of(one.garbage, one.bytes));
  }
  json list = list_of(request, std::move(items));
  list["bytes"] = all;
  answer(response, list);
}

/// {"name"}: makes HOME/backups/NAME.tar.
void make_backup(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  const std::string name = text_in(*body, "name");
  if (!studyfile::is_name(name))
    throw BadMember{"name", "letters, digits, `_` and `-`, beginning with a letter, at most 64"};
  const auto alone = alone_or_refusal(api, response);
  if (!alone) return;
  const session::HomePaths& home = api.session.home();
  const std::string folder = home.root + "/backups";
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  const session::HomeGuest guest = session::HomeGuest::enter(home);
  const auto backup = memory::back_up(home.root, folder + "/" + name + ".tar", false);
  if (!backup) return refuse(response, backup.problem(), 409);
  answer(response,
         {{"file", backup->file}, {"bytes", backup->bytes}, {"events", backup->events}, {"blobs", backup->blobs}}, 201);
}

void answer_checks(const std::vector<executors::MachineCheck>& list, Response& response) {
  json checks = json::array();
  bool whole = true;
  for (const executors::MachineCheck& check : list) {
    whole = whole && check.health != executors::Health::missing;
    checks.push_back({{"name", check.name},
                      {"status", cli::name(check.health)},
                      {"detail", check.detail},
                      {"remedy", check.remedy.empty() ? json() : json(check.remedy)}});
  }
  answer(response, {{"ok", whole}, {"checks", std::move(checks)}});
}

/// What `etude doctor` checks of the machine; it asks no model.
void check_machine(Api& api, const Request&, Response& response) {
  const auto alone = alone_or_refusal(api, response);
  if (!alone) return;
  cli::DoctorQuery query;
  query.variables = programs::own_environment();
  query.home = api.session.home().root;
  query.path = programs::variable(query.variables, "PATH", "/usr/local/bin:/usr/bin:/bin");
  answer_checks(cli::doctor_checks(query, api.session.backend()), response);
}

/// {"models": [names]}: asks each of them once, as `etude doctor --model` does, with the keys of this process.
void check_models(Api& api, const Request& request, Response& response) {
  constexpr std::size_t most = 16;
  const auto body = body_of(request, response);
  if (!body) return;
  const std::vector<std::string> asked = texts_in(*body, "models");
  if (asked.empty() || asked.size() > most)
    throw BadMember{"models", "a list of 1 to " + std::to_string(most) + " models of the configuration"};
  const auto alone = alone_or_refusal(api, response);
  if (!alone) return;
  const auto variables = programs::own_environment();
  const auto config = config::load(api.session.config(), variables);
  if (!config) return refuse(response, config.problem());
  for (const std::string& model : asked)
    if (!config->models.contains(model)) return refuse(response, config::ready(*config, model, variables).problem());
  config::Config only = *config;  // The checks are of all models that it has.
  std::erase_if(only.models, [&](const auto& one) { return std::ranges::find(asked, one.first) == asked.end(); });
  answer_checks(cli::model_checks(only, asked, variables), response);
}

}  // namespace

std::vector<Route> home_routes() {
  return {{"POST", "/verify", "recompute chains, read models, blobs and workspaces of the home", verify},
          {"GET", "/garbage", "files that the home no longer needs", list_garbage, paging},
          {"POST", "/garbage/delete", "delete these files; refused while a study of this kernel has not ended",
           delete_garbage},
          creating({"POST", "/backups", "one file in the home to restore it from", make_backup}),
          {"GET", "/doctor", "whether the machine has what studies need", check_machine},
          {"POST", "/doctor", "whether models answer: asks each of them once, at the cost of the server's keys",
           check_models}};
}

}  // namespace server
