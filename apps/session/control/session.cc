#include "apps/session/control/session.h"

#include <filesystem>
#include <future>
#include <mutex>

#include <fmt/format.h>

#include "apps/session/control/offline.h"
#include "apps/session/control/redact_commands.h"
#include "apps/session/control/session_parts.h"
#include "apps/session/home/garbage.h"
#include "apps/session/prepare/papers.h"
#include "apps/session/prepare/prior_work.h"
#include "apps/session/prepare/run_history.h"
#include "artifacts/write/package.h"
#include "kernel/study/evaluator_rules.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "memory/workspace/snapshot.h"

namespace session {

namespace {

kernel::Problem is_ending() {
  return {"", 0, "the kernel", "is ending", "ask again: a waiting process takes its place", true};
}

/// What `act` returns, or a problem while files of the home are deleted.
template <typename Act>
std::invoke_result_t<Act> unless_deleting(SessionParts& parts, const Act& act) {
  if (!parts.gate.enter())
    return kernel::Problem{"", 0, "the home", "files of it are being deleted", "ask again", true};
  struct Leaving {
    WriteGate& gate;
    ~Leaving() { gate.leave(); }
  };
  const Leaving leaving{parts.gate};
  return act();
}

/// What `act` returns on the kernel's thread, which alone writes to the store.
template <typename Act>
kernel::Result<std::invoke_result_t<Act>> on_kernel_thread(SessionParts& parts, Act act) {
  using Done = std::invoke_result_t<Act>;
  // Before `run`, this is the kernel's thread.
  if (std::this_thread::get_id() == parts.kernel_thread) return act();
  // Shared, because the kernel's thread may answer after this function has returned.
  auto promise = std::make_shared<std::promise<Done>>();
  std::future<Done> told = promise->get_future();
  parts.inbox.post(
      kernel::Inspect{"", [act = std::move(act), promise](const kernel::Study*) { promise->set_value(act()); }});
  promise.reset();
  try {
    if (told.wait_for(std::chrono::seconds(30)) == std::future_status::ready) return told.get();
  } catch (const std::future_error&) {
    // The message was dropped.
  }
  return kernel::Problem{"", 0, "the kernel", "is busy, or is ending", "ask again", true};
}

}  // namespace

Session::Session(std::unique_ptr<SessionGround> ground, SessionParts* parts)
    : ground_(std::move(ground)), parts_(parts) {}
Session::~Session() = default;

std::unique_ptr<Session> Session::for_reading(const std::string& home, const executors::Backend& backend,
                                              const std::string& config) {
  return std::unique_ptr<Session>(new Session(std::make_unique<SessionGround>(home, backend, config), nullptr));
}

kernel::Result<std::unique_ptr<Session>> Session::open(const std::string& home, kernel::Observer& watcher,
                                                       const executors::Backend& backend, const std::string& config,
                                                       Notifier* notifier) {
  auto lock = HomeLock::take(HomePaths{home});
  if (!lock) return lock.problem();
  if (!*lock) return std::unique_ptr<Session>();
  if (auto lost = lost_store(HomePaths{home})) return std::move(*lost);
  if (auto problem = backend.open_for(home)) return std::move(*problem);
  auto parts = std::make_unique<SessionParts>(home, std::move(**lock), watcher, backend, config);
  parts->notifier = notifier;
  if (notifier) notifier->start();
  remove_leftovers(parts->home, backend);
  SessionParts* const own = parts.get();
  return std::unique_ptr<Session>(new Session(std::move(parts), own));
}

kernel::Result<std::string> Session::start(const StartRequest& request, kernel::Answer answer) {
  return unless_deleting(*parts_, [&] { return start_now(request, std::move(answer)); });
}

kernel::Result<std::string> Session::start_now(const StartRequest& request, kernel::Answer answer) {
  if (parts_->ending()) return is_ending();
  if (std::string why = kernel::never_fits(request.spec, parts_->machine); !why.empty())
    return kernel::Problem{request.spec.file, 0, "", why, "ask for less, or run it on a larger machine", true};
  if (request.reproduces.empty())
    if (const auto missing = parts_->roles.missing(request.spec)) return *missing;
  std::optional<kernel::ImportedArtifact> parent;
  if (!request.spec.extends.empty() && request.reproduces.empty()) {
    auto found = bring_parent(parts_->home.root, parts_->blobs, request.spec.extends);
    if (!found) return found.problem();
    parent = std::move(*found);
  }
  auto prepared = prepare(parts_->home, parts_->backend, parts_->blobs, request.spec, request.environment,
                          !request.reproduces.empty());
  if (!prepared) return prepared.problem();
  kernel::StudyOpened opened;
  opened.id = fmt::format("s{}", parts_->next_number++);
  opened.spec = request.spec;
  opened.spec.setup_key = prepared->setup_key;
  opened.text = request.text;
  opened.workspace = prepared->workspace;
  opened.environment = std::move(prepared->environment);
  opened.data = std::move(prepared->data);
  opened.sealed = std::move(prepared->sealed);
  opened.sealed_manifest = std::move(prepared->sealed_manifest);
  opened.answers = std::move(prepared->answers);
  opened.jobs = request.jobs > 0 ? request.jobs : default_jobs(parts_->machine.cpus, request.spec);
  opened.priority = request.priority;
  opened.output = request.output;
  opened.boot_id = parts_->clock.boot_id();
  opened.reproduces = request.reproduces;
  opened.reproduction = request.reproduction;
  if (opened.reproduction) opened.reproduction->log = parts_->blobs.put(request.recorded_log);
  // A reproduction has the cited works but not the papers, which are not in the artifact.
  if (!request.reproduces.empty()) opened.spec.literature.corpus.clear();
  opened.request = request.request;
  if (const std::string replayed = replayed_study(request.spec.agents); !replayed.empty()) {
    // A replay needs what the study knew when it opened.
    const kernel::State state = memory::Reader(parts_->home.root).load(replayed);
    if (const kernel::Study* then = state.study(replayed)) {
      opened.predecessors = then->predecessors;
      opened.earlier_looks = then->test_looks.earlier;
      for (const kernel::Work& work : then->spec.literature.works)
        if (work.type == "artifact" && work.key.starts_with(kernel::foreign))
          opened.spec.literature.works.push_back(work);
    }
  } else if (request.reproduces.empty()) {
    opened.predecessors = predecessors(parts_->home.root, opened);
    opened.earlier_looks = memory::Reader(parts_->home.root).looks_at(kernel::test_data_key(opened.sealed));
    opened.peaks = earlier_peaks(parts_->home.root, opened);
  }
  auto papers = read_papers(parts_->home.root, parts_->blobs, opened.spec.literature.corpus, request.environment);
  if (!papers) return papers.problem();
  opened.spec.literature.papers = std::move(*papers);
  if (parent) {
    const auto taken = record_import(*parent);
    if (!taken) return taken.problem();
    opened.spec.extends.id = taken->id;
    for (kernel::Predecessor& tested : tested_by(*parent, opened)) opened.predecessors.push_back(std::move(tested));
  }
  if (request.reproduces.empty() && opened.spec.agents != "builtin" && replayed_study(opened.spec.agents).empty())
    for (kernel::Work& work : citable_imports(parts_->home.root))
      opened.spec.literature.works.push_back(std::move(work));
  for (const auto& [code, own] :
       {std::pair(&request.scoring, &opened.scoring), std::pair(&request.set_up_from, &opened.set_up_from)}) {
    if (!*code) continue;
    auto frozen = frozen_code(parts_->home, parts_->blobs, **code);
    if (!frozen) return frozen.problem();
    *own = std::move(*frozen);
  }
  for (const auto& [version, folder] : request.versions) {
    const auto frozen = frozen_code(parts_->home, parts_->blobs, {folder, version.workspace.hash});
    if (!frozen) return frozen.problem();
    opened.versions.push_back(version);
  }
  return begin_study(std::move(opened), std::move(answer));
}

std::string Session::begin_study(kernel::StudyOpened opened, kernel::Answer answer) {
  const std::string id = opened.id;
  parts_->collector.know(id, opened.spec, opened.set_up_from.value_or(opened.workspace), opened.sealed);
  parts_->hold(id);
  send({id, kernel::person_actor, kernel::OpenStudy{std::move(opened)}}, std::move(answer));
  return id;
}

kernel::Result<std::string> Session::fork(const ForkRequest& request, kernel::Answer answer) {
  return unless_deleting(*parts_, [&]() -> kernel::Result<std::string> {
    const std::string id = fmt::format("s{}", parts_->next_number++);
    auto fork = fork_of(parts_->home.root, request, id);
    if (!fork) return fork.problem();
    send({id, kernel::person_actor, std::move(*fork)}, std::move(answer));
    return id;
  });
}

kernel::Result<Import> Session::import(const ImportRequest& request) {
  return unless_deleting(*parts_, [&]() -> kernel::Result<Import> {
    const auto copy = copy_artifact(request, &parts_->blobs);
    if (!copy) return copy.problem();
    const auto taken = record_import(copy->artifact);
    if (!taken) return taken.problem();
    return import_of(*copy, taken->id, taken->already);
  });
}

kernel::Result<memory::TakenIn> Session::record_import(const kernel::ImportedArtifact& artifact) {
  const std::int64_t now = parts_->clock.now().wall_ms;
  return on_kernel_thread(*parts_, [parts = parts_, artifact, now] { return parts->store.take_in(artifact, now); });
}

std::optional<kernel::Problem> Session::tag(const std::string& study, const kernel::Tagging& change) {
  if (auto problem = refused_tagging(change, parts_->redact)) return problem;
  const std::int64_t now = parts_->clock.now().wall_ms;
  const auto done =
      on_kernel_thread(*parts_, [parts = parts_, study, change, now] { return parts->store.tag(study, change, now); });
  return done ? *done : done.problem();
}

std::optional<kernel::Problem> Session::amend(const AmendRequest& request, kernel::Answer answer) {
  return unless_deleting(*parts_, [&]() -> std::optional<kernel::Problem> {
    auto amendment = amendment_of(parts_->home, parts_->backend, parts_->blobs, request);
    if (!amendment) return amendment.problem();
    return tell_now({request.study, kernel::person_actor, std::move(*amendment)}, std::move(answer));
  });
}

kernel::Result<std::string> Session::capture(const CaptureRequest& request, kernel::Answer answer) {
  return unless_deleting(*parts_, [&]() -> kernel::Result<std::string> {
    CaptureRequest said = request;
    said.question = parts_->redact(said.question);
    const std::string id = fmt::format("s{}", parts_->next_number++);
    return begin_study(captured_study(parts_->backend, parts_->blobs, said, id, parts_->clock.boot_id()),
                       std::move(answer));
  });
}

std::optional<kernel::Problem> Session::exec(const ExecRequest& request, kernel::Answer answer) {
  const kernel::State state = memory::Reader(parts_->home.root).load_active(request.study);
  const kernel::Study* study = state.study(request.study);
  if (!study || study->state == kernel::StudyState::ended) return no_active_study(parts_->home, request.study);
  if (!study->spec.captured() && !in_hand().contains(request.study))
    return kernel::Problem{"", 0, "study " + request.study, "no process works on it",
                           "`etude resume " + request.study + "` goes on with it; `--study new` begins another"};
  return unless_deleting(*parts_, [&]() -> std::optional<kernel::Problem> {
    auto order = order_by_hand(parts_->home, parts_->backend, parts_->blobs, *study, request, parts_->redact);
    if (!order) return order.problem();
    return tell_now({request.study, kernel::person_actor, std::move(*order)}, std::move(answer));
  });
}

std::optional<kernel::Problem> Session::resume(const ResumeRequest& request, kernel::Answer answer) {
  return tell({request.study, kernel::person_actor,
               kernel::Resume{parts_->clock.boot_id(), request.jobs, request.raised, request.priority}},
              std::move(answer));
}

std::optional<kernel::Problem> Session::tell(kernel::Command command, kernel::Answer answer) {
  return unless_deleting(*parts_, [&] { return tell_now(std::move(command), std::move(answer)); });
}

std::optional<kernel::Problem> Session::tell_now(kernel::Command command, kernel::Answer answer) {
  command = redacted(std::move(command), parts_->redact);
  const std::string id = command.study;
  const bool resumes = std::holds_alternative<kernel::Resume>(command.body);
  if (resumes && parts_->ending()) return is_ending();
  // Before `run`, this is the kernel's thread, which may use the store's own connection.
  kernel::State state = std::this_thread::get_id() == parts_->kernel_thread
                            ? parts_->store.load_active(id)
                            : memory::Reader(parts_->home.root).load_active(id);
  kernel::Study* study = state.study(id);
  if (!study || study->state == kernel::StudyState::ended) return no_active_study(parts_->home, id);
  if (resumes)
    if (const auto usable = artifacts::may_replace(study->output); !usable) return usable.problem();
  if (only_recorded(command.body)) {
    parts_->inbox.post(kernel::ContinueStudy{std::move(*study), std::move(command), std::move(answer), {}, true});
    return std::nullopt;
  }
  const auto is_gone = [&](const std::string& path, const char* why, const char* todo) {
    return kernel::Problem{path, 0, "study " + id, why, todo, true};
  };
  if (const std::string gone = missing_output(*study, parts_->home); !gone.empty())
    return is_gone(gone, "what an earlier run of it left for others is not there",
                   "restore it from where the home was copied, or run the study anew");
  const bool cancels = std::holds_alternative<kernel::Cancel>(command.body);
  if (const std::string gone = cancels ? "" : missing_evaluator_data(*study); !gone.empty())
    return is_gone(gone, "the evaluator's data are not there", "put them back");
  const auto make_ready = [&](const kernel::WorkspaceHash& hash) {
    memory::materialise(hash, parts_->home.workspace(hash), parts_->blobs);
  };
  make_ready(study->workspace.hash);
  make_ready(study->scoring.hash);
  if (study->set_up_from) make_ready(study->set_up_from->hash);
  for (const kernel::CodeVersion& version : study->code.versions)
    if (!std::filesystem::exists(parts_->home.workspace(version.workspace.hash))) make_ready(version.workspace.hash);
  for (const auto& [run, order] : study->thinking.orders)
    if (order.folder.empty() && !study->latest(*study->run(run)).ended()) make_ready(order.workspace.hash);
  parts_->collector.know(study->id, study->spec, study->set_up_from.value_or(study->workspace), study->sealed);
  parts_->hold(id);
  std::optional<kernel::Command> first;
  const bool broken_off = study->spec.captured() && study->state == kernel::StudyState::paused &&
                          study->pause_reason == kernel::PauseReason::interrupted;
  if (!resumes && (study->state == kernel::StudyState::running || broken_off))
    first = kernel::Command{id, kernel::person_actor, kernel::Resume{parts_->clock.boot_id(), 0, {}}};
  parts_->inbox.post(kernel::ContinueStudy{std::move(*study), std::move(command), std::move(answer), std::move(first)});
  return std::nullopt;
}

kernel::Result<std::vector<Deleted>> Session::delete_garbage(const std::function<bool()>& goes_on) {
  const auto refused = [](std::string why, std::string todo, bool machine) {
    return kernel::Problem{"", 0, "the home", std::move(why), std::move(todo), machine};
  };
  if (parts_->ending()) return is_ending();
  if (!parts_->gate.close()) return refused("other requests write to it", "ask again", true);
  struct Opening {
    WriteGate& gate;
    ~Opening() { gate.open(); }
  };
  const Opening opening{parts_->gate};
  const auto alone = HomeGuest::alone(parts_->home);
  if (!alone) return refused("a `try`, a `backup` or a packager is using it", "ask again", true);
  // The kernel has then done what it was sent before.
  const auto busy = on_kernel_thread(*parts_, [parts = parts_] {
    const std::lock_guard guard(parts->in_hand_mutex);
    std::string open;
    for (const std::string& id : parts->in_hand)
      if (const kernel::Study* study = parts->loop.state().study(id);
          study && study->state != kernel::StudyState::ended)
        open = id;
    return open;
  });
  if (!busy) return busy.problem();
  if (!busy->empty())
    return refused("this kernel has worked on study " + *busy + ", which has not ended",
                   "wait for its end, or end the kernel and run `etude gc --delete`", false);
  if (const auto problem = parts_->backend.launches_of_another(parts_->home.root)) return *problem;
  const std::vector<executors::Elsewhere> elsewhere = parts_->backend.elsewhere(parts_->home.root);
  std::vector<Deleted> deleted;
  for (Garbage& one : collectable(parts_->home, parts_->backend, leftovers(parts_->home, parts_->backend, true))) {
    if (parts_->ending() || !goes_on()) break;
    const std::int64_t bytes = size_of(one, elsewhere);
    remove(one, parts_->backend);
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(one.path, error)))
      deleted.push_back({std::move(one), bytes});
  }
  return deleted;
}

