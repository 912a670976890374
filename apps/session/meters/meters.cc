#include "apps/session/meters/meters.h"

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

#include "kernel/domain/enum_names.h"
#include "kernel/study/at_work.h"

namespace session {

namespace {

using kernel::Event;
using kernel::Study;
using Type = Exposition::Type;

// Seconds. A job may last a millisecond or a day.
constexpr std::array run_bounds = {0.01, 0.03,  0.1,   0.3,    1.0,    3.0,     10.0,
                                   30.0, 100.0, 300.0, 1000.0, 3600.0, 14400.0, 86400.0};
constexpr std::array launch_bounds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 60.0};
constexpr std::array call_bounds = {0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3600.0, 86400.0};
constexpr std::array commit_bounds = {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0};

/// With more studies, those that ended are forgotten.
constexpr std::size_t most_studies = 100;

double seconds(std::int64_t ms) {
  return static_cast<double>(ms) / 1000.0;
}

Labels of_study(const std::string& study) {
  return {{"study", study}};
}

Labels with(Labels labels, std::string_view key, std::string_view value) {
  labels.emplace_back(key, value);
  return labels;
}

}  // namespace

/// What an event adds to the histograms. Other events only change amounts.
struct Meters::Watcher {
  Meters& meters;
  Known& known;
  const Event& event;
  const Study& study;

  void operator()(const kernel::RunsQueued& e) const {
    for (const kernel::PlannedRun& run : e.runs) {
      const auto place = static_cast<std::size_t>(run.number) - 1;
      if (known.queued_ms.size() <= place) known.queued_ms.resize(place + 1);
      known.queued_ms[place] = event.at.boot_ms + run.delay_ms;
    }
  }
  void operator()(const kernel::RunStarting& e) const {
    known.starting_ms[e.run] = event.at.boot_ms;
    const auto place = static_cast<std::size_t>(e.run) - 1;
    if (place >= known.queued_ms.size() || known.queued_ms[place] == 0) return;
    meters.wait_seconds_.observe(seconds(std::max<std::int64_t>(0, event.at.boot_ms - known.queued_ms[place])));
    known.queued_ms[place] = 0;
  }
  void operator()(const kernel::RunStarted& e) const {
    if (const auto from = known.starting_ms.extract(e.run))
      meters.launch_seconds_.observe(seconds(event.at.boot_ms - from.mapped()));
  }
  void operator()(const kernel::RunRequeued& e) const { known.starting_ms.erase(e.run); }
  void operator()(const kernel::RunEnded& e) const {
    known.starting_ms.erase(e.run);
    ++meters.run_ends_[e.state];
    // A reused record of an earlier study, and a run that was given up, had no job here.
    if (!e.cached_from.empty() || e.outcome.started_ms == 0) return;
    meters.run_seconds_.try_emplace(e.state, run_bounds)
        .first->second.observe(seconds(std::max<std::int64_t>(0, e.outcome.ended_ms - e.outcome.started_ms)));
  }
  void operator()(const kernel::ModelAnswered& e) const {
    const kernel::ModelCall* call = study.thinking.call(e.call);
    if (!call) return;
    ModelMeters& model = meters.models_[call->model];
    model.tokens.input += e.end.tokens.input;
    model.tokens.output += e.end.tokens.output;
    model.tokens.cache_read += e.end.tokens.cache_read;
    model.tokens.cache_written += e.end.tokens.cache_written;
    model.usd += e.end.usd;
    // A batch is answered when its provider likes, which says nothing of the model.
    if (!e.end.by_batch)
      model.seconds.try_emplace(e.end.failure.empty(), call_bounds).first->second.observe(e.end.seconds);
  }
  template <typename Other>
  void operator()(const Other&) const {}
};

Meters::Meters() : launch_seconds_(launch_bounds), wait_seconds_(run_bounds) {}

void TimedStore::append(const std::vector<kernel::Event>& events, const kernel::State& after) {
  const auto begin = std::chrono::steady_clock::now();
  store_.append(events, after);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (!events.empty()) meters_.stored(took.count(), events.size(), !std::ranges::all_of(events, kernel::only_reports));
}

