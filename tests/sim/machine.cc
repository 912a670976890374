#include "tests/sim/machine.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "kernel/runs/job.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/study/ledger.h"
#include "kernel/study/state.h"

namespace sim {

using kernel::JobEnd;
using kernel::ReasonCode;
using Stage = Launch::Stage;

namespace {

double share(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// How the command of a job begins whose metrics only an evaluator writes.
constexpr const char* unscored = "write";

std::string launch_of(const kernel::JobSpec& spec) {
  return kernel::run_study(spec.run) + "/" + kernel::launch_name(spec.token);
}

}  // namespace

kernel::ReportEnd truth_of(const kernel::JobSpec& job) {
  kernel::ReportEnd report;
  std::string setting;
  for (const auto& [name, value] : job.values)
    if (name != "seed" && name != "cpus" && name != "gpus") setting += name + "=" + value + ";";
  std::string around;
  for (const kernel::DataMount& mount : job.prepared) around += mount.path;
  report.output_digest = kernel::sha256_hex(job.workspace + setting + job.stage + around + std::to_string(job.seed));
  if (job.stage == setup_stage) return report;
  if (!job.stage.empty()) {
    report.kept = {{"ckpt", "ckpt/best.pt", report.output_digest, 10}};
    return report;
  }
  if (const std::string figure = figure_of(report.output_digest); !figure.empty())
    report.outputs = {{"figure.svg", {kernel::sha256_hex(figure), static_cast<std::int64_t>(figure.size())}}};
  if (job.evaluation) {
    setting += job.evaluation->workspace;
    for (const kernel::DataMount& mount : job.evaluation->data) setting += mount.path;
    report.outcome.evaluator.emplace();
  } else if (job.command.words.front().starts_with(unscored)) {
    return report;
  }
  const auto algorithm = job.values.find("algorithm");
  double value = algorithm != job.values.end() && algorithm->second == "quick" ? 5 : 10;
  value += share(lot(setting)) + share(lot(job.workspace)) + share(lot(around));
  const bool seeded =
      std::ranges::any_of(job.command.words, [](const std::string& word) { return word.find("{seed}") != word.npos; });
  if (seeded) value += share(lot(setting + std::to_string(job.seed))) + share(lot(std::to_string(job.seed)));
  report.measurement.values["y"] = {value, false, false};
  report.measurement.points = 1;
  return report;
}

std::string figure_of(const std::string& output_digest) {
  return lot(output_digest) % 2 == 0 ? "<svg>" + output_digest + "</svg>" : "";
}

/// What one kernel sees of the machine.
class Machine::Front : public kernel::Executor {
 public:
  explicit Front(Machine& machine) : machine_(machine) {}
  void start(const kernel::JobSpec& spec) override {
    machine_.maybe_die_("before a launch");
    machine_.start(spec);
    machine_.maybe_die_("after a launch");
  }
  void start_in_turn(const kernel::JobSpec& spec, int below) override {
    machine_.maybe_die_("before a launch in turn");
    machine_.turns_.emplace_back(spec, below);
    machine_.take_turns();
    machine_.maybe_die_("after a launch in turn");
  }
  void withdraw(const std::string& study_folder) override {
    machine_.maybe_die_("before jobs are withdrawn");
    machine_.withdraw([&](const kernel::JobSpec& spec) { return spec.folder.starts_with(study_folder + "/"); });
  }
  void adopt(const kernel::JobSpec& spec) override {
    machine_.maybe_die_("before an adoption");
    machine_.adopt(spec);
  }
  void cancel(const std::string& run) override {
    machine_.maybe_die_("before a kill");
    machine_.cancel(run);
  }
  std::map<std::string, std::vector<std::string>> held_devices(const std::string&) override {
    std::map<std::string, std::vector<std::string>> held;
    for (const auto& [token, launch] : machine_.launches_) {
      if (!launch.noted && !launch.folder) continue;
      held[launch_of(launch.spec)] = launch.spec.gpus;
      machine_.guard_devices(token);
    }
    return held;
  }

