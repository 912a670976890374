// The kernel at sizes that no test waits for: the real loop, decisions and store, over jobs that end at once.
//   bench_scale study HOME RUNS [STOP]   a study of RUNS runs to its verdict, or left in the middle after STOP of them
//   bench_scale open HOME                what a kernel does before it can decide: open the store, load what goes on
//   bench_scale finish HOME              ends what goes on
//   bench_scale studies HOME COUNT       a home of many studies that have ended, with eight hypotheses each
//   bench_scale judge                    50 hypotheses over 10,000 runs
//   bench_scale read STUDY.YAML          the study file, checked and resolved
//   bench_scale appends HOME             events in groups, and single transitions beside bare flushes of the same disk
// Each prints one line of JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "agents/builtin/builtin.h"
#include "kernel/decide/decide.h"
#include "kernel/loop/loop.h"
#include "kernel/study/ledger.h"
#include "kernel/verdicts/reading.h"
#include "memory/files/blobs.h"
#include "memory/files/file.h"
#include "memory/store/store.h"
#include "studyfile/load.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_draw.h"
#include "tests/kernel/verdicts/judging.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of this process: what a shared machine does not stretch.
double cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double megabytes(const char* what = "VmHWM:") {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return std::strtod(line.c_str() + 6, nullptr) * 1024 / 1e6;
  return 0;
}

constexpr int levels = 50, cells = 2 * levels, jobs = 16;

kernel::StudySpec spec_of(int runs) {
  kernel::StudySpec spec;
  spec.title = "Sorting";
  spec.question = "Which algorithm is faster?";
  kernel::Factor algorithm, n;
  algorithm.name = "algorithm";
  for (const char* level : {"bubble", "quick"}) algorithm.levels.push_back({level, {level, std::nullopt}, {}});
  n.name = "n";
  n.type = kernel::FactorType::integer;
  for (int i = 1; i <= levels; ++i) {
    const std::string text = std::to_string(100 * i);
    n.levels.push_back({text, {text, 100.0 * i}, {}});
  }
  spec.factors = {algorithm, n};
  kernel::Metric time, comparisons;
  time.name = "time_ms";
  time.unit = "ms";
  time.primary = true;
  comparisons.name = "comparisons";
  spec.metrics = {time, comparisons};
  spec.run.words = {"sort --algorithm {algorithm} --n {n} --seed {seed}"};
  kernel::Hypothesis h;
  h.id = "H1";
  h.statement = "Quicksort is faster than bubble sort.";
  h.metric = "time_ms";
  h.treatment = {{"algorithm", "quick"}};
  h.control = {{"algorithm", "bubble"}};
  h.direction = kernel::Direction::less;
  spec.hypotheses = {h};
  spec.design.replicates_min = spec.design.replicates_max = std::max(3, runs / cells);
  spec.design.smoke = false;
  return spec;
}

/// What a run of the example leaves: two metrics, a log, nothing else.
kernel::ReportEnd end_of(const std::string& id, const kernel::LaunchToken& token, std::uint64_t seed,
                         const kernel::BlobRef& metrics, const kernel::BlobRef& log) {
  kernel::ReportEnd end;
  end.run = kernel::run_number(id);
  end.outcome.run = id;
  end.outcome.token = token;
  end.outcome.started_ms = 1'700'000'000'000;
  end.outcome.ended_ms = 1'700'000'000'020;
  end.outcome.sandboxed = true;
  end.outcome.usage = {0.011, 0.0204, 9'000'000 + static_cast<std::int64_t>(seed % 4096), 1'200'000, 4096};
  end.measurement.points = 2;
  end.measurement.values["time_ms"] = {1 + static_cast<double>(seed % 1009) / 1e4, false, false};
  end.measurement.values["comparisons"] = {static_cast<double>(seed % 10007), false, false};
  end.measurement.metrics = metrics;
  end.out_log = log;
  end.output_digest = log.sha256;
  return end;
}

/// Every job ends at once.
class InstantExecutor : public kernel::Executor {
 public:
  InstantExecutor(kernel::Inbox& inbox, memory::Blobs& blobs)
      : inbox_(inbox), metrics_(blobs.put("{\"name\":\"time_ms\",\"value\":1}\n")), log_(blobs.put("hello\n")) {}
  void start(const kernel::JobSpec& job) override {
    const std::string study = kernel::run_study(job.run);
    inbox_.post(kernel::Command{study, "kernel", kernel::ReportStart{kernel::run_number(job.run), job.token}});
    inbox_.post(kernel::Command{study, "kernel", end_of(job.run, job.token, job.seed, metrics_, log_)});
  }
  void adopt(const kernel::JobSpec& job) override { start(job); }
  void cancel(const std::string&) override {}

