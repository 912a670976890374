#pragma once
// A study without a loop: the built-in agents' commands are decided and applied, and its runs end at once with values
// that a test makes up.

#include <functional>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "agents/builtin/builtin.h"
#include "kernel/decide/decide.h"
#include "kernel/loop/due.h"
#include "kernel/search/search.h"
#include "kernel/study/continuation.h"
#include "tests/fakes/fake_draw.h"
#include "tests/kernel/inference/synthetic.h"

namespace driver {

/// Of a run's cell and seed; none: it fails.
using Value = std::function<std::optional<double>(const kernel::Cell&, std::uint64_t seed, kernel::Purpose)>;

class Driver {
 public:
  /// `draws`: the number of the first random bits, which every decision takes.
  Driver(const kernel::StudySpec& spec, Value value, std::int64_t draws = 0) : value_(std::move(value)), draws_(draws) {
    kernel::StudyOpened opened;
    opened.id = "s1";
    opened.spec = spec;
    command({"s1", "person", kernel::OpenStudy{opened}});
  }

  const kernel::Study& study() const { return *state.study("s1"); }

  /// Until it has said all it will, or `enough`.
  const kernel::Study& run(const std::function<bool(const kernel::Study&)>& enough = {}) {
    for (int step = 0; step < 200 && study().phase() != kernel::Phase::packaging; ++step) {
      if (enough && enough(study())) break;
      if (!study().queue.empty()) {
        end_runs();
        continue;
      }
      for (const kernel::Effect& effect : kernel::next_effects(state, {}))
        if (const auto* ask = std::get_if<kernel::AskRole>(&effect))
          for (const kernel::Command& c : agents::builtin_turn(ask->role, study())) command(c);
    }
    return study();
  }

  void command(const kernel::Command& c) {
    const kernel::Decision decision = kernel::decide(state, c, {{}, fakes::draw(draws_++)});
    if (const std::string* why = kernel::why_not(decision.outcome)) throw std::runtime_error(*why);
    for (const kernel::Event& event : decision.events) tell(event);
  }

  /// Why it is refused; empty: it is not.
  std::string refusal(kernel::CommandBody body) const {
    const kernel::Decision decision =
        kernel::decide(state, {"s1", "agent", std::move(body)}, {{}, fakes::draw(draws_)});
    const std::string* why = kernel::why_not(decision.outcome);
    return why ? *why : "";
  }

  kernel::State state;
  std::vector<kernel::Event> log;
  Value second;  ///< Of the metric `z`; unless it is set, runs have none.

  void tell(const kernel::Event& event) {
    kernel::apply(state, event);
    log.push_back(event);
  }

  void end_runs() {
    while (!study().queue.empty()) {
      const int number = study().queue.front();
      tell({"s1", "kernel", {}, kernel::RunStarting{number, kernel::LaunchToken("token")}});
      const kernel::Run& run = *study().run(number);
      kernel::RunEnded ended;
      ended.run = number;
      const auto value = value_(study().cells[static_cast<std::size_t>(run.cell)], run.seed, run.purpose);
      ended.state = value ? kernel::RunState::succeeded : kernel::RunState::failed;
      if (value) ended.measurement.values["y"] = {*value, false, false};
      if (value && kernel::must_leave_files(study(), run))
        ended.kept = {{kernel::left_to_continue, "net.pt", std::string(64, 'a'), 1}};
      if (value && second)
        if (const auto z = second(study().cells[static_cast<std::size_t>(run.cell)], run.seed, run.purpose))
          ended.measurement.values["z"] = {*z, false, false};
      tell({"s1", "kernel", {}, std::move(ended)});
    }
  }

 private:
  Value value_;
  std::int64_t draws_;
};

inline kernel::Factor range(const std::string& name, double low, double high, bool log = false) {
  kernel::Factor factor;
  factor.name = name;
  factor.type = kernel::FactorType::number;
  factor.range = kernel::Range{low, high, log};
  return factor;
}

inline kernel::StudySpec search(kernel::StudyKind kind, std::vector<kernel::Factor> factors, int top = 1) {
  kernel::StudySpec spec = synthetic::study(2);
  spec.kind = kind;
  spec.factors = std::move(factors);
  spec.metrics[0].goal = kernel::Goal::minimize;
  spec.design.smoke = false;
  spec.design.replicates_min = 2;
  spec.design.replicates_max = 6;
  spec.design.confirm = kernel::Confirm{top, 6};
  return spec;
}

/// Checks that every rung and ranking in the log follows from what was before it, given what the model proposed and
/// expected. The number of rungs that the model proposed.
inline int checked_proposals(const std::vector<kernel::Event>& log) {
  kernel::State state;
  int proposed = 0;
  for (const kernel::Event& event : log) {
    const kernel::Study* before = state.study("s1");
    if (const auto* queued = std::get_if<kernel::RunsQueued>(&event.body);
        queued && queued->purpose == kernel::Purpose::search) {
      const kernel::Search& search = *before->search;
      std::vector<kernel::Cell> cells = queued->cells;
      for (kernel::Cell& cell : cells) cell.erase(search.plan.fidelity);
      if (search.plan.rungs[static_cast<std::size_t>(search.queued)].proposes) {
        ++proposed;
        CHECK(kernel::may_be_proposed(*before, cells));
        CHECK(kernel::next_rung(*before, &cells).runs.size() == queued->runs.size());
      }
      CHECK(kernel::next_rung(*before).cells == queued->cells);
    }
    if (const auto* ranked = std::get_if<kernel::RungRanked>(&event.body)) {
      const kernel::RungRanked again = kernel::rank_rung(*before, ranked);
      REQUIRE(again.candidates.size() == ranked->candidates.size());
      CHECK(again.thawed == ranked->thawed);
      for (std::size_t i = 0; i < again.candidates.size(); ++i) {
        const kernel::Candidate &one = again.candidates[i], &other = ranked->candidates[i];
        CHECK(one.cell == other.cell);
        CHECK(one.kept == other.kept);
        CHECK(one.estimate == other.estimate);
        CHECK(one.second_mean == other.second_mean);
        CHECK(one.second_estimate == other.second_estimate);
      }
    }
    kernel::apply(state, event);
  }
  return proposed;
}

/// A number that follows from all of it, as noise does.
inline double noise(const kernel::Cell& cell, std::uint64_t seed, std::uint64_t study) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ study * 0x9e3779b97f4a7c15;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (const auto& [factor, level] : cell)
    for (const char c : factor + "=" + level + ";") add(static_cast<unsigned char>(c));
  add(seed);
  return stats::Xoshiro(hash).normal();
}

}  // namespace driver
