#include "apps/cli/work/follow_studies.h"

#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/views/study_text.h"
#include "apps/cli/work/lookup.h"
#include "apps/server/listen/socket_server.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/watch/newest_value.h"
#include "artifacts/audit/audit.h"
#include "base/digest.h"
#include "base/secret_names.h"
#include "base/shell_text.h"
#include "kernel/views/shapes.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

using kernel::Problem;
using std::chrono::steady_clock;

/// How long the owner of the lock may take to answer: it may be opening a large store.
constexpr std::chrono::seconds patience{20};
constexpr std::chrono::milliseconds look_again{30};

/// Passes the text of models in these studies to the view during its lifetime.
class Listening {
 public:
  Listening(session::Feed& feed, LiveView& view, const std::vector<std::string>& studies)
      : feed_(feed), view_(view), studies_(studies.begin(), studies.end()) {
    if (view_.listens()) thread_ = std::thread([this] { listen(); });
  }
  ~Listening() {
    over_ = true;
    feed_.advance();
    if (thread_.joinable()) thread_.join();
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  void listen() {
    for (std::uint64_t heard = 0; !over_ && !feed_.closed();) {
      const std::uint64_t seen = feed_.seen();
      for (const session::Piece& piece : feed_.live_text().since(heard, ""))
        if (studies_.contains(piece.study)) view_.said(piece.line, piece.text);
      if (!over_) feed_.wait(seen, std::chrono::seconds(1), heard);
    }
  }

  session::Feed& feed_;
  LiveView& view_;
  const std::set<std::string> studies_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

class FollowedStudies {
 public:
  FollowedStudies(const Context& context, LiveView& view, session::Notifier& notifier,
                  std::vector<FollowRequest> requests, Hangup hangup)
      : context_(context), view_(view), notifier_(notifier), requests_(std::move(requests)), hangup_(hangup) {
    for (const FollowRequest& wanted : requests_) ids_.push_back(wanted.resume.study);
    show_newest_values(context_.home(), view_);
  }

  kernel::Result<std::vector<kernel::Study>> go() {
    auto tried_since = steady_clock::now();
    for (;;) {
      auto session =
          session::Session::open(context_.home(), view_, *context_.backend, context_.config_option, &notifier_);
      if (!session) return session.problem();
      if (*session) return as_owner(**session);
      bool heard = false;
      if (auto problem = as_client(heard)) return *problem;
      if (done_ || left_) return std::move(studies_);
      // The owner has left, or does not answer yet.
      if (heard) tried_since = steady_clock::now();
      if (steady_clock::now() - tried_since > patience)
        return session::owned_problem(session::HomePaths{context_.home()});
      std::this_thread::sleep_for(look_again);
    }
  }

 private:
  kernel::Result<std::vector<kernel::Study>> as_owner(session::Session& session) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (at_rest(i)) continue;
      if (auto problem = begin(session, i)) return *problem;
    }
    {
      const server::SocketServer server(session);
      const SignalWatch watch([&] { session.interrupt(); }, [&] { session.leave(); }, hangup_);
      if (unheard_.exchange(false)) session.interrupt();
      const Listening listening(session.feed(), view_, ids_);
      session.run();
    }
    view_.finish();
    studies_.clear();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const kernel::Study* own = session.study(ids_[i]);
      studies_.push_back(own ? *own : *followed(i).study());
    }
    return std::move(studies_);
  }

  std::optional<Problem> begin(session::Session& session, std::size_t i) {
    const FollowRequest& wanted = requests_[i];
    if (ids_[i].empty()) ids_[i] = found_again(wanted.start->request);
    if (ids_[i].empty()) {
      const auto id = session.start(*wanted.start);
      if (!id) return id.problem();
      ids_[i] = *id;
    } else if (auto problem = session.resume(begun_ ? session::ResumeRequest{ids_[i], 0, {}} : with_id(i))) {
      return problem;
    } else if (wanted.cancel) {
      session.send({ids_[i], kernel::person_actor, kernel::Cancel{wanted.why}});
    } else if (is_paused(i)) {
      // It was paused under the previous owner: its running jobs are awaited, and nothing new is started.
      const kernel::Study& study = *followed(i).study();
      session.send({ids_[i], kernel::person_actor, kernel::Pause{*study.pause_reason, study.pause_detail}});
    }
    session.wait_for(ids_[i]);
    return std::nullopt;
  }

  session::ResumeRequest with_id(std::size_t i) const {
    session::ResumeRequest request = requests_[i].resume;
    request.study = ids_[i];
    return request;
  }

  /// The study that a previous owner opened for this request before it left without an answer.
  std::string found_again(const std::string& request) const {
    std::string id;
    memory::Reader(context_.home()).studies([&](std::string_view document) {
      const nlohmann::json study = nlohmann::json::parse(document);
      if (study.value("request", nlohmann::json()) == request) id = study.at("id");
    });
    return id;
  }

  /// `heard`: whether the owner answered. A problem if it refused.
  std::optional<Problem> as_client(bool& heard) {
    server::KernelClient owner(context_.home());
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (at_rest(i)) continue;
      if (const auto& start = requests_[i].start; start && ids_[i].empty() && !context_.config_option.empty() &&
                                                  start->reproduces.empty() && start->spec.agents != "builtin") {
        const auto pid = session::owner_of(session::HomePaths{context_.home()});
        return Problem{"", 0, "--config",
                       "another process owns the home, and uses its own configuration for the agents",
                       fmt::format("leave the option out, or end that process{}",
                                   pid && *pid > 0 ? fmt::format(" ({})", *pid) : "")};
      }
      const auto reply = ask(owner, i);
      if (!reply || reply->status == 503) {
        if (reply && server::problem_of(reply->body).machine) return server::problem_of(reply->body);
        return std::nullopt;
      }
      heard = true;
      // A previous owner may already have done what is asked for.
      if (!reply->ok() && !(begun_ && reply->status == 409)) return server::problem_of(reply->body);
      if (ids_[i].empty()) ids_[i] = reply->body.at("id");
    }
    begun_ = true;
    unheard_ = false;
    return follow(owner);
  }

  /// Starts the study or resumes it; resuming does not disturb running jobs.
  std::optional<server::KernelClient::Reply> ask(server::KernelClient& owner, std::size_t i) {
    const FollowRequest& wanted = requests_[i];
    if (ids_[i].empty()) ids_[i] = wanted.start ? found_again(wanted.start->request) : "";
    if (ids_[i].empty())
      return owner.post(wanted.start->reproduces.empty() ? "/studies" : "/artifacts/reproduce", body_of(*wanted.start));
    if (wanted.cancel) return owner.post("/studies/" + ids_[i] + "/cancel", {{"why", wanted.why}});
    if (unheard_ || is_paused(i)) return owner.post("/studies/" + ids_[i] + "/pause", {{"reason", "interrupted"}});
    nlohmann::json body = nlohmann::json::object();
    if (!begun_ && wanted.resume.jobs > 0) body["jobs"] = wanted.resume.jobs;
    if (!begun_ && !context_.asked_executor.empty()) body["executor"] = context_.asked_executor;
    if (!begun_ && wanted.resume.priority) body["priority"] = *wanted.resume.priority;
    if (!begun_) body["budget"] = server::budget_body(wanted.resume.raised);
    return owner.post("/studies/" + ids_[i] + "/resume", body);
  }

  nlohmann::json body_of(const session::StartRequest& start) const {
    nlohmann::json body = {{"output", start.output}, {"environment", start.environment}, {"request", start.request}};
    if (start.jobs > 0) body["jobs"] = start.jobs;
    if (start.priority != 0) body["priority"] = start.priority;
    if (const auto& terms = start.reproduction) {
      body["claims"] = terms->claims;
      body["seeds"] = terms->fresh ? "fresh" : "same";
      body["sample"] = terms->sample;
      body["seed"] = terms->seed;
      body["budget"] = server::budget_body(start.spec.budget);
    }
    if (start.reproduces.empty()) body["agents"] = start.spec.agents;
    body["path"] = start.reproduces.empty() ? start.spec.file : start.reproduces;
    if (start.reproduces.empty()) body["text"] = start.text;
    if (!context_.asked_executor.empty()) body["executor"] = context_.asked_executor;
    return body;
  }

  bool at_rest(std::size_t i) {
    if (ids_[i].empty()) return false;
    StudyFollower& follower = followed(i);
    follower.catch_up(nullptr);
    return begun_ && follower.at_rest();
  }

  /// Whether it is paused since the request to resume; its running jobs may not have ended yet.
  bool is_paused(std::size_t i) {
    return begun_ && !requests_[i].cancel && followed(i).study()->state == kernel::StudyState::paused;
  }

  /// Folds the events before this process joined without showing them.
  StudyFollower& followed(std::size_t i) {
    followers_.resize(requests_.size());
    if (!followers_[i]) followers_[i] = std::make_unique<StudyFollower>(context_.home(), ids_[i]);
    return *followers_[i];
  }

  std::optional<Problem> follow(server::KernelClient& owner) {
    const SignalWatch watch(
        [&] {
          server::KernelClient other(context_.home());
          for (const std::string& id : ids_)
            if (!other.post("/studies/" + id + "/pause", {{"reason", "interrupted"}})) unheard_ = true;
        },
        [&] {
          left_ = true;
          owner.stop();
        },
        hangup_);
    for (std::size_t i = 0; i < requests_.size() && !left_; ++i) {
      follow_at_owner(owner, ids_[i], followed(i), view_);
      if (!followed(i).at_rest() && !left_) return std::nullopt;  // The owner has left.
    }
    view_.finish();
    done_ = !left_;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      followed(i).catch_up(nullptr);
      studies_.push_back(*followed(i).study());
    }
    return std::nullopt;
  }

  const Context& context_;
  LiveView& view_;
  session::Notifier& notifier_;
  std::vector<FollowRequest> requests_;
  const Hangup hangup_;
  std::vector<std::string> ids_;  ///< Empty for studies that are not open yet.
  std::vector<std::unique_ptr<StudyFollower>> followers_;
  std::vector<kernel::Study> studies_;
  bool begun_ = false;  ///< The owner has received the request.
  bool done_ = false;
  std::atomic<bool> left_{false};
  /// An interrupt that reached no owner; it is sent to the next one, or acted on here.
  std::atomic<bool> unheard_{false};
};

