// Items as units: `unit: item`.

#include <list>

#include <catch2/catch.hpp>

#include "stats/effects/proportions.h"
#include "tests/kernel/verdicts/judging.h"

using kernel::Direction;
using kernel::HypothesisResult;
using kernel::Verdict;
using synthetic::holds;

namespace {

using Items = std::map<std::string, double>;

/// Runs of the arms t and c with values per item; owns them.
class ItemRuns {
 public:
  void add(const char* arm, std::uint64_t seed, Items items, bool failed = false) {
    double mean = 0;
    for (const auto& [item, value] : items) mean += value / static_cast<double>(items.size());
    const kernel::Cell& cell = cells_.emplace_back(kernel::Cell{{"arm", arm}});
    values_.push_back({&cell, seed, failed, failed ? std::nullopt : std::optional(mean)});
    items_.push_back(std::move(items));
    if (!items_.back().empty()) values_.back().items = &items_.back();
  }
  HypothesisResult judge(bool share = false) const {
    kernel::StudySpec spec = synthetic::study(1);
    spec.design.reading = true;
    if (share) spec.metrics[0].type = kernel::MetricType::proportion;
    kernel::Hypothesis h = synthetic::compare(Direction::less);
    h.unit = kernel::TestUnit::item;
    const std::vector<kernel::Hypothesis> batch{h};
    const std::vector<std::vector<kernel::RunValue>> runs{values_};
    return kernel::judge_batch(spec, batch, 1, runs).front();
  }

 private:
  std::list<kernel::Cell> cells_;
  std::list<Items> items_;
  std::vector<kernel::RunValue> values_;
};

}  // namespace

TEST_CASE("items are averaged over the seeds and compared within themselves") {
  ItemRuns runs;
  runs.add("t", 1, {{"a", 1}, {"b", 4}, {"c", 2}});
  runs.add("c", 1, {{"a", 3}, {"b", 5}, {"c", 6}});
  runs.add("t", 2, {{"a", 3}, {"b", 6}, {"c", 2}});
  runs.add("c", 2, {{"a", 5}, {"b", 9}, {"c", 4}});
  const HypothesisResult r = runs.judge();
  // The items' mean differences are -2, -2 and -3.
  const std::vector<double> t = {2, 5, 2}, c = {4, 7, 5};
  const auto by_hand = stats::paired_contrast(t, c);
  CHECK(r.effect == Approx(by_hand->estimate));
  CHECK(r.se == Approx(by_hand->standard_error));
  CHECK(r.df == 2);
  CHECK(r.p == Approx(stats::p_less(*by_hand)));
  CHECK(r.n == std::array{3, 3});
  REQUIRE_FALSE(r.warnings.empty());
  CHECK(holds(r.warnings.front(), "averaged over 2 seeds"));
}

TEST_CASE("outcomes of items on one seed are tested by McNemar") {
  ItemRuns runs;
  Items t, c;
  for (int i = 0; i < 30; ++i) {
    const std::string item = "q" + std::to_string(i);
    t[item] = i < 8 ? 0 : 1;
    c[item] = i >= 10 || i < 2 ? 1 : 1 - (i < 8 ? 0 : 1);
  }
  runs.add("t", 1, t);
  runs.add("c", 1, c);
  const HypothesisResult r = runs.judge(true);
  stats::PairedShares pairs;
  for (const auto& [item, value] : t)
    ++(value == 1 ? c.at(item) == 1 ? pairs.both : pairs.treatment : c.at(item) == 1 ? pairs.control : pairs.neither);
  const double exact = stats::mcnemar_exact(pairs)->p.less;
  const double newcombe = stats::p_less(*stats::share_difference(pairs));
  CHECK(r.by_shares == true);
  CHECK(r.p == Approx(std::max(exact, newcombe)));
  CHECK(r.n == std::array{30, 30});
}

TEST_CASE("items may differ from seed to seed") {
  ItemRuns runs;
  runs.add("t", 1, {{"a", 1}, {"b", 4}});
  runs.add("c", 1, {{"a", 3}, {"b", 5}});
  runs.add("t", 2, {{"a", 3}, {"c", 2}});
  runs.add("c", 2, {{"a", 5}, {"c", 4}});
  const HypothesisResult r = runs.judge();
  CHECK(r.n == std::array{3, 3});
  CHECK(r.effect == Approx((-2 - 1 - 2) / 3.0));
  REQUIRE_FALSE(r.warnings.empty());
  CHECK(holds(r.warnings.front(), "2 items were reported on some seeds only"));
}

TEST_CASE("an arm that writes no line for what it gets wrong gains nothing") {
  ItemRuns runs;
  Items t, c;
  for (int i = 0; i < 60; ++i) {
    c["q" + std::to_string(i)] = i % 2;
    if (i % 2 == 0) t["q" + std::to_string(i)] = 0;
  }
  runs.add("t", 1, t);
  runs.add("c", 1, c);
  const HypothesisResult r = runs.judge(true);
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(holds(r.reason, "30 items lack a value in some cell (q1 in arm = t)"));
}

TEST_CASE("runs without items, and failed runs, leave no verdict by items") {
  ItemRuns unnamed;
  unnamed.add("t", 1, {{"a", 1}, {"b", 2}, {"c", 1}});
  unnamed.add("c", 1, {{"a", 7}, {"b", 9}, {"c", 8}});
  unnamed.add("c", 2, {});
  CHECK(unnamed.judge().verdict == Verdict::inconclusive);
  CHECK(holds(unnamed.judge().reason, "1 run has no line of y with an `item`"));
  ItemRuns failed;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const double shift = 0.1 * static_cast<double>(seed);
    failed.add("t", seed, {{"a", 1 + shift}, {"b", 2}, {"c", 1.5}, {"d", 2}});
    failed.add("c", seed, {{"a", 7}, {"b", 9 + shift}, {"c", 8.5}, {"d", 8}}, seed == 12);
  }
  const HypothesisResult r = failed.judge();
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(holds(r.reason, "failed"));
}
