// Studies whose units are blocks: what tests see of them, how they are sized, and which seeds they have.

#include "kernel/evidence/blocks.h"

#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/sizing/sizing.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/decide/simulated_study.h"
#include "tests/kernel/verdicts/judging.h"

using kernel::Cell;
using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::compare;
using synthetic::judge_one;
using synthetic::Runs;

namespace {

const std::vector<std::string> sets{"a", "b", "c", "d", "e", "f"};

kernel::StudySpec in_sets(int replicates = 3, std::vector<kernel::Factor> more = {}) {
  more.push_back(synthetic::factor("set", sets));
  kernel::StudySpec spec = synthetic::study(replicates, std::move(more));
  spec.design.blocks = {"set"};
  return spec;
}

/// In [0, 1), the same for Python's `x * 2654435761 % 2**32 / 2**32`.
double scrambled(std::uint64_t x) {
  return static_cast<double>(static_cast<std::uint32_t>(x * 2654435761U)) / 4294967296.0;
}

double value_of(std::uint64_t arm, std::uint64_t block, std::uint64_t seed) {
  const double b = static_cast<double>(block);
  return 10 + b * 3 + (arm ? 0.5 * b - 2.5 : 0) + scrambled(arm * 7919 + block * 104729 + seed * 1299709) * 2 - 1;
}

Runs three_seeds() {
  Runs runs;
  for (std::uint64_t block = 0; block < sets.size(); ++block)
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      for (const std::uint64_t arm : {1, 0})
        runs.add({{"arm", arm ? "t" : "c"}, {"set", sets[block]}}, seed, value_of(arm, block, seed));
  return runs;
}

}  // namespace

TEST_CASE("arms are compared within blocks, whose runs are averaged, as SciPy's ttest_rel over block means") {
  const HypothesisResult r = judge_one(in_sets(), compare(Direction::less), three_seeds());
  CHECK(*r.effect == Approx(-1.1610508466449871).epsilon(1e-12));
  CHECK(*r.p == Approx(0.012502039629411406).epsilon(1e-9));
  CHECK(*r.low == Approx(-1.9006647986750993).epsilon(1e-9));
  CHECK(*r.high == Approx(-0.4214368946148752).epsilon(1e-9));
  CHECK(*r.df == 5);
  CHECK(r.blocks == 6);
  CHECK(r.n == std::array<int, 2>{18, 18});
  CHECK(r.verdict == Verdict::supported);
  CHECK(*judge_one(in_sets(), compare(Direction::different), three_seeds()).p ==
        Approx(0.025004079258822812).epsilon(1e-9));
  // The runs as units would be six times as sure: 0.00015.
  auto runs = in_sets();
  runs.design.blocks.clear();
  CHECK(*judge_one(runs, compare(Direction::less), three_seeds()).p != Approx(*r.p));

  auto logs = in_sets();
  logs.metrics[0].scale = kernel::Scale::log;
  CHECK(*judge_one(logs, compare(Direction::less), three_seeds()).p == Approx(0.024109468884582857).epsilon(1e-9));
  Hypothesis ranks = compare(Direction::less);
  ranks.method = kernel::Method::rank;
  CHECK(*judge_one(in_sets(), ranks, three_seeds()).p == Approx(0.03125).epsilon(1e-12));
}

TEST_CASE("a block's line gives one slope, and a block's four cells one interaction") {
  auto spec = in_sets(3, {synthetic::factor("n", {"1", "2", "4"})});
  Runs lines;
  for (std::uint64_t block = 0; block < sets.size(); ++block)
    for (const std::uint64_t n : {1, 2, 4})
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        lines.add({{"arm", "t"}, {"n", std::to_string(n)}, {"set", sets[block]}}, seed,
                  (1 + 0.2 * static_cast<double>(block)) * static_cast<double>(n) +
                      scrambled(n * 7919 + block * 104729 + seed * 1299709));
  Hypothesis slope = synthetic::slope(Direction::greater, 1);
  slope.treatment = {{"arm", "t"}};
  const HypothesisResult line = judge_one(spec, slope, lines);
  CHECK(*line.effect == Approx(1.4928872750902047).epsilon(1e-9));
  CHECK(*line.p == Approx(0.011802233724371301).epsilon(1e-9));
  CHECK(*line.df == 5);

  spec = in_sets(3, {synthetic::factor("size", {"0", "1"})});
  Runs crossed;
  for (std::uint64_t block = 0; block < sets.size(); ++block)
    for (const std::uint64_t arm : {0, 1})
      for (const std::uint64_t size : {0, 1})
        for (std::uint64_t seed = 1; seed <= 3; ++seed)
          crossed.add({{"arm", arm ? "t" : "c"}, {"size", std::to_string(size)}, {"set", sets[block]}}, seed,
                      static_cast<double>(arm * size) * (1 + 0.3 * static_cast<double>(block)) +
                          2 * static_cast<double>(block) +
                          scrambled(arm * 7919 + size * 31337 + block * 104729 + seed * 1299709));
  Hypothesis both = compare(Direction::greater);
  both.kind = kernel::HypothesisKind::interaction;
  both.along = "size";
  both.steps = {"0", "1"};
  const HypothesisResult r = judge_one(spec, both, crossed);
  CHECK(*r.effect == Approx(1.75).epsilon(1e-9));
  CHECK(*r.p == Approx(0.00030608928459736434).epsilon(1e-7));
  CHECK(r.blocks == 6);
  // What is crossed beside the blocks is averaged within them, or tested setting by setting.
  Hypothesis every = compare(Direction::greater);
  every.over = kernel::Over::every;
  std::vector<kernel::RunValue> values = crossed.values();
  const kernel::Estimate e = kernel::estimate(spec, every, values);
  REQUIRE(e.tests.size() == 2);
  CHECK(*e.tests[1].df == 5);
  CHECK(e.n == std::array<int, 2>{36, 36});
}

