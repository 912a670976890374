#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/live_view.h"
#include "apps/cli/work/capture_commands.h"
#include "apps/cli/work/send_command.h"
#include "apps/server/listen/socket_server.h"
#include "apps/server/protocol/kernel_client.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/control/offline.h"
#include "apps/session/control/session.h"
#include "apps/session/watch/public_view.h"
#include "base/digest.h"
#include "base/secret_names.h"
#include "base/utf8.h"
#include "executors/backend/backend.h"
#include "kernel/study/state.h"
#include "memory/store/reader.h"
#include "programs/run_program.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

using std::chrono::steady_clock;
constexpr std::chrono::milliseconds glance{20};
constexpr std::chrono::seconds owner_answers_within{20};

struct ExecOptions {
  OpenStudyOptions open;
  bool sandbox = false;
  int cpus = 0, gpus = 0;
  std::string timeout;
};

/// A pending SIGINT, SIGTERM or SIGHUP, or 0. These signals are blocked.
int pending_signal() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  const timespec at_once{0, 0};
  return std::max(0, sigtimedwait(&set, nullptr, &at_once));
}

/// Copies the run's output to this process's streams, byte for byte.
class Passing {
 public:
  Passing(session::HomePaths home, const executors::Backend& backend, bool shown)
      : home_(std::move(home)), backend_(backend), shown_(shown) {}

  void show(const nlohmann::json& run) {
    if (!shown_) return;
    const bool over = run.at("ended").is_string();
    if (!run.at("launch").is_string()) return;
    const executors::Harvest harvest = backend_.harvest(home_.run_folder(run.at("study"), run.at("launch")));
    for (const auto& [stream, file, seen] :
         {std::tuple(executors::OutputStream::out, stdout, &out_), {executors::OutputStream::err, stderr, &err_}}) {
      const std::uint64_t length = harvest.log_extent(stream).length;
      if (length > *seen) {
        put(file, harvest.log(stream, *seen, length - *seen));
        *seen = length;
      }
      if (!over) continue;
      // The folder is removed once the end is recorded; the store has the output that was not read in it.
      const std::string all = session::printed_by(home_, backend_, run, stream, kernel::Redactor());
      if (all.size() > *seen) put(file, all.substr(*seen));
      *seen = all.size();
    }
  }

 private:
  static void put(FILE* file, const std::string& bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fflush(file);
  }

  session::HomePaths home_;
  const executors::Backend& backend_;
  bool shown_;
  std::uint64_t out_ = 0, err_ = 0;
};

/// One command from its order to its end, even if the home's owner changes meanwhile.
class ByHand {
 public:
  ByHand(const Context& context, session::ExecRequest request)
      : context_(context),
        home_{context.home()},
        request_(std::move(request)),
        passing_(home_, *context.backend, !context.json) {}

  /// The run's document once it has ended; none if this process left before.
  kernel::Result<std::optional<nlohmann::json>> go() {
    auto tried_since = steady_clock::now();
    while (!run_ && !left_) {
      auto session = session::Session::open(home_.root, silent_, *context_.backend, context_.config_option);
      if (!session) return session.problem();
      bool heard = true;
      const auto problem = *session ? as_owner(**session) : as_client(heard);
      if (problem) return *problem;
      if (heard) tried_since = steady_clock::now();
      if (steady_clock::now() - tried_since > owner_answers_within) return session::owned_problem(home_);
      if (!run_ && !left_) std::this_thread::sleep_for(glance);
    }
    return run_;
  }
  int signal() const { return signal_; }