/// Audits the artifact that a study has just written: one line for its ending. Critical findings also go to stderr.
/// Empty if there is no artifact.
std::string own_audit_line(const kernel::Lifecycle& lifecycle) {
  if (lifecycle.artifact.empty()) return "";
  const std::string path = printable(lifecycle.artifact);
  std::string found;
  try {
    const auto report =
        artifacts::audit(lifecycle.artifact, {.head = lifecycle.sealed_head, .tool_version = ETUDE_VERSION});
    if (!report) throw std::runtime_error(report.problem().text());
    if (report->ok && report->warnings == 0) return "audit     passed: all reported numbers match the event log\n";
    found = fmt::format("{}, {}; see `etude audit {}`", prose::counted(report->errors, "error"),
                        prose::counted(report->warnings, "warning"), printable(kernel::shell_word(lifecycle.artifact)));
    if (!report->ok) fmt::print(stderr, "audit: {}: {}\n", path, found);
  } catch (const std::exception& error) {
    // The study has ended, and a failed audit does not change how.
    found = "could not be made: " + printable(error.what());
  }
  return "audit     " + found + "\n";
}

}  // namespace

session::Notifier notifier_of(const Context& context, LiveView& view) {
  return {context.config_option, context.home(), [&view](const std::string& why) { view.warn(why); }};
}