TEST_CASE("a block is compared over the seeds that all its cells have") {
  auto spec = in_sets();
  Runs runs = three_seeds();
  // A control that another treatment wanted more of.
  for (const std::string& set : sets) runs.add({{"arm", "c"}, {"set", set}}, 9, 1000);
  const HypothesisResult r = judge_one(spec, compare(Direction::less), runs);
  CHECK(*r.effect == Approx(-1.1610508466449871).epsilon(1e-12));
  CHECK(r.n == std::array<int, 2>{18, 24});
}

TEST_CASE("a block in which a run failed has failed in that arm; runs are what max_failed counts") {
  auto spec = in_sets(10);
  Runs good, one, many;
  for (std::size_t block = 0; block < sets.size(); ++block)
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      for (const char* arm : {"t", "c"}) {
        const bool treatment = *arm == 't';
        const Cell cell{{"arm", arm}, {"set", sets[block]}};
        const double value = value_of(treatment, block, seed) - (treatment ? 20 : 0);
        const bool fails = treatment && block == 0 && seed == 1, more = treatment && block < 2 && seed <= 4;
        good.add(cell, seed, value);
        one.add(cell, seed, fails ? std::nullopt : std::optional(value), fails);
        many.add(cell, seed, more ? std::nullopt : std::optional(value), more);
      }
  const HypothesisResult all = judge_one(spec, compare(Direction::less), good);
  CHECK(all.verdict == Verdict::supported);
  const HypothesisResult r = judge_one(spec, compare(Direction::less), one);
  CHECK(r.failed == std::array<int, 2>{1, 0});
  CHECK(r.blocks == 5);
  CHECK(*r.df == 4);
  // The block that failed has the highest of six ranks against the hypothesis: 14 of 2^6 choices of signs are so bad.
  CHECK(*r.p > *all.p);
  CHECK(*r.p == Approx(14.0 / 64));
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(std::any_of(r.warnings.begin(), r.warnings.end(), [](const kernel::Reason& w) {
    return newest_words(w).find("1 of 60 treatment runs failed. Effect and interval are of the blocks without them") ==
           0;
  }));
  const HypothesisResult over = judge_one(spec, compare(Direction::less), many);
  CHECK(over.failed == std::array<int, 2>{8, 0});
  CHECK(newest_words(over.reason).find("8 of 60 treatment runs failed, more than `max_failed` (0.1) allows") !=
        std::string::npos);
}

TEST_CASE("a value that is no number is an obstacle in a block, too") {
  Runs runs = three_seeds();
  runs.add({{"arm", "t"}, {"set", "a"}}, 4, NAN);
  const HypothesisResult r = judge_one(in_sets(), compare(Direction::less), runs);
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(newest_words(r.reason).find("1 run has no finite value") != std::string::npos);
}

TEST_CASE("deterministic metrics vary between blocks, and are tested over them") {
  auto spec = in_sets(1);
  spec.metrics[0].deterministic = true;
  Runs runs, varied;
  for (std::size_t block = 0; block < sets.size(); ++block)
    for (const char* arm : {"t", "c"}) {
      const Cell cell{{"arm", arm}, {"set", sets[block]}};
      runs.add(cell, 1, value_of(*arm == 't', block, 1));
      varied.add(cell, 1, 1.0 + static_cast<double>(block));
      varied.add(cell, 2, 2.0 + static_cast<double>(block));
    }
  const HypothesisResult r = judge_one(spec, compare(Direction::less), runs);
  CHECK(r.p);
  CHECK(*r.df == 5);
  CHECK(r.n == std::array<int, 2>{6, 6});
  CHECK(
      newest_words(judge_one(spec, compare(Direction::less), varied).reason).find("varied between runs of one cell") !=
      std::string::npos);
}

TEST_CASE("blocks that go against the others are named") {
  const HypothesisResult r = judge_one(in_sets(), compare(Direction::less), three_seeds());
  const std::vector<std::string> warnings = kernel::newest_words(r.warnings);
  CHECK(std::count(warnings.begin(), warnings.end(),
                   "blocks differ in sign: in 1 of 6 the difference is above zero (set=f)") == 1);
}