 private:
  kernel::Inbox& inbox_;
  const kernel::BlobRef metrics_, log_;
};

struct Silent : kernel::Observer {
  void committed(const kernel::Event&, const kernel::State&) override { ++events; }
  void refused(const kernel::Command&, const std::string& reason) override {
    std::fprintf(stderr, "refused: %s\n", reason.c_str());
    std::exit(1);
  }
  long long events = 0;
};

std::string token() {
  static long long count = 0;
  return fmt::format("{:032x}", ++count * 2654435761);
}

kernel::StudyOpened opening(const std::string& id, int runs) {
  kernel::StudyOpened opened;
  opened.id = id;
  opened.spec = spec_of(runs);
  opened.jobs = jobs;
  opened.boot_id = "boot-1";
  return opened;
}

nlohmann::json run_study(const std::string& home, int runs, std::int64_t stop) {
  memory::Store store(home);
  memory::Blobs blobs(home + "/blobs");
  kernel::Inbox inbox;
  InstantExecutor executor(inbox, blobs);
  fakes::FakeClock clock;
  Silent watcher;
  const std::string id = "s" + std::to_string(store.next_study_number());
  kernel::Loop loop({store,
                     executor,
                     clock,
                     watcher,
                     inbox,
                     {home + "/runs", home + "/workspaces", home + "/kept"},
                     {},
                     agents::builtin_turn,
                     [&](const kernel::Study& study) {
                       inbox.post(
                           kernel::Command{study.id, "kernel",
                                           kernel::ReportPackage{"/ara", "/ara/report.html", store.head(study.id)}});
                     },
                     token,
                     [draws = 0]() mutable { return fakes::draw(++draws); }});
  inbox.post(kernel::Command{id, "person", kernel::OpenStudy{opening(id, runs)}});
  // When each tenth of the runs had ended.
  std::vector<double> tenths, tenths_cpu, tenths_mb;
  const double cpu = cpu_seconds();
  const auto start = Clock::now();
  loop.run([&](const kernel::State& state) {
    const kernel::Study* study = state.study(id);
    if (!study) return false;
    const auto total = static_cast<std::int64_t>(study->runs.size());
    while (total > 0 && kernel::spent(*study).runs * 10 >= total * static_cast<std::int64_t>(tenths.size())) {
      tenths.push_back(seconds_since(start));
      tenths_cpu.push_back(cpu_seconds());
      tenths_mb.push_back(std::round(megabytes("VmRSS:")));
    }
    return study->state != kernel::StudyState::running || (stop > 0 && kernel::spent(*study).runs >= stop);
  });
  const double took = seconds_since(start);
  const kernel::Study& study = *loop.state().study(id);
  const double tenth = static_cast<double>(study.runs.size()) / 10;
  const auto steps = [&](const std::vector<double>& at) {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t i = 1; i < at.size() && i <= 10; ++i)
      list.push_back(std::round((at[i] - at[i - 1]) / tenth * 1e6));
    return list;
  };
  return {{"study", id},
          {"runs", kernel::spent(study).runs},
          {"events", watcher.events},
          {"seconds", took},
          {"us_per_run", took / static_cast<double>(kernel::spent(study).runs) * 1e6},
          {"cpu_us_per_run", (cpu_seconds() - cpu) / static_cast<double>(kernel::spent(study).runs) * 1e6},
          {"tenths_us_per_run", steps(tenths)},
          {"tenths_mb", tenths_mb},
          {"tenths_cpu_us_per_run", steps(tenths_cpu)},
          {"peak_mb", megabytes()}};
}

/// Ends every study that goes on, as a person who cancels would.
nlohmann::json finish(const std::string& home) {
  memory::Store store(home);
  kernel::State state = store.load_active();
  fakes::FakeClock clock;
  std::vector<kernel::Event> events;
  for (auto& [id, study] : state.studies)
    events.push_back({id, "person", clock.now(), kernel::StudyEnded{kernel::StudyOutcome::cancelled, {}}});
  for (const kernel::Event& event : events) kernel::apply(state, event);
  store.append(events, state);
  return {{"ended", events.size()}};
}

