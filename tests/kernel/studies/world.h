#pragma once
// A whole kernel in memory: fake store, executor and clock around the real loop and the built-in agents.

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "agents/builtin/builtin.h"
#include "kernel/loop/loop.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_draw.h"
#include "tests/fakes/fake_executor.h"

/// A study file's worth of sorting: algorithm × n, one metric, hypotheses as given.
inline kernel::StudySpec small_spec(std::vector<kernel::Hypothesis> hypotheses = {}) {
  kernel::StudySpec spec;
  spec.title = "Sorting";
  spec.question = "Which algorithm is faster?";
  kernel::Factor algorithm;
  algorithm.name = "algorithm";
  for (const char* level : {"bubble", "quick"}) algorithm.levels.push_back({level, {level, std::nullopt}, {}});
  algorithm.baseline = "bubble";
  kernel::Factor n;
  n.name = "n";
  n.type = kernel::FactorType::integer;
  for (const double level : {100.0, 200.0}) {
    const std::string text = std::to_string(static_cast<int>(level));
    n.levels.push_back({text, {text, level}, {}});
  }
  spec.factors = {algorithm, n};
  kernel::Metric time;
  time.name = "time_ms";
  time.unit = "ms";
  time.primary = true;
  spec.metrics = {time};
  spec.run.words = {"sort --algorithm {algorithm} --n {n} --seed {seed}"};
  spec.hypotheses = std::move(hypotheses);
  spec.design.replicates_min = spec.design.replicates_max = 6;
  return spec;
}

inline kernel::Hypothesis quick_is_faster() {
  kernel::Hypothesis h;
  h.id = "H1";
  h.statement = "Quicksort is faster than bubble sort.";
  h.mechanism = "fewer comparisons";
  h.metric = "time_ms";
  h.treatment = {{"algorithm", "quick"}};
  h.control = {{"algorithm", "bubble"}};
  h.direction = kernel::Direction::less;
  return h;
}

struct World : kernel::EventStore, kernel::Observer {
  explicit World(fakes::FakeExecutor::Job job) : executor(inbox, std::move(job)) {}

  void append(const std::vector<kernel::Event>& events, const kernel::State&) override {
    ++commits;
    if (commits == fail_at_commit) throw std::runtime_error("the disk is gone");
    log.insert(log.end(), events.begin(), events.end());
  }
  void replay(const std::string& study, const std::function<void(const kernel::Event&)>& fn) override {
    for (const kernel::Event& e : log)
      if (e.study == study) fn(e);
  }
  void committed(const kernel::Event&, const kernel::State&) override {}
  void refused(const kernel::Command&, const std::string& reason) override { refusals.push_back(reason); }

  kernel::LoopParts parts() {
    return {
        *this,
        executor,
        clock,
        *this,
        inbox,
        {"/runs", "/workspaces", "/kept"},
        machine,
        agents::builtin_turn,
        [this](const kernel::Study& study) {
          inbox.post(kernel::Command{study.id, "kernel", kernel::ReportPackage{"/ara", "/ara/report.html", "head"}});
        },
        [this] { return "token-" + std::to_string(++tokens); },
        [this] { return fakes::draw(++draws); }};
  }

  void open(const kernel::StudySpec& spec, int jobs = 2, const std::string& id = "s1") {
    kernel::StudyOpened opened;
    opened.id = id;
    opened.spec = spec;
    opened.jobs = jobs;
    opened.boot_id = clock.boot;
    inbox.post(kernel::Command{id, "person", kernel::OpenStudy{opened}});
  }

  static bool at_rest(const kernel::State& state) {
    const kernel::Study* study = state.study("s1");
    return study && study->at_rest();
  }

  /// What a kernel that comes after another does first: the study as its log has it, and on.
  void take_up(const kernel::Budget& raised = {}) {
    inbox.post(
        kernel::ContinueStudy{*replayed().study("s1"), {"s1", "person", kernel::Resume{clock.boot, 0, raised}}, {}});
  }

  /// The same, on a loop that may have the study at rest, until it rests again.
  void go_on(kernel::Loop& loop, const kernel::Budget& raised = {}) {
    bool taken = false;
    inbox.post(kernel::ContinueStudy{*replayed().study("s1"),
                                     {"s1", "person", kernel::Resume{clock.boot, 0, raised}},
                                     [&](const kernel::CommandOutcome&) { taken = true; }});
    loop.run([&](const kernel::State&) { return taken; });
    loop.run(at_rest);
  }

  /// A person's word; what is said to it goes to `answers`, an empty text for what was done.
  void say(kernel::CommandBody body) {
    inbox.post(kernel::CommandRequest{{"s1", "person", std::move(body)}, [this](const kernel::CommandOutcome& outcome) {
                                        const std::string* why = kernel::why_not(outcome);
                                        answers.push_back(why ? *why : "");
                                      }});
  }

  kernel::State replayed() const {
    kernel::State state;
    for (const kernel::Event& e : log) kernel::apply(state, e);
    return state;
  }

  kernel::Inbox inbox;
  fakes::FakeExecutor executor;
  fakes::FakeClock clock;
  std::vector<kernel::Event> log;
  std::vector<std::string> refusals, answers;
  kernel::Machine machine;
  int tokens = 0, draws = 0, commits = 0, fail_at_commit = 0;
};

inline double noise(const kernel::JobSpec& job, double scale) {
  return scale * (static_cast<double>((job.seed * 2654435761u +
                                       std::hash<std::string>{}(job.values.at("algorithm") + job.values.at("n"))) %
                                      1000) /
                      1000.0 -
                  0.5);
}

/// Bubble sort takes n², quicksort n.
inline kernel::ReportEnd honest(const kernel::JobSpec& job) {
  const double n = std::stod(job.values.at("n"));
  const double cost = job.values.at("algorithm") == "bubble" ? n * n / 1000 : n / 100;
  return fakes::FakeExecutor::succeeded({{"time_ms", cost + noise(job, 0.5)}});
}

/// The study once it rests; nothing may have been refused.
inline kernel::Study finished(World& world) {
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  REQUIRE(world.refusals.empty());
  return *loop.state().study("s1");
}

inline int count(const kernel::Study& study, kernel::Purpose purpose) {
  return static_cast<int>(std::count_if(study.runs.begin(), study.runs.end(),
                                        [&](const kernel::Run& run) { return run.purpose == purpose; }));
}