TEST_CASE("replicates size a study in blocks as far as they can, and the plan says when blocks are too few") {
  auto spec = in_sets();
  spec.design.replicates_min = 2;
  spec.design.replicates_max = 40;
  // In standard deviations of what the arms differ by in a block, only blocks count.
  Hypothesis h = compare(Direction::less);
  h.smallest_effect = {kernel::SmallestEffect::Kind::sd, 1.5};
  CHECK_FALSE(kernel::needs_pilot(spec, h));
  const kernel::Size enough = kernel::size_of(spec, h, 1, {});
  CHECK(enough.record.replicates == 2);
  // SciPy: nct.sf(t.ppf(.95, 5), 5, 1.5 * sqrt(6)).
  CHECK(*enough.record.power == Approx(0.9309442885).epsilon(1e-6));
  h.smallest_effect.value = 1;
  const kernel::Size few = kernel::size_of(spec, h, 1, {});
  CHECK(few.record.replicates == 2);
  CHECK(*few.record.power == Approx(0.6769449516).epsilon(1e-6));
  REQUIRE(few.warnings.size() == 1);
  CHECK(newest_words(few.warnings[0]).find("more blocks are needed; more replicates in these blocks do not help") !=
        std::string::npos);

  // From a pilot: what varies inside blocks is averaged away, what varies between them is not.
  stats::Xoshiro random(11);
  const auto pilot = [&](double between, double within) {
    Runs runs;
    for (const std::string& set : sets) {
      const double block = between * random.normal();
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        runs.add({{"arm", "t"}, {"set", set}}, seed, 10 + block + within * random.normal());
        runs.add({{"arm", "c"}, {"set", set}}, seed, 10);
      }
    }
    return runs;
  };
  h.smallest_effect = {kernel::SmallestEffect::Kind::absolute, 1};
  CHECK(kernel::needs_pilot(spec, h));
  const Runs noisy = pilot(0.05, 1.5);
  const kernel::Size averaged = kernel::size_of(spec, h, 1, noisy.values());
  REQUIRE(averaged.wanted);
  CHECK(averaged.record.replicates > 2);
  CHECK(averaged.record.replicates == static_cast<int>(*averaged.wanted));
  CHECK(*averaged.record.power >= 0.8);
  CHECK(*kernel::achieved_power(spec, h, 1, noisy.values(), averaged.record.replicates - 1) < 0.8);
  const Runs apart = pilot(3, 0.1);
  const kernel::Size hopeless = kernel::size_of(spec, h, 1, apart.values());
  CHECK_FALSE(hopeless.wanted);
  CHECK(*hopeless.record.power < 0.5);
  CHECK(newest_words(hopeless.record.how).find("No number of replicates in 6 blocks is enough") == 0);
  CHECK(std::any_of(hopeless.warnings.begin(), hopeless.warnings.end(), [](const kernel::Reason& w) {
    return newest_words(w).find("more blocks are needed") != std::string::npos;
  }));
}

TEST_CASE("a test that so few blocks can never satisfy is refused, however many runs they have") {
  auto spec = in_sets(50);
  Hypothesis ranks = compare(Direction::less);
  ranks.method = kernel::Method::rank;
  CHECK_FALSE(kernel::size_of(spec, ranks, 1, {}).refused);
  // Nine are needed for twenty hypotheses.
  const kernel::Size size = kernel::size_of(spec, ranks, 20, {});
  CHECK(size.refused);
  CHECK(newest_words(size.record.how) == "6 blocks cannot give a verdict: its test needs at least 9 at level 0.0025.");
}

TEST_CASE("arms share the seeds of a block, and no two blocks share one, in runs and registration alike") {
  kernel::StudySpec spec = in_sets(4, {synthetic::factor("part", {"x", "y"})});
  spec.design.blocks = {"part", "set"};
  spec.title = "Blocks";
  spec.question = "Are they?";
  spec.hypotheses = {compare(Direction::less)};
  spec.hypotheses[0].statement = "It is.";
  CHECK(kernel::block_count(spec) == 12);
  simulated::Simulation simulation([](const kernel::Run& run, const Cell& cell, int) {
    return simulated::Outcome{(cell.at("arm") == "t" ? 1.0 : 2.0) + scrambled(run.seed * 3 + cell.at("arm")[0])};
  });
  const kernel::Study& study = simulation.conclude(spec);
  std::map<std::uint64_t, std::set<Cell>> cells_of_seed;
  for (const kernel::Run& run : study.runs) {
    const Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
    cells_of_seed[run.seed].insert(cell);
    const auto index = kernel::seed_index(spec.factors, spec.design.blocks, cell, run.replicate - 1);
    CHECK(study.experiments[0].registration.seeds.at(static_cast<std::size_t>(index)) == run.seed);
  }
  CHECK(cells_of_seed.size() == 48);
  for (const auto& [seed, cells] : cells_of_seed) {
    CHECK(cells.size() == 2);
    std::set<int> blocks;
    for (const Cell& cell : cells) blocks.insert(kernel::block_of(spec, cell));
    CHECK(blocks.size() == 1);
  }
  const HypothesisResult& r = *study.hypotheses[0].result;
  CHECK(r.verdict == Verdict::supported);
  CHECK(r.blocks == 12);
  CHECK(*r.df == 11);
}