/// Costs, times and words differ from study to study.
std::vector<kernel::Event> ended_study(int number) {
  const std::string id = fmt::format("s{}", number);
  std::int64_t ms = 1'700'000'000'000 + 100'000LL * number;
  std::vector<kernel::Event> events;
  const auto tell = [&](kernel::EventBody body) {
    ms += 10 + number * 7919LL % 9973;
    events.push_back({id, "person", {ms, ms}, std::move(body)});
  };
  kernel::StudyOpened opened = opening(id, 3 * cells);
  opened.spec.title = fmt::format("Sorting, part {}", number * 7919 % 10'007);
  opened.spec.question =
      fmt::format("Which algorithm is the faster one on input of kind{}, and by how much?", number % 97);
  kernel::Hypothesis h = opened.spec.hypotheses.front();
  tell(std::move(opened));
  for (int i = 1; i <= 8; ++i) {
    h.id = kernel::HypothesisId(fmt::format("H{}", i));
    h.where = {{"n", std::to_string(100 * i)}};
    tell(kernel::HypothesisProposed{h, 1, false});
  }
  tell(kernel::StudyEnded{kernel::StudyOutcome::cancelled, {}});
  return events;
}

nlohmann::json many_studies(const std::string& home, int count) {
  memory::Store store(home);
  constexpr int at_once = 100;
  for (int first = 1; first <= count; first += at_once) {
    kernel::State state;
    std::vector<kernel::Event> events;
    for (int number = first; number < std::min(count + 1, first + at_once); ++number)
      for (kernel::Event& event : ended_study(number)) {
        kernel::apply(state, event);
        events.push_back(std::move(event));
      }
    store.append(events, state);
  }
  for (int number = 1; number <= count; number += 10)
    store.tag(fmt::format("s{}", number), {{"tenth", fmt::format("tag{}", number % 7)}, {}, number % 20 == 1}, number);
  return {{"studies", count}};
}

nlohmann::json open_home(const std::string& home) {
  const auto start = Clock::now();
  const double cpu = cpu_seconds();
  memory::Store store(home);
  const kernel::State state = store.load_active();
  const double took = seconds_since(start), used = cpu_seconds() - cpu;
  std::size_t runs = 0;
  for (const auto& [id, study] : state.studies) runs += study.runs.size();
  return {{"seconds", took},
          {"cpu_seconds", used},
          {"active", state.studies.size()},
          {"runs", runs},
          {"peak_mb", megabytes()}};
}

/// Commands decided, applied and appended; events so far.
struct Direct {
  explicit Direct(const std::string& home) : store(home) {}
  std::vector<kernel::Event> decide(const kernel::Command& command) {
    auto decision = kernel::decide(state, command, {clock.now(), fakes::draw(clock.now().boot_ms)});
    if (const std::string* why = kernel::why_not(decision.outcome)) throw std::runtime_error(*why);
    for (const kernel::Event& event : decision.events) kernel::apply(state, event);
    return std::move(decision.events);
  }
  memory::Store store;
  kernel::State state;
  fakes::FakeClock clock;
};

nlohmann::json measure_appends(const std::string& home) {
  Direct direct(home);
  const std::string id = "s" + std::to_string(direct.store.next_study_number());
  std::vector<kernel::Event> events = direct.decide({id, "person", kernel::OpenStudy{opening(id, 30'000)}});
  const auto more = [&](const kernel::Command& command) {
    for (kernel::Event& event : direct.decide(command)) events.push_back(std::move(event));
  };
  for (int asked = 0; direct.state.study(id)->runs.empty() && asked < 20; ++asked)
    for (const kernel::Effect& effect : kernel::next_effects(direct.state, direct.clock.now()))
      if (const auto* ask = std::get_if<kernel::AskRole>(&effect))
        for (const kernel::Command& command : agents::builtin_turn(ask->role, *direct.state.study(id))) more(command);
  direct.store.append(std::exchange(events, {}), direct.state);

  const kernel::BlobRef blob{std::string(64, 'a'), 30};
  const auto live = [&] {
    const kernel::LaunchToken mark(token());
    const int number = direct.state.study(id)->queue.front();
    more({id, "kernel", kernel::StartRun{number, mark}});
    more({id, "kernel", kernel::ReportStart{number, mark}});
    more({id, "kernel",
          end_of(direct.state.study(id)->run_id(number), mark, static_cast<std::uint64_t>(number) * 7919, blob, blob)});
  };

  std::vector<double> bare, single, surplus;
  const memory::Fd fd(::open((home + "/bare").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string page(8192, 'x');
  for (int i = 0; i < 500; ++i) {
    auto start = Clock::now();
    memory::write_all(fd.get(), page, "bare");
    if (::fdatasync(fd.get()) != 0) throw std::runtime_error("no flush");
    bare.push_back(seconds_since(start) * 1e3);
    const int number = direct.state.study(id)->queue.front();
    start = Clock::now();
    more({id, "kernel", kernel::StartRun{number, kernel::LaunchToken(token())}});
    direct.store.append(std::exchange(events, {}), direct.state);
    single.push_back(seconds_since(start) * 1e3);
    surplus.push_back(single.back() - bare.back());
  }
  ::unlink((home + "/bare").c_str());

  nlohmann::json grouped = nlohmann::json::object(), of_cpu = nlohmann::json::object();
  for (const std::size_t size : {30UL, 150UL, 600UL}) {
    long long count = 0;
    const auto start = Clock::now();
    const double cpu = cpu_seconds();
    while (count < 24'000 && direct.state.study(id)->queue.size() > 300) {
      while (events.size() < size) live();
      count += static_cast<long long>(events.size());
      direct.store.append(std::exchange(events, {}), direct.state);
    }
    grouped[std::to_string(size)] = std::round(static_cast<double>(count) / seconds_since(start));
    of_cpu[std::to_string(size)] = std::round(static_cast<double>(count) / (cpu_seconds() - cpu));
  }
  return {{"bare_flush_ms", median(bare)},
          {"transition_ms", median(single)},
          {"transition_above_flush_ms", median(surplus)},
          {"events_per_s_in_groups_of", grouped},
          {"events_per_cpu_s_in_groups_of", of_cpu}};
}

/// Estimates, verdicts and the reading of each result.
nlohmann::json judge() {
  synthetic::Load load = synthetic::load(100);
  load.spec.design.reading = true;
  kernel::StudyTerms terms;
  terms.spec = load.spec;
  std::vector<double> took;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    std::vector<kernel::Estimate> estimates;
    for (std::size_t i = 0; i < load.batch.size(); ++i)
      estimates.push_back(kernel::estimate(load.spec, load.batch[i], load.values[i]));
    const kernel::TestedBatch batch(load.spec, load.batch, 50, estimates);
    const std::vector<kernel::HypothesisResult> results = batch.results();
    for (std::size_t i = 0; i < results.size(); ++i)
      if (kernel::reading_of(terms, {}, load.batch[i], estimates[i], results[i], load.values[i],
                             [&](const kernel::Estimate& e) { return batch.verdict_with(i, e); })
              .runs[0] == 0)
        throw std::runtime_error("not judged");
    took.push_back(seconds_since(start));
  }
  return {{"seconds", median(took)}};
}

nlohmann::json read_study(const std::string& path) {
  std::vector<double> took;
  for (int round = 0; round < 50; ++round) {
    const auto start = Clock::now();
    if (!studyfile::read(path)) throw std::runtime_error("no study file: " + path);
    took.push_back(seconds_since(start));
  }
  return {{"seconds", median(took)}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 3 && words[0] == "study")
    fmt::print("{}\n", run_study(words[1], std::stoi(words[2]), words.size() > 3 ? std::stoi(words[3]) : 0).dump());
  else if (words.size() == 2 && words[0] == "open")
    fmt::print("{}\n", open_home(words[1]).dump());
  else if (words.size() == 2 && words[0] == "finish")
    fmt::print("{}\n", finish(words[1]).dump());
  else if (words.size() == 3 && words[0] == "studies")
    fmt::print("{}\n", many_studies(words[1], std::stoi(words[2])).dump());
  else if (words.size() == 1 && words[0] == "judge")
    fmt::print("{}\n", judge().dump());
  else if (words.size() == 2 && words[0] == "read")
    fmt::print("{}\n", read_study(words[1]).dump());
  else if (words.size() == 2 && words[0] == "appends")
    fmt::print("{}\n", measure_appends(words[1]).dump());
  else
    return 2;
  return 0;
}
