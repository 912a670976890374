#include "apps/cli/work/send_command.h"

#include <thread>

#include <nlohmann/json.hpp>

#include "apps/server/protocol/kernel_client.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/control/offline.h"

namespace cli {

namespace {

constexpr int most_tries = 200;
constexpr std::chrono::milliseconds between_tries{50};

}  // namespace

namespace {

/// `record`: called if no kernel owns the home.
template <typename Record>
int tell_anywhere(const Context& context, const std::string& study, const std::string& path, const nlohmann::json& body,
                  Record record) {
  const session::HomePaths home{context.home()};
  // An owner may be starting or leaving.
  for (int i = 0; i < most_tries; ++i) {
    const auto recorded = record(home);
    if (!recorded) return fail(bad_input, recorded.problem());
    if (*recorded == session::Recording::done) return ok;
    const auto reply = server::KernelClient(home.root).post(path, body);
    if (reply && reply->ok()) return ok;
    if (reply && reply->status != 503) {
      kernel::Problem problem = server::problem_of(reply->body);
      if (problem.what.empty()) problem.what = session::refusal(study, problem.why).what;
      return fail(bad_input, problem);
    }
    std::this_thread::sleep_for(between_tries);
  }
  return fail(environment, session::owned_problem(home));
}

}  // namespace

int tell(const Context& context, const kernel::Command& command, const std::string& path, const nlohmann::json& body) {
  return tell_anywhere(context, command.study, path, body, [&](const session::HomePaths& home) {
    return session::record(home, command, context.config_option);
  });
}

int tell_amended(const Context& context, const session::AmendRequest& request) {
  return tell_anywhere(context, request.study, "/studies/" + request.study + "/amend", {{"why", request.why}},
                       [&](const session::HomePaths& home) {
                         return session::record_amendment(home, context.backend, request, context.config_option);
                       });
}

kernel::Result<std::string> fork_anywhere(const Context& context, const session::ForkRequest& request) {
  const session::HomePaths home{context.home()};
  for (int i = 0; i < most_tries; ++i) {
    auto recorded = session::record_fork(home, request);
    if (!recorded || !recorded->empty()) return recorded;
    const auto reply = server::KernelClient(home.root).post("/studies/" + request.study + "/fork",
                                                            {{"at", request.at}, {"output", request.output}});
    if (reply && reply->ok()) return reply->body.at("id").get<std::string>();
    if (reply && reply->status != 503) return server::problem_of(reply->body);
    std::this_thread::sleep_for(between_tries);
  }
  return session::owned_problem(home);
}

kernel::Result<session::Import> import_anywhere(const Context& context, const session::ImportRequest& request) {
  const session::HomePaths home{context.home()};
  for (int i = 0; i < most_tries; ++i) {
    auto done = session::import_offline(home, request);
    if (!done) return done.problem();
    if (*done) return std::move(**done);
    const auto reply = server::KernelClient(home.root).post(
        "/artifacts/import",
        {{"path", request.path}, {"name", request.name}, {"despite_errors", request.despite_errors}});
    if (reply && reply->ok()) return session::import_in(reply->body);
    if (reply && reply->status != 503) return server::problem_of(reply->body);
    std::this_thread::sleep_for(between_tries);
  }
  return session::owned_problem(home);
}

}  // namespace cli
