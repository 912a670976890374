// Successive halving ranked by all runs: what counts, which candidates join at the end, and how often the best of few
// is found. Rates are simulated with fixed seeds.

#include "kernel/search/race.h"

#include <cmath>
#include <map>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernel/search/model_search.h"
#include "kernel/search/search_space.h"
#include "tests/kernel/search/search_driver.h"
#include "tests/rounds.h"

namespace races {

using driver::Driver;
using kernel::Cell;
using kernel::Purpose;

namespace {

constexpr int candidates = 9, nights = tests::rounds(1000);

/// A factor with a baseline and nine other levels, which are names: each is near each other.
kernel::StudySpec levels() {
  std::vector<std::string> names = {"base"};
  for (int i = 1; i <= candidates; ++i) names.push_back("level" + std::to_string(i));
  kernel::Factor factor = synthetic::factor("method", names);
  factor.baseline = "base";
  kernel::StudySpec spec = driver::search(kernel::StudyKind::optimize, {std::move(factor)});
  spec.design.replicates_min = 3;
  spec.design.replicates_max = 9;
  return spec;
}

/// Lower is better; the baseline is in the middle.
double truth(const std::string& level, std::uint64_t night) {
  return level == "base" ? 0 : driver::noise({{"method", level}}, 0, night);
}

std::string best_of(std::uint64_t night) {
  std::string best;
  for (int i = 1; i <= candidates; ++i) {
    std::string level = "level" + std::to_string(i);
    if (best.empty() || truth(level, night) < truth(best, night)) best = std::move(level);
  }
  return best;
}

/// Noise of one run has the standard deviation 1, what a seed adds to every candidate `shared`.
double measured(const Cell& cell, std::uint64_t seed, std::uint64_t night, double shared) {
  return truth(cell.at("method"), night) + driver::noise(cell, seed, night) + shared * driver::noise({}, seed, night);
}

struct Found {
  double right = 0, regret = 0;
  int runs = 0;  ///< Of one night.

  void add(const std::string& chosen, std::uint64_t night) {
    const std::string best = best_of(night);
    right += (chosen == best ? 1.0 : 0.0) / nights;
    regret += (truth(chosen, night) - truth(best, night)) / nights;
  }
};

/// What a search takes into the confirmation; with `earlier`, as earlier programs searched.
Found by_search(double shared, bool earlier) {
  Found found;
  for (std::uint64_t night = 1; night <= static_cast<std::uint64_t>(nights); ++night) {
    kernel::StudySpec spec = levels();
    spec.seed = night;
    Driver d(spec, [&](const Cell& cell, std::uint64_t seed, Purpose) { return measured(cell, seed, night, shared); });
    d.run([](const kernel::Study& study) { return study.search.has_value(); });
    if (earlier) d.state.study("s1")->search->plan.rule.code = kernel::ReasonCode::rule_of_halving;
    const kernel::Study& study = d.run([](const kernel::Study& s) { return s.search && s.search->done(); });
    found.runs = static_cast<int>(study.runs.size());
    found.add(kernel::best_kept(study.search->ranked.back())->cell.at("method"), night);
  }
  return found;
}

/// As many runs for each candidate and the baseline.
Found by_equal_numbers(double shared, int each) {
  Found found;
  found.runs = each * (candidates + 1);
  for (std::uint64_t night = 1; night <= static_cast<std::uint64_t>(nights); ++night) {
    std::string chosen;
    double least = INFINITY;
    for (int i = 1; i <= candidates; ++i) {
      const std::string level = "level" + std::to_string(i);
      double sum = 0;
      for (int run = 0; run < each; ++run)
        sum += measured({{"method", level}}, 1000 + static_cast<std::uint64_t>(run), night, shared);
      if (sum < least) {
        least = sum;
        chosen = level;
      }
    }
    found.add(chosen, night);
  }
  return found;
}

/// Of three cells on two seeds; a late one only on the second, with the baseline.
std::vector<kernel::CellOutcome> with_a_late_one() {
  const auto cell = [](const char* level) { return Cell{{"method", level}}; };
  return {{cell("base"), 1, 0.0},   {cell("level1"), 1, -1.0}, {cell("level2"), 1, -0.5},
          {cell("base"), 2, 100.0}, {cell("level1"), 2, 99.0}, {cell("level3"), 2, 98.0}};
}

std::vector<kernel::Candidate> candidates_of(const std::vector<const char*>& names) {
  std::vector<kernel::Candidate> list;
  for (const char* name : names) list.emplace_back().cell = {{"method", name}};
  return list;
}

}  // namespace

TEST_CASE("a candidate that joins late is compared on common seeds, and the means are those of the newest rung") {
  const kernel::StudySpec spec = levels();
  const std::vector<kernel::CellOutcome> all = with_a_late_one(), newest(all.begin() + 3, all.end());
  const auto ranked =
      kernel::by_all_runs(spec, spec.metrics[0], candidates_of({"base", "level1", "level3"}), all, newest);
  CHECK(ranked[0].cell.at("method") == "level3");
  CHECK(std::abs(*ranked[0].mean - 98) < 1e-9);
  CHECK(std::abs(*ranked[1].mean - 99) < 1e-9);
  CHECK(std::abs(*ranked[2].mean - 100) < 1e-9);
  CHECK(ranked[0].n == 1);
  CHECK(ranked[1].n == 2);
}

TEST_CASE("without common seeds the means are plain, and failed runs count as the worst value in both cases") {
  kernel::StudySpec spec = levels();
  std::vector<kernel::CellOutcome> all = with_a_late_one();
  all.push_back({{{"method", "level3"}}, 3, std::nullopt});
  all.push_back({{{"method", "base"}}, 3, 90.0});
  const auto paired = kernel::by_all_runs(spec, spec.metrics[0], candidates_of({"level1", "level3"}), all, all);
  CHECK(paired[0].cell.at("method") == "level1");
  CHECK(paired[1].failed == 1);
  spec.design.pairing = kernel::Pairing::none;
  const auto plain = kernel::by_all_runs(spec, spec.metrics[0], candidates_of({"level1", "level3"}), all, all);
  CHECK(*plain[0].mean == 49);
  CHECK(*plain[1].mean == 99);
}

TEST_CASE("a failure of one candidate changes nothing between others, and one that only fails now is last") {
  const kernel::StudySpec spec = levels();
  const auto outcomes = [](const char* failing) {
    std::vector<kernel::CellOutcome> all;
    const std::map<std::string, double> truth = {{"base", 2}, {"k1", 1}, {"k2", 1.1}, {"k3", 1.2}, {"late", 1.5}};
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      for (const auto& [level, value] : truth)
        if (level != "late" || seed > 1)
          all.push_back(
              {{{"method", level}}, seed, seed == 3 && level == failing ? std::nullopt : std::optional(value)});
      if (seed == 1) all.push_back({{{"method", "diverged"}}, seed, 100.0});
    }
    return all;
  };
  for (const std::string failing : {"k3", "base", ""}) {
    INFO(failing);
    const auto all = outcomes(failing.c_str()), newest = std::vector(all.begin() + 5, all.end());
    const auto ranked =
        kernel::by_all_runs(spec, spec.metrics[0], candidates_of({"late", "base", "k3", "k2", "k1"}), all, newest);
    CHECK(ranked[0].cell.at("method") == "k1");
    CHECK(std::abs(*ranked[0].mean - 1) < 1e-9);
    CHECK(ranked[1].cell.at("method") == "k2");
    if (failing.empty()) {
      CHECK(ranked[3].cell.at("method") == "late");
      CHECK(std::abs(*ranked[3].mean - 1.5) < 1e-9);
    } else {
      CHECK(ranked.back().cell.at("method") == failing);
    }
  }

