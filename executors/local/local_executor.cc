#include "executors/local/local_executor.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/local/adoption.h"
#include "executors/local/job_turns.h"
#include "executors/local/launch_job.h"
#include "executors/local/run_devices.h"
#include "executors/local/supervisor_process.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/resident_messages.h"

namespace executors {
namespace {

using kernel::ReasonCode;
using supervisor::boot_ms;
using supervisor::Fd;

constexpr int look_again_ms = 20;
constexpr int free_again_ms = 100;  // The driver sends no notification.
constexpr int waits_ms = 1000;      // How long a supervisor without a job is kept.
/// Which part of the longest wait passes before a person hears of it: ten seconds of the usual ten minutes.
constexpr int notices_a_wait = 60;

/// Milliseconds for which devices are waited for; $ETUDE_GPU_WAIT has seconds.
std::int64_t longest_wait() {
  constexpr std::int64_t usual_s = 600, most_s = 1'000'000;
  const char* given = std::getenv("ETUDE_GPU_WAIT");
  const auto seconds = given ? supervisor::to_number(given) : std::nullopt;
  return 1000 * (seconds && *seconds > 0 && *seconds <= most_s ? *seconds : usual_s);
}

}  // namespace

/// The executor's thread. Other threads call only `post` and the destructor.
class LocalExecutor::Waiter {
 public:
  Waiter(kernel::JobListener listener, const std::string& supervisor)
      : listener_(std::move(listener)),
        launcher_(supervisor),
        events_(epoll_create1(EPOLL_CLOEXEC)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!events_ || !wake_) throw std::system_error(errno, std::generic_category(), "local executor");
    listen(wake_.get(), 0, Source::wake);
    thread_ = std::thread([this] { run(); });
  }
  ~Waiter() {
    post([this] { leaving_ = true; });
    thread_.join();
  }

  void post(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    eventfd_write(wake_.get(), 1);
  }
  void start(const kernel::JobSpec&);
  void start_in_turn(const kernel::JobSpec& spec, int below) { turns_.wait(spec, below); }
  void withdraw(const std::string& study_folder) {
    for (const kernel::JobSpec& job : turns_.withdraw_all(study_folder)) never_start(job);
  }
  void adopt(const kernel::JobSpec&);
  void cancel(const std::string& run);
  void await(const HeldDevices& held) { freeing_.push_back(held); }

 private:
  enum class Source : std::uint64_t { wake, pidfd, line };

  /// One job that has not ended yet.
  struct Live {
    kernel::JobSpec spec;
    HeldSupervisor held = HeldSupervisor();  ///< The pidfd once it is known, the line only if we launched it.
    int child = -1;                          ///< The supervisor's number, if it is a child of this process.
    bool reused = false;                     ///< As in Launch.
    bool announced = false;
    bool cancelled = false;
    std::optional<GpuMeter> gpus;
    bool alone = false;              ///< No other job of this executor ran since its launch.
    bool ours = false;               ///< Launched by this executor, so no other process will launch it.
    std::int64_t unclear_since = 0;  ///< 0 if nothing is unclear.
    std::int64_t look_at = 0;        ///< When to check the folder again; 0: never.
  };

  void run();
  void run_tasks();
  void take_turns();
  void never_start(const kernel::JobSpec&);
  void look_at_devices();
  void dismiss_waiting();
  void watch(std::uint64_t id, Live&, Launch);
  void hear_line(std::uint64_t id, Live&);
  void keep_waiting(HeldSupervisor);
  void report(HeldDevices&, const GpuStart& held, std::int64_t now);
  void tell_of_devices();
  void listen(int fd, std::uint64_t id, Source);
  void hear(std::uint64_t id, Source);
  void look_where_due();
  void look(std::uint64_t id, Live&);
  void conclude(std::uint64_t id, Live&);
  void announce(Live&, std::int64_t started_ms);
  void ask_to_leave(Live&);
  Live& enter(std::uint64_t id, const kernel::JobSpec&);
  void end(std::uint64_t id, kernel::JobOutcome);
  void fail(std::uint64_t id, Unlaunched);
  int timeout() const;