void Meters::stored(double took, std::size_t events, bool durable) {
  const std::lock_guard lock(mutex_);
  commit_seconds_.try_emplace(durable, commit_bounds).first->second.observe(took);
  events_ += static_cast<std::int64_t>(events);
}

void Meters::committed(const Event& event, const Study& study) {
  const std::lock_guard lock(mutex_);
  Known& known = studies_[event.study];
  std::visit(Watcher{*this, known, event, study}, static_cast<const kernel::EventVariant&>(event.body));
  known.state = study.state;
  known.going = static_cast<std::size_t>(runs_at_work(study));
  known.waiting = study.live.size() - known.going + study.queue.size() + study.blocked.size();
  known.calls = study.thinking.under_way;
  known.spending = kernel::spending_of(study, event.at);
  // Events of runs change none of these.
  if (std::holds_alternative<kernel::RunStarting>(event.body) ||
      std::holds_alternative<kernel::RunStarted>(event.body) || std::holds_alternative<kernel::RunEnded>(event.body))
    return;
  known.limits = study.spec.budget;
  known.gates = std::ranges::count_if(study.gates, [](const kernel::GateRecord& gate) { return !gate.decided; });
  known.agents_waiting = std::ranges::count_if(
      study.thinking.lines, [](const kernel::LineOfWork& line) { return !line.ended && !line.waits.empty(); });
  if (study.state != kernel::StudyState::ended) return;
  known.queued_ms.clear();
  if (studies_.size() > most_studies)
    std::erase_if(studies_, [&](const auto& one) {
      return one.first != event.study && one.second.state == kernel::StudyState::ended;
    });
}

void Meters::add_studies(Exposition& out) const {
  out.family("etude_study_state", Type::gauge, "1 for the state that the study is in");
  for (const auto& [id, known] : studies_)
    for (const kernel::StudyState state : kernel::enumerators<kernel::StudyState>())
      out.sample(with(of_study(id), "state", name(state)), known.state == state ? 1 : 0);
  out.family("etude_study_runs", Type::gauge, "Runs of the study that go on or wait to be started");
  for (const auto& [id, known] : studies_) {
    out.sample(with(of_study(id), "state", "going"), static_cast<double>(known.going));
    out.sample(with(of_study(id), "state", "waiting"), static_cast<double>(known.waiting));
  }
  out.family("etude_study_model_calls", Type::gauge, "Model calls without a reply yet");
  for (const auto& [id, known] : studies_) out.sample(of_study(id), static_cast<double>(known.calls));
  out.family("etude_study_agents_waiting", Type::gauge, "Lines of work that wait for a provider or a batch");
  for (const auto& [id, known] : studies_) out.sample(of_study(id), static_cast<double>(known.agents_waiting));
  out.family("etude_study_gates_open", Type::gauge, "Questions that wait for a person");
  for (const auto& [id, known] : studies_) out.sample(of_study(id), static_cast<double>(known.gates));

  const auto amounts = [&](std::string_view family, std::string_view help, auto amount, auto limit) {
    out.family(family, Type::gauge, help);
    for (const auto& [id, known] : studies_) {
      const kernel::Amount& used = amount(known.spending);
      out.sample(with(of_study(id), "part", "spent"), used.spent);
      out.sample(with(of_study(id), "part", "reserved"), used.reserved);
      if (const auto& most = limit(known.limits))
        out.sample(with(of_study(id), "part", "limit"), static_cast<double>(*most));
    }
  };
  using kernel::Budget, kernel::Spending;
  amounts(
      "etude_study_budget_runs", "Runs that count against the budget",
      [](const Spending& s) -> const auto& { return s.runs; }, [](const Budget& b) -> const auto& { return b.runs; });
  amounts(
      "etude_study_budget_wall_seconds", "Wall time of the study, as of its last event",
      [](const Spending& s) -> const auto& { return s.wall_s; },
      [](const Budget& b) -> const auto& { return b.wall_s; });
  amounts(
      "etude_study_budget_gpu_hours", "GPU hours of the study",
      [](const Spending& s) -> const auto& { return s.gpu_hours; },
      [](const Budget& b) -> const auto& { return b.gpu_hours; });
  amounts(
      "etude_study_budget_tokens", "Tokens of the study's model calls",
      [](const Spending& s) -> const auto& { return s.tokens; },
      [](const Budget& b) -> const auto& { return b.tokens; });
  amounts(
      "etude_study_budget_dollars", "Money for the study's model calls, in US dollars",
      [](const Spending& s) -> const auto& { return s.usd; }, [](const Budget& b) -> const auto& { return b.usd; });
}

