#include "apps/cli/work/send_command.h"

#include <thread>

#include <nlohmann/json.hpp>

#include "apps/server/protocol/kernel_client.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/control/offline.h"

namespace cli {

namespace {

/// None if `recorded` says that a kernel owns the home.
template <typename T>
kernel::Result<std::optional<T>> unless_owned(const kernel::Result<T>& recorded, const T& owned) {
  if (!recorded) return recorded.problem();
  return *recorded == owned ? std::nullopt : std::optional<T>(*recorded);
}

/// `here`: records it, and returns none if a kernel owns the home, which is asked then. `read`: takes the result out of
/// the owner's answer. `refused`: what such an answer says is wrong.
template <typename T, typename Here, typename Read, typename Refused>
kernel::Result<T> here_or_at_owner(const session::HomePaths& home, const std::string& path, const nlohmann::json& body,
                                   Here here, Read read, Refused refused) {
  constexpr int most_tries = 200;
  // An owner may be starting or leaving.
  for (int i = 0; i < most_tries; ++i) {
    kernel::Result<std::optional<T>> recorded = here();
    if (!recorded) return recorded.problem();
    if (*recorded) return std::move(**recorded);
    const auto reply = server::KernelClient(home.root).post(path, body);
    if (reply && reply->ok()) return read(reply->body);
    if (reply && reply->status != 503) return refused(reply->body);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return session::owned_problem(home);
}

/// `record`: called if no kernel owns the home.
template <typename Record>
int tell_anywhere(const Context& context, const std::string& study, const std::string& path, const nlohmann::json& body,
                  Record record) {
  using session::Recording;
  const session::HomePaths home{context.home()};
  const auto told = here_or_at_owner<Recording>(
      home, path, body, [&] { return unless_owned(record(home), Recording::owned); },
      [](const nlohmann::json&) { return Recording::done; },
      [&](const nlohmann::json& answer) { return refused_command(answer, study); });
  return told ? ok : fail(bad_input, told.problem());
}

std::string id_in(const nlohmann::json& body) {
  return body.at("id");
}

}  // namespace

kernel::Problem refused_command(const nlohmann::json& answer, const std::string& study) {
  constexpr int refused_by_kernel = 409;
  kernel::Problem problem = server::problem_of(answer);
  if (answer.is_object() && answer.value("status", 0) == refused_by_kernel)
    problem.what = session::refusal(study, problem.why).what;
  return problem;
}

int tell(const Context& context, const kernel::Command& command, const std::string& path, const nlohmann::json& body) {
  return tell_anywhere(context, command.study, path, body, [&](const session::HomePaths& home) {
    return session::record(home, command, context.config_option);
  });
}

int tell_amended(const Context& context, const session::AmendRequest& request) {
  return tell_anywhere(context, request.study, "/studies/" + request.study + "/amend", {{"why", request.why}},
                       [&](const session::HomePaths& home) {
                         return session::record_amendment(home, *context.backend, request, context.config_option);
                       });
}

int tell_tagging(const Context& context, const std::string& study, const kernel::Tagging& change) {
  const std::string path = "/studies/" + study + (change.archived ? "/archive" : "/tags");
  const nlohmann::json body = change.archived ? nlohmann::json{{"archived", *change.archived}}
                                              : nlohmann::json{{"add", change.added}, {"remove", change.removed}};
  return tell_anywhere(context, study, path, body, [&](const session::HomePaths& home) {
    return session::record_tagging(home, study, change, context.config_option);
  });
}

kernel::Result<std::string> fork_anywhere(const Context& context, const session::ForkRequest& request) {
  const session::HomePaths home{context.home()};
  return here_or_at_owner<std::string>(
      home, "/studies/" + request.study + "/fork", {{"at", request.at}, {"output", request.output}},
      [&] { return unless_owned(session::record_fork(home, request), std::string()); }, id_in, server::problem_of);
}

kernel::Result<std::string> capture_anywhere(const Context& context, const session::CaptureRequest& request,
                                             bool is_new) {
  const session::HomePaths home{context.home()};
  const auto record = [&] { return session::record_capture(home, *context.backend, request, context.config_option); };
  return here_or_at_owner<std::string>(
      home, "/captures", {{"folder", request.folder}, {"question", request.question}, {"new", is_new}},
      [&] { return unless_owned(record(), std::string()); }, id_in, server::problem_of);
}

kernel::Result<session::Import> import_anywhere(const Context& context, const session::ImportRequest& request) {
  const session::HomePaths home{context.home()};
  return here_or_at_owner<session::Import>(
      home, "/artifacts/import",
      {{"path", request.path}, {"name", request.name}, {"despite_errors", request.despite_errors}},
      [&] { return session::import_offline(home, request); }, session::import_in, server::problem_of);
}

}  // namespace cli
