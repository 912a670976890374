#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/control/redact_commands.h"
#include "apps/session/home/home.h"
#include "apps/session/watch/public_view.h"

namespace cli {

namespace {

struct RunLogOptions {
  std::string run, stream = "both";
};

void write(const std::string& bytes) {
  const std::string text = isatty(STDOUT_FILENO) ? visible(bytes) : bytes;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

int run_log(const Context& context, const RunLogOptions& options) {
  const session::HomePaths home{context.home()};
  const memory::Reader reader(home.root);
  const auto named = run_named(reader, options.run);
  if (!named) return fail(bad_input, named.problem());
  if (session::is_log_withheld(named->run))
    return fail(bad_input, "run " + text_at(named->run, "id"),
                "its log is withheld until experiment " + text_at(named->run, "experiment") + " is analysed",
                "`etude show " + text_at(named->study, "id") + "` says how far the study is");
  const kernel::Redactor redact = session::redactor_for(context.config_option);
  const auto printed = [&](const char* other, executors::Stream stream) {
    return options.stream == other ? "" : session::printed_by(home, context.backend, named->run, stream, redact);
  };
  const std::string out = printed("stderr", executors::Stream::out), err = printed("stdout", executors::Stream::err);
  if (context.json) {
    nlohmann::json shape = {{"run", named->run.at("id")}};
    if (options.stream != "stderr") shape["stdout"] = out;
    if (options.stream != "stdout") shape["stderr"] = err;
    print_json(shape);
    return ok;
  }
  const bool both = !out.empty() && !err.empty();
  if (both) fmt::print("==> stdout <==\n");
  write(out);
  if (both) fmt::print("{}==> stderr <==\n", out.back() == '\n' ? "" : "\n");
  write(err);
  if (out.empty() && err.empty())
    fmt::print(stderr, "run {} {}{}\n", text_at(named->run, "id"),
               named->run.at("ended").is_string() ? "printed nothing" : "has printed nothing so far",
               options.stream == "both" ? "" : " on " + options.stream);
  return ok;
}

}  // namespace

void add_run_log(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "run-log", "what a run printed", run_log);
  verb->add_option("RUN", options->run, "STUDY-rNUMBER")->required();
  verb->add_option("--stream", options->stream, "stdout, stderr or both (default)")
      ->check(CLI::IsMember({"stdout", "stderr", "both"}));
}

}  // namespace cli