  std::vector<kernel::CellOutcome> all = outcomes("");
  for (kernel::CellOutcome& o : all)
    if (o.seed > 1 && o.cell.at("method") == "k1") o.value.reset();
  const std::vector newest(all.begin() + 5, all.end());
  const auto ranked = kernel::by_all_runs(spec, spec.metrics[0], candidates_of({"k1", "k2", "late"}), all, newest);
  CHECK(ranked[0].cell.at("method") == "k2");
  CHECK_FALSE(ranked[2].mean);
}

TEST_CASE("where nothing near the best is new, the best of those dropped join, and all their runs count") {
  Driver d(levels(), [](const Cell& cell, std::uint64_t seed, Purpose) { return measured(cell, seed, 3, 1); });
  const kernel::Study& study = d.run([](const kernel::Study& s) { return s.search && s.search->done(); });
  const auto& ranked = study.search->ranked;
  REQUIRE(ranked.size() == 3);
  std::vector<Cell> dropped;
  for (const kernel::Candidate& c : ranked[1].candidates)
    if (!c.kept && !c.baseline) dropped.push_back(c.cell);
  REQUIRE(dropped.size() == 2);
  std::map<Cell, int> runs;
  for (const kernel::Candidate& c : ranked[2].candidates) runs[c.cell] = c.n;
  for (const Cell& cell : dropped) CHECK(runs.at(cell) == 3 + 9 + 9);
  CHECK(runs.at({{"method", "base"}}) == 3 + 9 + 9);
  // The best of the first rung's rest has the third place.
  for (const kernel::Candidate& c : ranked[0].candidates)
    if (!c.kept && !c.baseline) {
      CHECK(runs.at(c.cell) == 3 + 9);
      break;
    }
}

TEST_CASE("the plan of an earlier program, whose rungs are ranked by their own runs, is repeated as it is recorded") {
  Driver d(levels(), [](const Cell&, std::uint64_t, Purpose) { return 1.0; });
  const kernel::SearchPlan now = kernel::search_plan(d.study(), fakes::draw(1));
  CHECK(now.rule.code == kernel::ReasonCode::rule_of_race);
  CHECK(kernel::planned_again(d.study(), now).rule == now.rule);
  kernel::SearchPlan before = now;
  before.rule.code = kernel::ReasonCode::rule_of_halving;
  before.rule.values.erase("runs");
  CHECK(kernel::planned_again(d.study(), before).rule == before.rule);
}

TEST_CASE("the best of nine is found more often than by equal numbers of runs, and than earlier programs found it") {
  for (const double shared : {0.0, 3.0}) {
    const Found race = by_search(shared, false), before = by_search(shared, true);
    // The baseline's share included.
    const Found equal = by_equal_numbers(shared, race.runs / (candidates + 1));
    const auto told = [](const char* name, const Found& found) {
      return fmt::format("{}: {:.1f} % right, regret {:.3f}, {} runs\n", name, 100 * found.right, found.regret,
                         found.runs);
    };
    INFO("shared noise " << shared << "\n" << told("race", race) << told("before", before) << told("equal", equal));
    CHECK(race.runs == before.runs);
    CHECK(race.right > equal.right + 0.02);
    CHECK(race.regret < 0.9 * equal.regret);
    CHECK(race.regret < 0.7 * before.regret);
  }
}

}  // namespace races