  const kernel::JobListener listener_;
  JobLauncher launcher_;
  Fd events_, wake_;
  std::mutex mutex_;
  std::deque<std::function<void()>> tasks_;  ///< The only member that other threads use.
  std::map<std::uint64_t, Live> live_;
  Turns turns_;
  std::vector<HeldDevices> freeing_;
  std::int64_t look_at_devices_ = 0;
  std::vector<HeldSupervisor> waiting_;  ///< Without a job, for the next ones.
  std::int64_t dismiss_at_ = 0;          ///< When those have waited long enough.
  const std::int64_t longest_wait_ms_ = longest_wait();
  std::string told_;  ///< Why jobs wait, as the listener knows.
  std::uint64_t next_id_ = 1;
  bool leaving_ = false;
  std::thread thread_;
};

void LocalExecutor::Waiter::run() {
  while (!leaving_) {
    epoll_event events[64];
    const int n = epoll_wait(events_.get(), events, 64, timeout());
    for (int i = 0; i < n; ++i) hear(events[i].data.u64 >> 2, static_cast<Source>(events[i].data.u64 & 3));
    take_turns();
    run_tasks();
    look_where_due();
    take_turns();
    look_at_devices();
    dismiss_waiting();
  }
}

void LocalExecutor::Waiter::run_tasks() {
  std::deque<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) {
    if (leaving_) return;
    task();
  }
}

void LocalExecutor::Waiter::take_turns() {
  const auto running = [this](std::string_view folder) {
    return static_cast<int>(
        std::ranges::count_if(live_, [&](const auto& one) { return study_folder(one.second.spec) == folder; }));
  };
  while (!turns_.empty() && !leaving_)
    if (const auto job = turns_.next(running))
      start(*job);
    else
      break;
}

void LocalExecutor::Waiter::never_start(const kernel::JobSpec& job) {
  if (listener_.ended) listener_.ended(outcome_without_run(job, kernel::JobEnd::voided, {ReasonCode::never_started}));
}

void LocalExecutor::Waiter::listen(int fd, std::uint64_t id, Source source) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id << 2 | static_cast<std::uint64_t>(source);
  if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

void LocalExecutor::Waiter::start(const kernel::JobSpec& spec) {
  const std::uint64_t id = next_id_++;
  Live& live = enter(id, spec);
  live.ours = true;
  live.alone = live_.size() == 1;
  auto launched = launcher_.launch(spec, waiting_);
  if (Unlaunched* none = std::get_if<Unlaunched>(&launched)) return fail(id, std::move(*none));
  live.gpus = std::move(std::get<Launch>(launched).gpus);
  watch(id, live, std::move(std::get<Launch>(launched)));
}

void LocalExecutor::Waiter::watch(std::uint64_t id, Live& live, Launch launch) {
  live.held = std::move(launch.held);
  live.child = launch.child;
  live.reused = launch.reused;
  if (live.held.pidfd) listen(live.held.pidfd.get(), id, Source::pidfd);
  listen(live.held.line.get(), id, Source::line);
}

void LocalExecutor::Waiter::adopt(const kernel::JobSpec& spec) {
  const std::uint64_t id = next_id_++;
  // Its end is seen here from now on.
  std::erase_if(freeing_, [&](const HeldDevices& held) { return held.folder == spec.folder; });
  tell_of_devices();
  Live& live = enter(id, spec);  // Not alone: earlier runs are unknown.
  conclude(id, live);
}

LocalExecutor::Waiter::Live& LocalExecutor::Waiter::enter(std::uint64_t id, const kernel::JobSpec& spec) {
  for (auto& [_, other] : live_) other.alone = false;
  Live& live = live_[id];
  live.spec = spec;
  return live;
}

void LocalExecutor::Waiter::cancel(const std::string& run) {
  if (const auto job = turns_.withdraw(run)) never_start(*job);
  for (auto& [id, live] : live_) {
    if (live.spec.run != run) continue;
    live.cancelled = true;
    ask_to_leave(live);
  }
}