kernel::Result<std::vector<kernel::Study>> follow_studies(const Context& context, LiveView& view,
                                                          session::Notifier& notifier,
                                                          std::vector<FollowRequest> requests, Hangup hangup) {
  auto ended = FollowedStudies(context, view, notifier, std::move(requests), hangup).go();
  view.finish();  // What is said next stands below what was shown.
  return ended;
}

void show_newest_values(const std::string& home, LiveView& view) {
  view.show_newest([paths = session::HomePaths{home}](const OpenRun& run) {
    return session::newest_value(paths, run.study, run.launch, run.metric);
  });
}

void follow_at_owner(server::KernelClient& owner, const std::string& study, StudyFollower& follower, LiveView& view) {
  const auto news = [&] {
    follower.catch_up(&view);
    return !follower.at_rest();
  };
  server::KernelClient::Said said;
  if (view.listens()) said = [&](const std::string& line, const std::string& text) { view.said(line, text); };
  if (news()) owner.follow(study, follower.last(), news, said);
  news();  // The owner may have left after its last events.
}

void sign(session::StartRequest& request) {
  request.request = kernel::random_token(12);
  for (const auto& [name, value] : programs::own_environment())
    if (!kernel::looks_like_secret(name)) request.environment[name] = value;
}

int exit_code(const kernel::Study& study) {
  if (study.state == kernel::StudyState::paused) {
    switch (*study.pause_reason) {
      case kernel::PauseReason::budget:
      case kernel::PauseReason::looks:
        return budget;
      case kernel::PauseReason::seed:
        return wanting;
      case kernel::PauseReason::disk:
      case kernel::PauseReason::devices:
      case kernel::PauseReason::agent:
      case kernel::PauseReason::setup:
        return environment;
      case kernel::PauseReason::other:
      case kernel::PauseReason::person:
      case kernel::PauseReason::interrupted:
      case kernel::PauseReason::gate:
      case kernel::PauseReason::fork:
        return interrupted;
    }
  }
  if (study.phase() == kernel::Phase::capturing) return ok;
  if (study.state == kernel::StudyState::running) return interrupted;
  if (study.outcome == kernel::StudyOutcome::cancelled) return interrupted;
  return study.outcome == kernel::StudyOutcome::failed ? wanting : ok;
}

