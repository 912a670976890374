#include "apps/cli/work/detach.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/cli/terminal/signals.h"
#include "apps/server/protocol/protocol.h"
#include "base/fd.h"
#include "memory/files/file.h"
#include "memory/files/home_folder.h"

namespace cli {

namespace {

namespace fs = std::filesystem;
using kernel::Fd;
using nlohmann::json;

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// The file that gets everything that the process without a terminal prints. It is named after the study once that has
/// begun.
class Log {
 public:
  explicit Log(const std::string& home) : folder_(home + "/detached") {
    memory::prepare_home(home);
    memory::make_private_folder(folder_.string());
    path_ = folder_ / fmt::format("{}.starting", getpid());
    file_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
    if (!file_) throw_errno(path_.string());
  }
  /// Makes it the process's stream, such as STDOUT_FILENO.
  void take(int stream) const {
    if (::dup2(file_.get(), stream) < 0) throw_errno(path_.string());
  }
  void name_after(const std::string& study) {
    const fs::path named = folder_ / (study + ".log");
    std::error_code error;
    fs::rename(path_, named, error);
    if (!error) path_ = named;
  }
  void remove() const {
    std::error_code gone;
    fs::remove(path_, gone);
  }
  std::string path() const { return path_.string(); }

 private:
  const fs::path folder_;
  fs::path path_;
  Fd file_;
};

/// The process without a terminal. `tell`: a socket to the one that waits for the study's begin.
class Background {
 public:
  Background(const Context& context, Fd tell) : context_(context), tell_(std::move(tell)) {}

  int run(std::vector<FollowRequest> requests) {
    try {
      return follow(std::move(requests));
    } catch (const std::exception& error) {
      if (!tell_) throw;
      return give_up({"", 0, error.what(), "", "", true});
    }
  }

 private:
  int follow(std::vector<FollowRequest> requests) {
    if (requests.size() > 1)
      for (const FollowRequest& request : requests) several_.push_back(request.resume.study);
    hold_signals();
    log_.emplace(context_.home());
    const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing || ::dup2(nothing.get(), STDIN_FILENO) < 0) throw_errno("/dev/null");
    log_->take(STDOUT_FILENO);
    LiveView view(context_.json ? LiveView::Style::json_lines : LiveView::Style::plain);
    view.when_open([this](const kernel::Study& study) { begun(study); });
    session::Notifier notifier = notifier_of(context_, view);
    const auto ended = follow_studies(context_, view, notifier, std::move(requests), Hangup::is_ignored);
    if (ended) return print_endings(context_, *ended);
    return tell_ ? give_up(ended.problem()) : fail(bad_input, ended.problem());
  }

  /// What comes later is not for the terminal.
  void begun(const kernel::Study& study) {
    // A session of its own has no terminal: neither its end nor its Ctrl-C reaches this process. Until now they did.
    (void)::setsid();
    log_->name_after(study.id);
    log_->take(STDERR_FILENO);
    json message = {{"study", study.id}, {"title", study.spec.title}, {"process", getpid()}, {"log", log_->path()}};
    if (!several_.empty()) message["studies"] = several_;
    say(message);
  }
  int give_up(const kernel::Problem& problem) {
    if (log_) log_->remove();
    say({{"problem", server::problem_body(problem, 422)}});
    return problem.machine ? environment : bad_input;
  }
  void say(const json& message) {
    // If nobody reads it any more, the study goes on all the same.
    const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
    (void)::send(tell_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    tell_.reset();
  }

  const Context& context_;
  Fd tell_;
  std::optional<Log> log_;
  std::vector<std::string> several_;  ///< Ids; empty for one study.
};

std::string all_of(const Fd& from) {
  std::string text;
  char bytes[4096];
  for (;;) {
    const ssize_t n = ::read(from.get(), bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(n));
  }
}

int say_begun(const Context& context, const json& begun) {
  if (context.json) {
    print_json(begun);
    return ok;
  }
  const int process = begun.at("process");
  const std::string log = printable(begun.at("log").get<std::string>());
  constexpr const char* going = "running   in process {}, in the background\n";
  if (begun.contains("studies")) {
    fmt::print("studies {}\n", fmt::join(begun.at("studies").get<std::vector<std::string>>(), ", "));
    fmt::print(going, process);
    fmt::print("watch     etude watch ID\nstop      etude pause ID\nlog       {}\n", log);
    return ok;
  }
  const std::string id = begun.at("study");
  fmt::print("study {}: {}\n", id, printable(begun.at("title").get<std::string>()));
  fmt::print(going, process);
  fmt::print("watch     etude watch {}\nstop      etude pause {}\nlog       {}\n", id, id, log);
  return ok;
}

}  // namespace

int follow_detached(const Context& context, std::vector<FollowRequest> requests) {
  std::fflush(nullptr);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("a pair of sockets");
  Fd hear(ends[0]), tell(ends[1]);
  const pid_t process = ::fork();
  if (process < 0) throw_errno("a process of its own");
  if (process == 0) {
    hear.reset();
    return Background(context, std::move(tell)).run(std::move(requests));
  }
  tell.reset();
  const json said = json::parse(all_of(hear), nullptr, false);
  if (said.is_object() && said.contains("problem")) return fail(bad_input, server::problem_of(said.at("problem")));
  if (said.is_object()) return say_begun(context, said);
  return fail(environment, "the process without a terminal", "it ended before the study had begun",
              "see " + printable(context.home()) + "/detached, or run without --detach");
}

}  // namespace cli