void Session::send(kernel::Command command, kernel::Answer answer) {
  parts_->inbox.post(kernel::CommandRequest{redacted(std::move(command), parts_->redact), std::move(answer)});
}

void Session::wait_for(const std::string& study) {
  parts_->awaited.insert(study);
}

bool Session::run() {
  const auto at_rest = [this](const kernel::State& state) {
    for (const std::string& id : parts_->awaited) {
      const kernel::Study* study = state.study(id);
      if (!study || !study->at_rest()) return false;
    }
    return true;
  };
  parts_->loop.run(at_rest);
  return at_rest(parts_->loop.state());
}

void Session::serve() {
  parts_->serves = true;
  parts_->room.emplace([this](const std::string& study) {
    // A problem is left out here: a person who resumes the study is told it.
    (void)tell({study, kernel::kernel_actor, kernel::Resume{parts_->clock.boot_id(), 0, {}}}, {});
  });
  const auto over = [this](const kernel::State& state) {
    if (parts_->interrupts == 0) return false;
    for (const std::string& id : in_hand())
      if (const kernel::Study* study = state.study(id); study && !study->at_rest()) return false;
    return true;
  };
  parts_->loop.run(over);
  parts_->room.reset();
}

const kernel::Study* Session::study(const std::string& id) const {
  return parts_->loop.state().study(id);
}

