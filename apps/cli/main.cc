#include <csignal>
#include <cstdio>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/commands/read_command_line.h"
#include "apps/session/home/home.h"
#include "config/config.h"
#include "executors/make_backend.h"
#include "programs/run_program.h"

namespace {

int run(std::vector<std::string> words) {
  cli::Context context;
  const cli::Asked asked = cli::read_command_line(std::move(words), context);
  if (!asked) return cli::fail(cli::bad_input, asked.problem());
  if (*asked) {
    fmt::print("{}", **asked);
    return cli::ok;
  }
  const auto configured = config::load(context.config_option, programs::own_environment());
  if (!configured && context.places_jobs) return cli::fail(cli::bad_input, configured.problem());
  const config::ExecutorSettings settings = configured ? configured->executor : config::ExecutorSettings{};
  if (context.executor.empty()) context.executor = settings.use;
  context.asked_executor = context.executor;
  if (context.executor.empty()) context.executor = executors::backend_names().front();
  context.backend = executors::make_backend(context.executor, settings);
  if (!context.backend)
    return cli::fail(cli::bad_input, "--executor " + context.executor,
                     fmt::format("only `{}` is available yet", fmt::join(executors::backend_names(), "` or `")));
  if (!context.action) return cli::bad_input;
  session::bring_up_to_date({context.home()});
  return context.action();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGCHLD, SIG_DFL);  // If the parent left it ignored, exit statuses of helper programs would be lost.
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    return cli::fail(cli::environment, e.what(), "");
  }
}
