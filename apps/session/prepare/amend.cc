#include "apps/session/prepare/amend.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "apps/session/prepare/prepare.h"
#include "kernel/codec/json_types.h"
#include "memory/store/reader.h"
#include "programs/run_program.h"

namespace session {

namespace {

kernel::Problem refused(const std::string& study, const std::string& why) {
  return {"", 0, "study " + study, why, "run it anew as another study"};
}

}  // namespace

kernel::Result<kernel::AmendWorkspace> amendment_of(const HomePaths& home, const executors::Backend& backend,
                                                    memory::Blobs& blobs, const AmendRequest& request) {
  const kernel::State state = memory::Reader(home.root).load_active(request.study);
  const kernel::Study* study = state.study(request.study);
  if (!study || study->state == kernel::StudyState::ended)
    return kernel::Problem{"", 0, "study " + request.study, "is not here, or has ended",
                           "`etude ls` lists the studies"};
  if (!study->reproduces.empty()) return refused(study->id, "runs again what an artifact holds, and nothing else");
  auto now = prepare(home, backend, blobs, study->spec, programs::own_environment(), false);
  if (!now) return now.problem();
  const auto same = [](const auto& a, const auto& b) { return nlohmann::json(a) == nlohmann::json(b); };
  if (!same(now->data, study->data)) return refused(study->id, "its data are not what they were, too");
  if (!same(now->sealed, study->sealed)) return refused(study->id, "its evaluator's data are not what they were, too");
  const auto unchanged = [](const kernel::ProtectedFile& a, const kernel::ProtectedFile& b) {
    return a.path == b.path && a.sha256 == b.sha256;
  };
  if (!std::ranges::equal(now->workspace.protect, study->workspace.protect, unchanged))
    return refused(study->id, "a protected file changed, too");
  const auto programs = [](const kernel::EnvironmentRecord& all) {
    return nlohmann::json{{"programs", all.programs}, {"prefixes", all.toolchain.prefixes}};
  };
  if (now->setup_key != study->spec.setup_key && programs(now->environment) != programs(study->environment))
    return refused(study->id, "the programs that the environment's set-up starts from changed, too");
  kernel::AmendWorkspace amended{now->workspace, request.why};
  if (!now->setup_key.empty()) amended.setup = {now->setup_key, now->workspace};
  return amended;
}

}  // namespace session