void Session::interrupt() {
  if (parts_->interrupts++ > 0) return leave();
  const std::set<std::string> ours = parts_->serves ? in_hand() : parts_->awaited;
  if (ours.empty()) return leave();
  for (const std::string& id : ours) send({id, kernel::person_actor, kernel::Pause{kernel::PauseReason::interrupted}});
}

void Session::leave() {
  parts_->inbox.post(kernel::Leave{});
}

Feed& Session::feed() {
  return ground_->feed;
}

const kernel::Machine& Session::machine() const {
  return parts_->machine;
}

kernel::Delays Session::delays() const {
  return parts_->inbox.delays();
}

std::string Session::exposition() const {
  return parts_->meters.text(delays(), machine());
}

std::set<std::string> Session::in_hand() const {
  const std::lock_guard guard(parts_->in_hand_mutex);
  return parts_->in_hand;
}

const HomePaths& Session::home() const {
  return ground_->home;
}

const executors::Backend& Session::backend() const {
  return ground_->backend;
}

std::optional<kernel::Problem> Session::missing_models(const kernel::StudySpec& spec) {
  return parts_->roles.missing(spec);
}

const std::string& Session::config() const {
  return ground_->config_path;
}

const kernel::Redactor& Session::redactor() const {
  return ground_->redact;
}

}  // namespace session
