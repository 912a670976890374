// The control against itself, values derived from two runs, and what earlier studies found: over whole studies, the
// kernel's own decisions and events, with made-up measurements.

#include <algorithm>
#include <memory>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/evidence/derived_metrics.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/verdicts/controls.h"
#include "kernel/wording/wording.h"
#include "stats/basics/random.h"
#include "tests/kernel/decide/simulated_study.h"
#include "tests/kernel/inference/synthetic.h"

using kernel::Cell;
using kernel::Direction;
using kernel::Pairing;
using kernel::Purpose;
using kernel::Run;
using kernel::Study;
using kernel::Verdict;
using simulated::Outcome;
using simulated::Simulation;

namespace {

kernel::StudySpec sized(Pairing pairing = Pairing::seed) {
  kernel::StudySpec spec = synthetic::study();
  spec.design.replicates_min = 6;
  spec.design.replicates_max = 12;
  spec.design.pilot = 5;
  spec.design.pairing = pairing;
  spec.hypotheses = {synthetic::compare(Direction::less)};
  spec.hypotheses[0].statement = "It is less.";
  spec.hypotheses[0].smallest_effect = {kernel::SmallestEffect::Kind::absolute, 2};
  return spec;
}

/// What the seed lends to every run, and noise of its own.
Simulation noisy(double aa_shift = 0, double t_shift = -3) {
  auto random = std::make_shared<stats::Xoshiro>(3);
  return Simulation([random, aa_shift, t_shift](const Run& run, const Cell& cell, int) {
    const double seed = static_cast<double>(run.seed % 7);
    const double shift = run.purpose == Purpose::aa ? aa_shift : cell.at("arm") == "t" ? t_shift : 0;
    return Outcome{20 + seed + shift + 0.5 * random->normal()};
  });
}

std::vector<const Run*> of(const Study& study, Purpose purpose) {
  std::vector<const Run*> list;
  for (const Run& run : study.runs)
    if (run.purpose == purpose) list.push_back(&run);
  return list;
}

}  // namespace

TEST_CASE("some of the control's runs are made twice, between the others, and are no evidence") {
  for (const Pairing pairing : {Pairing::seed, Pairing::none}) {
    Simulation simulation = noisy();
    const Study& study = simulation.conclude(sized(pairing));
    const auto again = of(study, Purpose::aa), registered = of(study, Purpose::registered);
    REQUIRE(again.size() == 5);
    std::set<std::uint64_t> seeds, control_seeds;
    for (const Run* run : registered) {
      seeds.insert(run->seed);
      if (study.cells[static_cast<std::size_t>(run->cell)].at("arm") == "c") control_seeds.insert(run->seed);
    }
    for (const Run* run : again) {
      CHECK_FALSE(run->evidence());
      CHECK(run->experiment == "E01");
      CHECK(study.cells[static_cast<std::size_t>(run->cell)].at("arm") == "c");
      // Paired: the control's own seed, run again; else a seed that nothing else had.
      CHECK(control_seeds.contains(run->seed) == (pairing == Pairing::seed));
      if (pairing == Pairing::none) CHECK(seeds.insert(run->seed).second);
    }
    CHECK(again.front()->number < registered.back()->number);
    const kernel::HypothesisResult& result = *study.hypotheses[0].result;
    CHECK(result.verdict == Verdict::supported);
    CHECK(result.n[1] == static_cast<int>(control_seeds.size()));
    const kernel::AaResult& aa = *study.experiments[0].aa;
    CHECK(aa.n == 5);
    CHECK_FALSE(aa.differs);
    // Within a seed only the run's own noise is left.
    CHECK(*aa.noise < (pairing == Pairing::seed ? 1 : 4));
    CHECK(*aa.low < *aa.difference);
    CHECK(newest_words(kernel::aa_reason(study.spec, aa)).find("no difference shown, as it should be") !=
          std::string::npos);
  }
}

TEST_CASE("a control that differs from itself is said with every verdict") {
  Simulation simulation = noisy(4);
  const Study& study = simulation.conclude(sized());
  CHECK(study.experiments[0].aa->differs);
  const auto warnings = kernel::newest_words(study.hypotheses[0].result->warnings);
  CHECK(std::any_of(warnings.begin(), warnings.end(),
                    [](const std::string& w) { return w.find("more than chance explains") != std::string::npos; }));
}

TEST_CASE("a design that fixes its size has no control against itself") {
  kernel::StudySpec spec = sized();
  spec.design.replicates_max = 6;
  Simulation simulation = noisy();
  const Study& study = simulation.conclude(spec);
  CHECK(of(study, Purpose::aa).empty());
  CHECK_FALSE(study.experiments[0].aa);
}

TEST_CASE("runs that come out the same twice have no noise, and a constant shift is no chance") {
  for (const double shift : {0.0, 0.25}) {
    Simulation simulation([shift](const Run& run, const Cell& cell, int) {
      return Outcome{static_cast<double>(run.seed % 11) +
                     (cell.at("arm") == "t" ? -20 - static_cast<double>(run.seed % 3) : 0) +
                     (run.purpose == Purpose::aa ? shift : 0)};
    });
    const Study& study = simulation.conclude(sized());
    const kernel::AaResult& aa = *study.experiments[0].aa;
    CHECK(*aa.noise == 0);
    CHECK(aa.differs == (shift != 0));
    CHECK_FALSE(aa.p);
  }
}

