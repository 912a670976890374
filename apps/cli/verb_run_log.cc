#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/cli.h"
#include "apps/cli/ink.h"
#include "apps/cli/lookup.h"
#include "apps/session/home.h"
#include "executors/run_log.h"
#include "memory/blobs.h"

namespace cli {

namespace {

struct RunLogOptions {
  std::string run, stream = "both";
};

/// Where the bytes of a run's streams lie: in the store once it has ended, before that in its folder.
class RunLog {
 public:
  RunLog(const session::HomePaths& home, const NamedRun& named)
      : blobs_(home.blobs()),
        run_(named.run),
        folder_(home.run_folder(text_at(named.study, "id"), text_at(run_, "launch"))) {}

  std::string read(executors::Stream stream) const {
    if (run_.at("ended").is_string())
      return blobs_.get(text_at(run_.at("blobs"), stream == executors::Stream::out ? "stdout" : "stderr"));
    return executors::read_log(folder_, stream, 0, executors::log_extent(folder_, stream).length);
  }

 private:
  memory::Blobs blobs_;
  const nlohmann::json& run_;
  std::string folder_;
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
  // What failed may be looked into; what counts as evidence prints its values.
  const std::string state = text_at(named->run, "state");
  if (named->run.value("withheld", false) && (state == "succeeded" || state == "invalid"))
    return fail(bad_input, "run " + text_at(named->run, "id"),
                "its log is withheld until experiment " + text_at(named->run, "experiment") + " is analysed",
                "`etude show " + text_at(named->study, "id") + "` says how far the study is");
  const RunLog log(home, *named);
  const std::string out = options.stream == "stderr" ? "" : log.read(executors::Stream::out);
  const std::string err = options.stream == "stdout" ? "" : log.read(executors::Stream::err);
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
  CLI::App* verb = app.add_subcommand("run-log", "what a run printed");
  auto options = std::make_shared<RunLogOptions>();
  verb->add_option("RUN", options->run, "STUDY-rNUMBER")->required();
  verb->add_option("--stream", options->stream, "stdout, stderr or both (default)")
      ->check(CLI::IsMember({"stdout", "stderr", "both"}));
  verb->callback([&context, options] { context.action = [&context, options] { return run_log(context, *options); }; });
}

}  // namespace cli