 private:
  std::optional<kernel::Problem> as_owner(session::Session& session) {
    std::atomic<bool> over = false;
    std::optional<kernel::Problem> refused;
    const auto answered = [&](const kernel::CommandOutcome& outcome) {
      const std::string* why = kernel::why_not(outcome);
      if (!why || session::ordered_run(home_, request_.study, request_.request) > 0) return;
      refused = session::refusal(request_.study, *why);
      over = true;
      session.leave();
    };
    if (number_ > 0 && !is_captured()) {
      // The owner has left; the end is recorded when the study is resumed.
      left_ = true;
      return std::nullopt;
    }
    if (auto problem = number_ > 0 ? session.resume({request_.study, 0, {}}) : session.exec(request_, answered))
      return problem;
    {
      const server::SocketServer server(session);
      std::thread following([&] {
        follow([&] { return !over; },
               [&](int number) {
                 session.send({request_.study, kernel::person_actor, kernel::CancelRun{number}});
                 return true;
               });
        session.leave();
      });
      session.serve();
      over = true;
      following.join();
    }
    return refused;
  }

  bool is_captured() const {
    const auto study = memory::Reader(home_.root).study(request_.study);
    return study && nlohmann::json::parse(*study).value("stage", "") == "capturing";
  }

  /// `heard`: whether the owner answered. A problem if it refused.
  std::optional<kernel::Problem> as_client(bool& heard) {
    server::KernelClient owner(home_.root);
    nlohmann::json body = {{"command", request_.arguments},
                           {"folder", request_.folder},
                           {"environment", request_.environment},
                           {"sandbox", request_.sandbox},
                           {"request", request_.request}};
    if (request_.cpus > 0) body["cpus"] = request_.cpus;
    if (request_.gpus > 0) body["gpus"] = request_.gpus;
    if (request_.timeout_s > 0) body["timeout_s"] = request_.timeout_s;
    const auto reply = owner.post("/studies/" + request_.study + "/exec", body);
    heard = reply && reply->status != 503;
    if (!heard) {
      if (reply && server::problem_of(reply->body).machine) return server::problem_of(reply->body);
      return std::nullopt;
    }
    if (!reply->ok()) return refused_command(reply->body, request_.study);
    auto looked = steady_clock::now();
    follow(
        [&] {
          if (steady_clock::now() - looked < std::chrono::seconds(1)) return true;
          looked = steady_clock::now();
          return server::KernelClient(home_.root).get("/health").has_value();
        },
        [&](int number) {
          return server::KernelClient(home_.root)
              .post(fmt::format("/runs/{}-r{}/cancel", request_.study, number), nlohmann::json::object())
              .has_value();
        });
    return std::nullopt;
  }

  /// Follows the run until it has ended, a signal asks to leave, or `goes_on` returns false. `cancel` gets the run's
  /// number.
  template <typename GoesOn, typename Cancel>
  void follow(GoesOn goes_on, Cancel cancel) {
    const memory::Reader reader(home_.root);
    bool cancelled = false;
    for (; goes_on(); std::this_thread::sleep_for(glance)) {
      heed(pending_signal());
      if (left_) return;
      if (number_ == 0) number_ = session::ordered_run(home_, request_.study, request_.request);
      if (number_ == 0) continue;
      if (signal_ && !cancelled) cancelled = cancel(number_);
      const auto document = reader.run(fmt::format("{}-r{}", request_.study, number_));
      if (!document) continue;
      const auto run = nlohmann::json::parse(*document);
      passing_.show(run);
      if (!run.at("ended").is_string()) continue;
      run_ = run;
      return;
    }
  }

  /// The first SIGINT or SIGTERM ends the command; another one, or SIGHUP, ends only this program.
  void heed(int signal) {
    if (signal == 0) return;
    if (signal == SIGHUP || signal_ != 0) left_ = true;
    signal_ = signal;
  }

  const Context& context_;
  const session::HomePaths home_;
  const session::ExecRequest request_;
  LiveView silent_{LiveView::Style::silent};
  Passing passing_;
  int number_ = 0, signal_ = 0;
  bool left_ = false;
  std::optional<nlohmann::json> run_;
};