TEST_CASE("a derived value is held against the run with its seed at the reference, which is run for it") {
  kernel::StudySpec spec = synthetic::study(6, {synthetic::factor("n", {"0", "1", "2"})});
  kernel::Metric loss;
  loss.name = "loss";
  loss.derived = kernel::Derived{"y", {{"n", "0"}}, false};
  spec.metrics.push_back(loss);
  spec.hypotheses = {synthetic::compare(Direction::greater)};
  spec.hypotheses[0].statement = "It loses more.";
  spec.hypotheses[0].metric = "loss";
  spec.hypotheses[0].where = {{"n", "2"}};
  int failures = 0;
  for (const bool failing : {false, true}) {
    stats::Xoshiro random(5);
    Simulation simulation([&](const Run& run, const Cell& cell, int) {
      if (failing && cell.at("n") == "0" && run.replicate == 2) return ++failures, Outcome{};
      const double level = cell.at("n") == "2" ? (cell.at("arm") == "t" ? 5 : 1) : 0;
      return Outcome{100 * static_cast<double>(run.seed % 13) + level + 0.1 * random.normal()};
    });
    const Study& study = simulation.conclude(spec);
    // Both arms at n = 2 and at the reference; n = 1 is nobody's.
    CHECK(study.experiments[0].registration.cells.size() == 4);
    CHECK(study.runs.size() == 24);
    const kernel::HypothesisResult& r = *study.hypotheses[0].result;
    // What a seed lends to every run is gone.
    CHECK(*r.effect == Approx(4).margin(0.3));
    if (!failing) {
      CHECK(r.verdict == Verdict::supported);
      CHECK(r.n == std::array<int, 2>{6, 6});
    } else {
      CHECK(r.failed == std::array<int, 2>{1, 1});
      CHECK(r.verdict == Verdict::inconclusive);
    }
    const kernel::RunValues values(study.spec, study);
    for (const Run& run : study.runs)
      if (study.cells[static_cast<std::size_t>(run.cell)].at("n") == "0" && run.state == kernel::RunState::succeeded)
        CHECK(values.of(run, spec.metrics[1])->value == 0);
  }
  CHECK(failures == 2);
}

TEST_CASE("an agent's proposal that repeats a dead end is stopped, unless it says what is different") {
  Study study;
  study.spec = synthetic::study();
  study.spec.agents = "models";
  kernel::Hypothesis h = synthetic::compare(Direction::less);
  h.by = "hypothesis";
  CHECK(kernel::repeats_dead_end(study, h).empty());
  const auto earlier = [&](const kernel::Hypothesis& tested, Verdict verdict) {
    study.predecessors = {{"s1", "H7", kernel::contrast_key(tested), verdict, "It was not so."}};
  };
  earlier(h, Verdict::refuted);
  const std::string why = kernel::newest_words(kernel::repeats_dead_end(study, h));
  CHECK(why.find("H7 of study s1") != std::string::npos);
  CHECK(why.find("It was not so.") != std::string::npos);
  // Which way it is asked makes no other question of it; other arms do.
  kernel::Hypothesis other_way = h;
  other_way.direction = Direction::greater;
  CHECK_FALSE(kernel::repeats_dead_end(study, other_way).empty());
  kernel::Hypothesis other = h;
  other.where = {{"n", "2"}};
  CHECK(kernel::repeats_dead_end(study, other).empty());
  kernel::Hypothesis told = h;
  told.difference = "the limit is lifted";
  CHECK(kernel::repeats_dead_end(study, told).empty());
  earlier(h, Verdict::supported);
  CHECK(kernel::repeats_dead_end(study, h).empty());
  earlier(h, Verdict::inconclusive);
  CHECK_FALSE(kernel::repeats_dead_end(study, h).empty());
  study.predecessors[0].other_code = true;
  CHECK(kernel::repeats_dead_end(study, h).empty());
  // What the study itself found is not forgotten.
  kernel::HypothesisRecord tried;
  tried.hypothesis = h;
  tried.hypothesis.id = "H3";
  study.hypotheses = {tried};
  CHECK(kernel::repeats_dead_end(study, other_way).empty());
  study.hypotheses[0].result.emplace();
  study.hypotheses[0].result->verdict = Verdict::refuted;
  study.hypotheses[0].result->reason = kernel::as_said("Nor was it here.");
  CHECK(kernel::newest_words(kernel::repeats_dead_end(study, other_way))
            .starts_with("H3 tested the same contrast in this study"));
  CHECK(kernel::repeats_dead_end(study, other).empty());
  CHECK(kernel::repeats_dead_end(study, told).empty());
  study.hypotheses[0].result->verdict = Verdict::supported;
  CHECK(kernel::repeats_dead_end(study, h).empty());
  study.hypotheses[0].result->verdict = Verdict::refuted;
  h.by = "person";
  CHECK(kernel::repeats_dead_end(study, h).empty());
}