/// The printed commands leave --home out.
std::string home_line(const Context& context) {
  if (context.home_option.empty()) return "";
  return fmt::format("home      give other commands --home {}, or set ETUDE_HOME to it\n",
                     printable(kernel::shell_word(context.home_option)));
}

int print_endings(const Context& context, const std::vector<kernel::Study>& studies, Ended ended) {
  int code = ok;
  for (const kernel::Study& study : studies) {
    code = std::max(code, exit_code(study));
    const memory::Reader reader(context.home());
    nlohmann::json shape = kernel::study_shape(study, reader.head(study.id));
    shape["failures"] = failures_of(reader, shape);
    // An earlier artifact may have been replaced by another study's.
    const std::string audit = ended == Ended::now ? own_audit_line(study) : "";
    if (context.json)
      print_json_line(shape);
    else
      print_text(ending_text(shape, standard_screen()) + audit + home_line(context));
  }
  return code;
}

/// The study, if it has ended.
static std::optional<kernel::Study> ended_study(const Context& context, const std::string& id) {
  const kernel::State state = memory::Reader(context.home()).load(id);
  const kernel::Study* study = state.study(id);
  return study && study->state == kernel::StudyState::ended ? std::optional(*study) : std::nullopt;
}

int follow_to_end(const Context& context, const std::string& id) {
  FollowRequest request;
  request.resume.study = id;
  hold_signals();
  LiveView view(context.json ? LiveView::Style::silent : LiveView::style_for(false));
  session::Notifier notifier = notifier_of(context, view);
  auto ended = follow_studies(context, view, notifier, {std::move(request)});
  // Its owner may have ended it before this process asked.
  if (!ended)
    if (auto study = ended_study(context, id)) ended = std::vector{std::move(*study)};
  const int code = ended ? print_endings(context, *ended) : fail(bad_input, ended.problem());
  std::fflush(stdout);
  release_signals();
  notifier.finish();
  return code;
}

int follow_and_print(const Context& context, std::vector<FollowRequest> requests) {
  hold_signals();
  LiveView view(LiveView::style_for(context.json));
  session::Notifier notifier = notifier_of(context, view);
  const auto ended = follow_studies(context, view, notifier, std::move(requests));
  const int code = ended ? print_endings(context, *ended) : fail(bad_input, ended.problem());
  std::fflush(stdout);
  release_signals();  // A person need not wait for a slow receiver.
  notifier.finish();
  return code;
}

}  // namespace cli