/// The command's own exit status as a shell reports it; none if it never ran or was cancelled.
int status_of(const nlohmann::json& run, bool told_to_end) {
  const std::string state = run.at("state");
  if (state == "cancelled") return told_to_end ? interrupted : wanting;
  if (run.at("exit").is_number()) return run.at("exit").get<int>();
  if (state == "failed" && run.at("signal").is_number()) return 128 + run.at("signal").get<int>();
  return run.at("started").is_string() && state != "lost" ? wanting : environment;
}

std::string summary_of(const nlohmann::json& run) {
  std::string text = fmt::format("{} {}", run.at("id").get<std::string>(), run.at("state").get<std::string>());
  if (run.at("reason").is_string()) text += ": " + run.at("reason").get<std::string>();
  const auto wall = run.at("usage").find("wall_s");
  if (wall != run.at("usage").end() && wall->is_number()) text += fmt::format(", {:.2f} s", wall->get<double>());
  for (const auto& [name, value] : run.at("metrics").items()) text += fmt::format(", {} = {}", name, figure(value));
  return text;
}

int exec(const Context& context, const ExecOptions& options) {
  const std::vector<std::string>& arguments = context.behind;
  if (arguments.empty() || arguments.front().empty())
    return fail(bad_input, "exec", "there is no command", "write it behind `--`: etude exec -- python train.py");
  // Arguments that JSON cannot carry would reach the home's owner as another command.
  if (!std::ranges::all_of(arguments, kernel::valid_utf8))
    return fail(bad_input, "exec", "the command is not UTF-8", "put it into a script");
  session::ExecRequest request;
  request.arguments = arguments;
  request.folder = std::filesystem::current_path().string();
  request.sandbox = options.sandbox;
  request.cpus = options.cpus;
  request.gpus = options.gpus;
  if (!options.timeout.empty()) {
    const auto seconds = studyfile::duration_s(options.timeout);
    if (!seconds || *seconds <= 0)
      return fail(bad_input, "--timeout " + studyfile::shown(options.timeout), "is not a duration",
                  "write 90s, 10m or 2h");
    request.timeout_s = *seconds;
  }
  for (const auto& [name, value] : programs::own_environment())
    if (!kernel::looks_like_secret(name)) request.environment[name] = value;
  request.request = kernel::random_token(12);
  // A misspelt program must not open a study.
  if (none_is_open_here(context, options.open))
    if (const auto missing = session::missing_program(request)) return fail(bad_input, *missing);
  hold_signals();
  const auto study = study_open_here(context, options.open);
  if (!study) return fail(bad_input, study.problem());
  request.study = *study;
  ByHand by_hand(context, std::move(request));
  const auto run = by_hand.go();
  if (!run) return fail(bad_input, run.problem());
  if (!*run) {
    fmt::print(stderr, "left: the command continues under its supervisor; `etude runs {}` shows it\n", *study);
    return interrupted;
  }
  if (context.json)
    print_json(**run);
  else
    fmt::print(stderr, "{}\n", printable(summary_of(**run)));
  return status_of(**run, by_hand.signal() != 0);
}

}  // namespace

void add_exec(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "exec", "run a command here, and record it as a scratch run: never evidence", exec);
  needs_configuration(*verb, context);
  add_study_options(*verb, options->open);
  verb->add_flag("--sandbox", options->sandbox,
                 "run in the sandbox, in a copy of this folder, even if the study does not ask for it");
  verb->add_option("--cpus", options->cpus, "cores to reserve (default: 1, or as the study's runs)")
      ->check(CLI::Range(1, 4096));
  verb->add_option("--gpus", options->gpus, "GPUs to lease; no other run of this home uses them meanwhile")
      ->check(CLI::Range(1, 4096));
  verb->add_option("--timeout", options->timeout, "such as 10m (default: none)");
  verb->footer("etude exec [OPTIONS] -- CMD …: the command stands behind `--`, and its exit status is etude's.");
}

}  // namespace cli