void LocalExecutor::Waiter::ask_to_leave(Live& live) {
  if (live.held.pidfd) return void(pidfd_signal(live.held.pidfd.get(), SIGTERM));
  // Without a pidfd its claim says which process it is, and is not there at once.
  const Fd folder(open(live.spec.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto claim = folder ? read_claim(folder.get()) : std::nullopt;
  if (claim && claim->pid > 0)
    signal_process(claim->pid, claim->start, SIGTERM);
  else if (live.held.line)
    live.look_at = boot_ms() + look_again_ms;
}

void LocalExecutor::Waiter::hear(std::uint64_t id, Source source) {
  if (source == Source::wake) {
    eventfd_t count;
    eventfd_read(wake_.get(), &count);
    return;
  }
  const auto found = live_.find(id);
  if (found == live_.end()) return;
  Live& live = found->second;
  if (source == Source::line) return hear_line(id, live);
  siginfo_t info{};
  // Adopted ones are not our children.
  waitid(P_PIDFD, static_cast<id_t>(live.held.pidfd.get()), &info, WEXITED | WNOHANG);
  const bool sealed = live.held.sealed.has_value();
  live.held = HeldSupervisor();
  // It left between two jobs, and had not begun this one.
  if (live.reused && !is_claimed(live.spec) && !live.cancelled) {
    auto launched = launcher_.begin(live.spec.folder, sealed);
    if (Unlaunched* none = std::get_if<Unlaunched>(&launched)) return fail(id, std::move(*none));
    return watch(id, live, std::move(std::get<Launch>(launched)));
  }
  conclude(id, live);
}

void LocalExecutor::Waiter::hear_line(std::uint64_t id, Live& live) {
  char text[64];
  const ssize_t n = recv(live.held.line.get(), text, sizeof text, MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  constexpr std::string_view word = "launched ";
  const std::string_view line(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  if (line.starts_with(word) && line.ends_with("\n"))
    announce(live, supervisor::to_number(line.substr(word.size(), line.size() - word.size() - 1)).value_or(0));
  if (line == supervisor::ended_word) {
    HeldSupervisor held = std::exchange(live.held, HeldSupervisor());
    const bool as_before = !live.cancelled;
    conclude(id, live);
    // Without an outcome it must leave, so that the run can be given up.
    if (as_before && held.pidfd && !live_.contains(id)) keep_waiting(std::move(held));
    return;
  }
  if (n > 0) return;
  live.held.line.reset();
  if (live.held.pidfd) return;
  // Without a pidfd the line's end shows that the supervisor has left.
  if (live.child > 0) waitpid(live.child, nullptr, 0);
  conclude(id, live);
}

void LocalExecutor::Waiter::keep_waiting(HeldSupervisor held) {
  for (const Fd* fd : {&held.pidfd, &held.line}) epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd->get(), nullptr);
  waiting_.push_back(std::move(held));
  dismiss_at_ = boot_ms() + waits_ms;
}

/// At the end of its line a supervisor leaves.
void LocalExecutor::Waiter::dismiss_waiting() {
  if (!waiting_.empty() && dismiss_at_ <= boot_ms()) waiting_.clear();
}

void LocalExecutor::Waiter::conclude(std::uint64_t id, Live& live) {
  LaunchStanding standing = find_out(live.spec);
  live.look_at = 0;
  if (standing.kind == LaunchStanding::Kind::ended) {
    // A launch of ours will not be started by another process, so it fails here and is not queued again.
    if (live.ours && standing.outcome.end == kernel::JobEnd::voided)
      return fail(id, {{ReasonCode::supervisor_left, {{"reason", std::vector{standing.outcome.reason}}}}});
    // The disk has space again, so a study that was resumed must not be paused for it again.
    if (!live.ours && standing.outcome.end == kernel::JobEnd::no_room && !no_room_at(live.spec.folder)) {
      standing.outcome.end = kernel::JobEnd::lost;
      standing.outcome.reason = {ReasonCode::disk_was_full};
    }
    // If the job ended unwatched, its devices' counters include later use.
    if (live.gpus && standing.outcome.started_ms > 0) live.gpus->finish(standing.outcome);
    if (standing.outcome.usage.energy) standing.outcome.usage.energy->exclusive = live.alone;
    if (standing.outcome.started_ms > 0) announce(live, standing.outcome.started_ms);
    return end(id, std::move(standing.outcome));
  }
  // On a full disk neither the supervisor nor this process can claim the launch, and no other process will.
  if (live.ours && standing.kind == LaunchStanding::Kind::unclear && standing.claim.mark.empty() &&
      no_room_at(live.spec.folder))
    return fail(id, {{ReasonCode::disk_full}, true});
  if (standing.kind == LaunchStanding::Kind::running) {
    Fd pidfd(pidfd_open(standing.claim.pid));
    // Another process may have got the same number before we opened it.
    if (pidfd && supervisor::start_time(standing.claim.pid) == standing.claim.start) {
      live.held.pidfd = std::move(pidfd);
      listen(live.held.pidfd.get(), id, Source::pidfd);
      if (!live.spec.gpus.empty() && !live.gpus) live.gpus.emplace(launcher_.nvml(), live.spec.folder).resume();
      if (live.cancelled) pidfd_signal(live.held.pidfd.get(), SIGTERM);
      return look(id, live);
    }
  }
  if (!has_pidfds() && live.cancelled) ask_to_leave(live);
  if (!has_pidfds() && standing.claim.started_ms > 0) announce(live, standing.claim.started_ms);
  live.look_at = boot_ms() + look_again_ms;
}

void LocalExecutor::Waiter::look(std::uint64_t id, Live& live) {
  if (!live.held.pidfd && live.held.line) {
    // Concluding now would void a launch that has not begun.
    live.look_at = 0;
    if (live.cancelled) ask_to_leave(live);
    return;
  }
  if (!live.held.pidfd) return conclude(id, live);
  const Fd folder(open(live.spec.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto claim = folder ? read_claim(folder.get()) : std::nullopt;
  live.look_at = 0;
  if (claim && claim->started_ms > 0)
    announce(live, claim->started_ms);
  else
    live.look_at = boot_ms() + look_again_ms;
}

void LocalExecutor::Waiter::look_where_due() {
  const std::int64_t now = boot_ms();
  std::vector<std::uint64_t> due;
  for (auto& [id, live] : live_) {
    if (live.look_at > 0 && live.look_at <= now) due.push_back(id);
    if (live.gpus && live.gpus->due() <= now) live.gpus->sample();
  }
  for (const std::uint64_t id : due) look(id, live_.at(id));
}

int LocalExecutor::Waiter::timeout() const {
  std::int64_t next = INT64_MAX;
  for (const auto& [id, live] : live_) {
    if (live.look_at > 0) next = std::min(next, live.look_at);
    if (live.gpus) next = std::min(next, live.gpus->due());
  }
  if (!freeing_.empty()) next = std::min(next, look_at_devices_);
  if (!waiting_.empty()) next = std::min(next, dismiss_at_);
  return next == INT64_MAX ? -1 : static_cast<int>(std::max<std::int64_t>(next - boot_ms(), 0));
}

void LocalExecutor::Waiter::announce(Live& live, std::int64_t started_ms) {
  if (std::exchange(live.announced, true)) return;
  if (listener_.started) listener_.started({live.spec.run, live.spec.token, started_ms});
}

void LocalExecutor::Waiter::end(std::uint64_t id, kernel::JobOutcome outcome) {
  const kernel::JobSpec& spec = live_.at(id).spec;
  std::optional<HeldDevices> freeing;
  // Before the listener learns of the end and removes the folder.
  if (!spec.gpus.empty()) freeing = hold_devices(spec.folder);
  outcome.stage = spec.stage;
  outcome.leaves_files = spec.leaves_files;
  if (spec.evaluation) outcome.tier = spec.evaluation->tier;
  live_.erase(id);
  if (listener_.ended) listener_.ended(std::move(outcome));
  const auto awaited = [&](const HeldDevices& other) { return other.launch == freeing->launch; };
  if (freeing && std::ranges::none_of(freeing_, awaited)) freeing_.push_back(std::move(*freeing));
}

void LocalExecutor::Waiter::look_at_devices() {
  if (freeing_.empty() || look_at_devices_ > boot_ms()) return;
  const std::int64_t now = boot_ms();
  std::erase_if(freeing_, [&](HeldDevices& freeing) {
    if (!freeing.folder.empty()) {
      if (!is_over(freeing.folder)) return false;
      hold_devices(std::exchange(freeing.folder, ""));
    }
    if (freeing.since_ms == 0) freeing.since_ms = now;
    const auto is_held = [&](const GpuStart& start) {
      return !free_again(start, freeing.launch_name(), launcher_.nvml());
    };
    if (const auto held = std::ranges::find_if(freeing.starts, is_held); held != freeing.starts.end()) {
      report(freeing, *held, now);
      return false;
    }
    unlink(freeing.note.c_str());
    if (listener_.freed) listener_.freed(freeing.launch);
    return true;
  });
  tell_of_devices();
  look_at_devices_ = boot_ms() + free_again_ms;
}

/// Says who holds the device, and reports it after the longest wait.
void LocalExecutor::Waiter::report(HeldDevices& freeing, const GpuStart& held, std::int64_t now) {
  const std::int64_t waited = now - freeing.since_ms;
  if (waited < longest_wait_ms_ / notices_a_wait) return;
  const bool again = waited >= longest_wait_ms_ * (freeing.waits + 1);
  if (freeing.why.empty() || again)
    freeing.why = fmt::format("GPU {} is not free after launch {}: {}", held.id, freeing.launch,
                              why_not_free(held, freeing.launch_name(), launcher_.nvml()));
  if (!again) return;
  ++freeing.waits;
  if (listener_.held)
    listener_.held(
        {ReasonCode::devices_not_freed, {{"holders", freeing.why}, {"minutes", static_cast<double>(waited) / 60'000}}});
}

void LocalExecutor::Waiter::tell_of_devices() {
  std::string all;
  for (const HeldDevices& freeing : freeing_)
    if (!freeing.why.empty()) all += (all.empty() ? "" : "; ") + freeing.why;
  if (all == told_) return;
  told_ = std::move(all);
  if (listener_.waits) listener_.waits(told_);
}

void LocalExecutor::Waiter::fail(std::uint64_t id, Unlaunched none) {
  const kernel::JobEnd why = none.no_room ? kernel::JobEnd::no_room : kernel::JobEnd::failed_to_start;
  end(id, outcome_without_run(live_.at(id).spec, why, std::move(none.why)));
}

LocalExecutor::LocalExecutor(kernel::JobListener listener, std::string supervisor)
    : waiter_(std::make_unique<Waiter>(std::move(listener),
                                       supervisor.empty() ? supervisor_beside_us() : std::move(supervisor))) {}
LocalExecutor::~LocalExecutor() = default;

void LocalExecutor::start(const kernel::JobSpec& spec) {
  waiter_->post([waiter = waiter_.get(), spec] { waiter->start(spec); });
}
void LocalExecutor::start_in_turn(const kernel::JobSpec& spec, int below) {
  waiter_->post([waiter = waiter_.get(), spec, below] { waiter->start_in_turn(spec, below); });
}
void LocalExecutor::withdraw(const std::string& study_folder) {
  waiter_->post([waiter = waiter_.get(), study_folder] { waiter->withdraw(study_folder); });
}
void LocalExecutor::adopt(const kernel::JobSpec& spec) {
  waiter_->post([waiter = waiter_.get(), spec] { waiter->adopt(spec); });
}
void LocalExecutor::cancel(const std::string& run) {
  waiter_->post([waiter = waiter_.get(), run] { waiter->cancel(run); });
}
std::map<std::string, std::vector<std::string>> LocalExecutor::held_devices(const std::string& runs) {
  std::map<std::string, std::vector<std::string>> held;
  for (const HeldDevices& devices : executors::held_devices(runs)) {
    for (const GpuStart& start : devices.starts) held[devices.launch].push_back(start.id);
    waiter_->post([waiter = waiter_.get(), devices] { waiter->await(devices); });
  }
  return held;
}

}  // namespace executors
