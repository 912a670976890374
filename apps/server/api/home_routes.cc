// Care of the home and its machine. These take seconds to minutes, so only one of them runs at a time.
#include <filesystem>
#include <mutex>

#include "apps/cli/doctor/doctor_checks.h"
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/session/home/garbage.h"
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

/// What `etude gc` lists. Nothing is deleted while a kernel owns the home.
void list_garbage(Api& api, const Request&, Response& response) {
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
    items.push_back({{"kind", session::name(one.kind)}, {"path", one.path}, {"bytes", bytes}, {"why", one.why}});
  }
  answer(response, {{"items", std::move(items)}, {"bytes", all}, {"cursor", nullptr}});
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

/// What `etude doctor` checks of the machine; it asks no model.
void check_machine(Api& api, const Request&, Response& response) {
  const auto alone = alone_or_refusal(api, response);
  if (!alone) return;
  cli::DoctorQuery query;
  query.variables = programs::own_environment();
  query.home = api.session.home().root;
  query.path = programs::variable(query.variables, "PATH", "/usr/local/bin:/usr/bin:/bin");
  json checks = json::array();
  bool whole = true;
  for (const executors::MachineCheck& check : cli::doctor_checks(query, api.session.backend())) {
    whole = whole && check.health != executors::Health::missing;
    checks.push_back({{"name", check.name},
                      {"status", cli::name(check.health)},
                      {"detail", check.detail},
                      {"remedy", check.remedy.empty() ? json() : json(check.remedy)}});
  }
  answer(response, {{"ok", whole}, {"checks", std::move(checks)}});
}

}  // namespace

std::vector<Route> home_routes() {
  return {{"POST", "/verify", "recompute chains, read models, blobs and workspaces of the home", verify},
          {"GET", "/garbage", "files that the home no longer needs", list_garbage},
          creating({"POST", "/backups", "one file in the home to restore it from", make_backup}),
          {"GET", "/doctor", "whether the machine has what studies need", check_machine}};
}

}  // namespace server