 private:
  Machine& machine_;
};

Machine::Machine(Core& core, const Rates& rates) : core_(core), rates_(rates) {}

std::unique_ptr<kernel::Executor> Machine::executor(std::function<void(kernel::LoopMessage)> post,
                                                    std::function<void(const char*)> maybe_die) {
  post_ = std::move(post);
  maybe_die_ = std::move(maybe_die);
  ++kernels_;
  return std::make_unique<Front>(*this);
}

const Launch* Machine::launch(const kernel::LaunchToken& token) const {
  const auto known = launches_.find(token.text());
  return known == launches_.end() ? nullptr : &known->second;
}

int Machine::ran(const std::string& study) const {
  return static_cast<int>(std::ranges::count_if(
      launches_, [&](const auto& one) { return one.second.ran && kernel::run_study(one.second.spec.run) == study; }));
}

double Machine::device_hours(const std::string& study) const {
  const auto known = device_hours_.find(study);
  return known == device_hours_.end() ? 0 : known->second;
}

void Machine::tell(const Launch& launch, kernel::LoopMessage message) {
  if (post_ && launch.watcher == kernels_) post_(std::move(message));
}

/// Launches of the study that run, or will.
int Machine::at_work(const std::string& study) const {
  return static_cast<int>(std::ranges::count_if(launches_, [&](const auto& one) {
    const Launch& launch = one.second;
    return (launch.stage == Stage::running || launch.stage == Stage::spawned) &&
           kernel::run_study(launch.spec.run) == study;
  }));
}

void Machine::take_turns() {
  for (auto turn = turns_.begin(); turn != turns_.end();)
    if (at_work(kernel::run_study(turn->first.run)) < turn->second) {
      start(turn->first, turn->second);
      turn = turns_.erase(turn);
    } else {
      ++turn;
    }
}

void Machine::start(const kernel::JobSpec& spec, int below) {
  const std::string& token = spec.token.text();
  core_.note("launch {} under {}{}", spec.run, kernel::launch_name(spec.token), spec.gpus.empty() ? "" : " on devices");
  if (launches_.contains(token)) broken("a token is for one launch", "{} again under {}", spec.run, token);
  intended(spec, "started");
  Launch& launch = launches_[token];
  launch.spec = spec;
  launch.below = below;
  launch.watcher = kernels_;
  launch.folder = !spec.gpus.empty();
  kernel::ReportEnd failed;
  if (core_.dice.chance(rates_.no_room)) {
    failed.outcome.end = JobEnd::no_room;
    failed.outcome.reason = {ReasonCode::disk_full};
    return core_.later(core_.dice.spread(4), [this, token, failed] { finish(token, failed); });
  }
  if (core_.dice.chance(rates_.refused)) {
    failed.outcome.end = JobEnd::failed_to_start;
    failed.outcome.reason = kernel::as_said("there is no such program");
    return core_.later(core_.dice.spread(4), [this, token, failed] { finish(token, failed); });
  }
  core_.later(core_.dice.spread(6), [this, token] { claim(token); });
}

void Machine::demand_devices(const Launch& fresh) const {
  for (const auto& [token, other] : launches_) {
    if (token == fresh.spec.token.text()) continue;
    const bool lives = other.stage == Stage::running;
    if (lives && other.spec.run == fresh.spec.run)
      broken("one process for one run", "{} under {} and {}", other.spec.run, token, fresh.spec.token.text());
    if (!lives && other.memory_until_ms <= core_.clock.uptime_ms) continue;
    for (const std::string& gpu : fresh.spec.gpus)
      if (std::ranges::find(other.spec.gpus, gpu) != other.spec.gpus.end())
        broken("a device is for one job at a time", "{} for {} while {} {} it", gpu, fresh.spec.run, other.spec.run,
               lives ? "uses" : "still fills");
  }
}

/// The supervisor creates the claim, unless somebody voided it.
void Machine::claim(const std::string& token) {
  Launch& launch = launches_.at(token);
  if (launch.stage != Stage::spawned) return;
  demand_devices(launch);
  if (const int others = at_work(kernel::run_study(launch.spec.run)) - 1; launch.below > 0 && others >= launch.below)
    broken("never more jobs run at once than -j", "{} with {} others", launch.spec.run, others);
  launch.stage = Stage::running;
  launch.ran = true;
  launch.ran_at_ms = core_.clock.uptime_ms;
  core_.note("{} runs", launch.spec.run);
  tell(launch, kernel::Command{kernel::run_study(launch.spec.run), kernel::kernel_actor,
                               kernel::ReportStart{kernel::run_number(launch.spec.run), launch.spec.token}});
  kernel::ReportEnd end = truth_of(launch.spec);
  kernel::JobOutcome& outcome = end.outcome;
  std::int64_t lasts = core_.dice.spread(rates_.duration);
  if (!goes_wrong(launch.spec, end) && launch.spec.stage == setup_stage)
    end.kept = {{"", "env", setup_key(kernel::run_study(launch.spec.run)), 0}};
  if (const auto limit = launch.spec.resources.timeout_s; limit && static_cast<double>(lasts) > *limit * 1000) {
    lasts = static_cast<std::int64_t>(*limit * 1000);
    end = {};
    end.outcome.end = JobEnd::timed_out;
    end.outcome.reason = {ReasonCode::job_timed_out, {{"limit_ms", lasts}}};
  }
  outcome.usage.wall_s = static_cast<double>(lasts) / 1000;
  core_.later(lasts, [this, token, end] { finish(token, end); });
}

bool Machine::goes_wrong(const kernel::JobSpec& spec, kernel::ReportEnd& end) {
  if (core_.dice.chance(rates_.vanishes)) {
    end = {};
    end.outcome.end = JobEnd::lost;
    end.outcome.reason = {ReasonCode::supervisor_vanished};
    return true;
  }
  if (core_.dice.chance(rates_.asks_again)) {
    end = {};
    end.outcome.exit = kernel::retry_exit;
    return true;
  }
  const bool code = failing.contains(spec.workspace.substr(spec.workspace.rfind('/') + 1));
  if (!code && !core_.dice.chance(rates_.fails)) return false;
  const bool evaluated = spec.evaluation.has_value();
  end = {};
  switch (code ? 0 : core_.dice.below(evaluated ? 5 : 4)) {
    case 0:
      end.outcome.exit = 1;
      end.said = "it broke";
      break;
    case 1:
      end.outcome.end = JobEnd::signalled;
      end.outcome.signal = 11;
      break;
    case 2:
      end.outcome.end = JobEnd::timed_out;
      end.outcome.reason = {ReasonCode::job_timed_out, {{"limit_ms", std::int64_t{1000}}}};
      break;
    case 3:
      end.measurement.verdict = kernel::RunState::failed;
      end.measurement.reason = kernel::as_said("no value of y");
      break;
    default:
      end.outcome.evaluator.emplace();
      end.outcome.evaluator->exit = 1;
      end.measurement.verdict = kernel::RunState::failed;
      end.measurement.reason = kernel::as_said("the evaluator failed");
  }
  return true;
}

/// The supervisor writes the outcome; the kernel hears of it a little later.
void Machine::finish(const std::string& token, kernel::ReportEnd end) {
  Launch& launch = launches_.at(token);
  if (launch.stage != Stage::running && launch.stage != Stage::spawned) return;
  const bool vanished = end.outcome.end == JobEnd::lost;
  launch.stage = vanished ? Stage::vanished : Stage::ended;
  if (vanished)  // What a lost job used nobody knows.
    end.outcome.usage = {};
  else
    device_hours_[kernel::run_study(launch.spec.run)] +=
        static_cast<double>(launch.spec.gpus.size()) * end.outcome.usage.wall_s / kernel::seconds_an_hour;
  end.run = kernel::run_number(launch.spec.run);
  end.outcome.run = launch.spec.run;
  end.outcome.token = launch.spec.token;
  if (launch.ran) {
    end.outcome.started_ms = 1'700'000'000'000 + launch.ran_at_ms;
    end.outcome.ended_ms = 1'700'000'000'000 + core_.clock.uptime_ms;
  }
  launch.report = std::move(end);
  core_.note("{} {}", launch.spec.run, vanished ? "vanishes" : "ends");
  if (launch.ran && !launch.spec.gpus.empty())
    launch.memory_until_ms =
        core_.clock.uptime_ms + (core_.dice.chance(rates_.slow_device) ? core_.dice.spread(13) : 0);
  if (!post_) return;
  take_turns();
  if (launch.watcher == kernels_) return hear(token);
  if (launch.guarded_by != kernels_) return;
  launch.noted = true;
  await_devices(token);
}

/// The kernel's waiter sees the end. The collector reads what the job left, which takes a while.
void Machine::hear(const std::string& token) {
  Launch& launch = launches_.at(token);
  core_.later(core_.dice.chance(0.7) ? 0 : core_.dice.spread(10), [this, token] { deliver(token); });
  if (core_.dice.chance(rates_.twice)) core_.later(core_.dice.spread(11), [this, token] { deliver(token); });
  if (launch.spec.gpus.empty()) return;
  launch.noted = true;
  await_devices(token);
}

void Machine::void_launch(Launch& launch, kernel::Reason why) {
  launch.stage = Stage::voided;
  launch.report.run = kernel::run_number(launch.spec.run);
  launch.report.outcome.run = launch.spec.run;
  launch.report.outcome.token = launch.spec.token;
  launch.report.outcome.end = JobEnd::voided;
  launch.report.outcome.reason = std::move(why);
  core_.note("{} never ran", launch.spec.run);
}

void Machine::deliver(const std::string& token) {
  Launch& launch = launches_.at(token);
  if (!post_ || launch.watcher != kernels_) return;
  if (launch.stage == Stage::voided) launch.folder = false;
  for (const kernel::OutputFile& file : launch.report.outputs)
    if (!file.blob.sha256.empty()) keep(figure_of(launch.report.output_digest));
  for (const kernel::KeptOutput& kept : launch.report.kept)
    if (launch.spec.stage == setup_stage) installed.insert(kept.sha256);
  tell(launch, kernel::Command{kernel::run_study(launch.spec.run), kernel::kernel_actor, launch.report});
}

void Machine::discard(const kernel::LaunchToken& token) {
  if (const auto known = launches_.find(token.text()); known != launches_.end()) known->second.folder = false;
}

/// As executors/local does before its first job: whichever kernel works on the launch's study, its devices are its own
/// until it is over.
void Machine::guard_devices(const std::string& token) {
  Launch& launch = launches_.at(token);
  // The first that creates the claim wins.
  if (launch.stage == Stage::spawned && core_.dice.chance(0.5))
    void_launch(launch, kernel::as_said("its launch was voided"));
  if (launch.stage == Stage::spawned || launch.stage == Stage::running)
    launch.guarded_by = kernels_;
  else
    await_devices(token);
}

/// As executors/local does: once for each kernel.
void Machine::await_devices(const std::string& token) {
  Launch& launch = launches_.at(token);
  if (std::exchange(launch.awaited_by, kernels_) == kernels_) return;
  const std::int64_t ms = std::max<std::int64_t>(launch.memory_until_ms - core_.clock.uptime_ms, 0);
  core_.later(ms + core_.dice.spread(3), [this, token, kernel = kernels_] {
    if (!post_ || kernel != kernels_) return;
    Launch& freed = launches_.at(token);
    freed.noted = false;
    freed.awaited_by = 0;
    core_.note("the devices of {} are free", freed.spec.run);
    post_(kernel::DevicesFreed{launch_of(freed.spec)});
  });
}

void Machine::adopt(const kernel::JobSpec& spec) {
  const std::string& token = spec.token.text();
  intended(spec, "adopted");
  const auto [known, unheard] = launches_.try_emplace(token);
  Launch& launch = known->second;
  core_.note("adopt {}{}", spec.run, unheard ? ", of which nothing is there" : "");
  launch.watcher = kernels_;
  launch.guarded_by = 0;
  if (unheard) launch.spec = spec;
  if (launch.spec.run != spec.run) broken("a job is adopted by its own study", "{} as {}", launch.spec.run, spec.run);
  // The first that creates the claim wins.
  if (launch.stage == Stage::spawned && (unheard || core_.dice.chance(0.5)))
    void_launch(launch, kernel::as_said("its launch was voided"));
  if (launch.stage == Stage::running)
    tell(launch, kernel::Command{kernel::run_study(spec.run), kernel::kernel_actor,
                                 kernel::ReportStart{kernel::run_number(spec.run), spec.token}});
  if (launch.stage == Stage::running || launch.stage == Stage::spawned) return;
  core_.later(core_.dice.spread(4), [this, token, kernel = kernels_] {
    if (post_ && kernel == kernels_) hear(token);
  });
}

void Machine::withdraw(const std::function<bool(const kernel::JobSpec&)>& which) {
  for (auto turn = turns_.end(); turn != turns_.begin();) {
    --turn;
    if (!which(turn->first)) continue;
    const std::string& token = turn->first.token.text();
    Launch& launch = launches_[token];
    launch.spec = turn->first;
    launch.watcher = kernels_;
    void_launch(launch, {ReasonCode::never_started});
    hear(token);
    turn = turns_.erase(turn);
  }
}

void Machine::cancel(const std::string& run) {
  core_.note("kill {}", run);
  withdraw([&](const kernel::JobSpec& spec) { return spec.run == run; });
  for (auto& [token, launch] : launches_) {
    if (launch.spec.run != run || (launch.stage != Stage::running && launch.stage != Stage::spawned)) continue;
    ++launch.killed;
    kernel::ReportEnd end;
    end.outcome.end = JobEnd::cancelled;
    end.outcome.reason = {launch.stage == Stage::running ? ReasonCode::job_cancelled
                                                         : ReasonCode::job_cancelled_before_start};
    core_.later(core_.dice.spread(8), [this, token = token, end] { finish(token, end); });
  }
}

void Machine::forget(const std::function<bool(const Launch&)>& which) {
  for (auto& [token, launch] : launches_) {
    if (!which(launch)) continue;
    launch.ran = launch.folder = launch.noted = false;
    launch.report = {};
    void_launch(launch, kernel::as_said("its launch was voided"));
  }
}

void Machine::power_cut() {
  for (auto& [token, launch] : launches_) {
    launch.memory_until_ms = 0;
    launch.noted = launch.folder = false;  // No note of an earlier boot counts.
    if (launch.stage == Stage::spawned) {
      void_launch(launch, kernel::as_said("its launch was voided"));
    } else if (launch.stage == Stage::running) {
      launch.stage = Stage::vanished;
      launch.report = {};
      launch.report.run = kernel::run_number(launch.spec.run);
      launch.report.outcome.run = launch.spec.run;
      launch.report.outcome.token = launch.spec.token;
      launch.report.outcome.end = JobEnd::lost;
      launch.report.outcome.reason = {ReasonCode::supervisor_vanished};
      launch.report.outcome.started_ms = 1'700'000'000'000 + launch.ran_at_ms;
    }
  }
}

}  // namespace sim