void Meters::add_runs(Exposition& out) const {
  out.family("etude_runs_ended_total", Type::counter, "Runs that ended, by how");
  for (const auto& [state, count] : run_ends_)
    out.sample({{"state", std::string(name(state))}}, static_cast<double>(count));
  out.family("etude_run_duration_seconds", Type::histogram, "How long jobs ran");
  for (const auto& [state, histogram] : run_seconds_) out.sample({{"state", std::string(name(state))}}, histogram);
  out.family("etude_run_launch_seconds", Type::histogram, "From the intent to launch a run to its job's start");
  out.sample({}, launch_seconds_);
  out.family("etude_run_wait_seconds", Type::histogram, "How long runs waited before they were launched");
  out.sample({}, wait_seconds_);
}

void Meters::add_models(Exposition& out) const {
  out.family("etude_model_call_seconds", Type::histogram, "How long model calls took, without those in batches");
  for (const auto& [model, of] : models_)
    for (const auto& [answered, histogram] : of.seconds)
      out.sample({{"model", model}, {"outcome", answered ? "answered" : "failed"}}, histogram);
  out.family("etude_model_tokens_total", Type::counter, "Tokens that were charged");
  for (const auto& [model, of] : models_)
    for (const auto& [kind, tokens] :
         {std::pair("input", of.tokens.input), std::pair("output", of.tokens.output),
          std::pair("cache_read", of.tokens.cache_read), std::pair("cache_written", of.tokens.cache_written)})
      out.sample({{"model", model}, {"kind", kind}}, static_cast<double>(tokens));
  out.family("etude_model_dollars_total", Type::counter, "Money that was charged, in US dollars");
  for (const auto& [model, of] : models_) out.sample({{"model", model}}, of.usd);
}

void Meters::add_process(Exposition& out, const kernel::Delays& delays, const kernel::Machine& machine) const {
  out.family("etude_build_info", Type::gauge, "1; the label is the version");
  out.sample({{"version", ETUDE_VERSION}}, 1);
  out.family("etude_store_commit_seconds", Type::histogram, "How long commits of events took");
  for (const auto& [durable, histogram] : commit_seconds_)
    out.sample({{"durable", durable ? "true" : "false"}}, histogram);
  out.family("etude_events_total", Type::counter, "Events that were stored");
  out.sample({}, static_cast<double>(events_));
  out.family("etude_loop_wait_seconds", Type::gauge, "How long the last 1,024 messages waited for the kernel's thread");
  for (const auto& [share, ms] :
       {std::pair("0.5", delays.median_ms), std::pair("0.99", delays.p99_ms), std::pair("1", delays.worst_ms)})
    out.sample({{"quantile", share}}, ms / 1000.0);
  out.family("etude_machine_cpus", Type::gauge, "Processors that runs may get");
  out.sample({}, machine.cpus);
  out.family("etude_machine_gpus", Type::gauge, "Devices that runs may get");
  out.sample({}, static_cast<double>(machine.gpus.size()));

  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  out.family("process_cpu_seconds_total", Type::counter, "Processor time of this kernel");
  out.sample({}, of(used.ru_utime) + of(used.ru_stime));
  long pages = 0, resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident) {
    out.family("process_resident_memory_bytes", Type::gauge, "Memory of this kernel");
    out.sample({}, static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  }
}

std::string Meters::text(const kernel::Delays& delays, const kernel::Machine& machine) const {
  const std::lock_guard lock(mutex_);
  Exposition out;
  add_studies(out);
  add_runs(out);
  add_models(out);
  add_process(out, delays, machine);
  return out.take();
}

}  // namespace session
