// Screening designs and the effects they estimate.

#include "kernel/search/screening.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "kernel/domain/cells.h"
#include "kernel/search/search.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/search/search_driver.h"

namespace screening_effects {

using Catch::Matchers::Contains;
using kernel::Cell;
using kernel::FactorEffect;
using kernel::SearchDesign;
using kernel::StudyKind;
using synthetic::factor;

namespace {

kernel::StudySpec screening(int factors, const std::vector<std::string>& levels = {"0", "1"}) {
  std::vector<kernel::Factor> list;
  for (int i = 0; i < factors; ++i) list.push_back(factor(std::string(1, static_cast<char>('a' + i)), levels));
  return driver::search(StudyKind::screen, std::move(list));
}

kernel::Factor ranged(const std::string& name, double low, double high, bool log = false) {
  kernel::Factor f = driver::range(name, low, high, log);
  f.baseline = kernel::range_text(f, 0.5);
  for (const double share : {0.0, 0.5, 1.0}) kernel::add_range_level(f, kernel::range_text(f, share));
  return f;
}

/// Runs of a screening's cells on common seeds, with these values.
synthetic::Runs measured(const std::vector<Cell>& cells, int replicates,
                         const std::function<std::optional<double>(const Cell&, int)>& value) {
  synthetic::Runs runs;
  for (const Cell& cell : cells)
    for (int i = 0; i < replicates; ++i) {
      const auto v = value(cell, i);
      runs.add(cell, static_cast<std::uint64_t>(i + 1), v, !v);
    }
  return runs;
}

const FactorEffect& effect_of(const std::vector<FactorEffect>& effects, const std::vector<std::string>& factors) {
  for (const FactorEffect& e : effects)
    if (e.factors == factors) return e;
  throw std::logic_error("no such effect");
}

double number_at(const Cell& cell, const char* factor) {
  return std::stod(cell.at(factor));
}

}  // namespace

TEST_CASE("a screening is full where it fits, else a fraction of the highest resolution, else a Latin hypercube") {
  CHECK(kernel::screen_design(screening(5), 64).design == SearchDesign::full);
  CHECK(kernel::screen_design(screening(5), 64).cells.size() == 32);
  const auto half = kernel::screen_design(screening(5), 31);
  CHECK((half.design == SearchDesign::fraction && half.resolution == 5 && half.cells.size() == 16));
  CHECK(half.generators == std::vector<std::string>{"e = a×b×c×d"});
  CHECK(half.aliases.empty());
  const auto quarter = kernel::screen_design(screening(6), 16);
  CHECK((quarter.resolution == 4 && quarter.cells.size() == 16));
  CHECK(quarter.aliases.size() == 7);
  for (const std::string& line : quarter.aliases) CHECK_THAT(line, Contains("×"));
  const auto eighth = kernel::screen_design(screening(7), 15);
  CHECK((eighth.resolution == 3 && eighth.cells.size() == 8));
  CHECK(eighth.aliases.size() == 7);
  // Nothing smaller tells seven factors apart; what does not fit the budget is said elsewhere.
  CHECK(kernel::screen_design(screening(7), 3).cells.size() == 8);
  const auto three = kernel::screen_design(screening(4, {"1", "2", "3"}), 64);
  CHECK((three.design == SearchDesign::latin && three.cells.size() == 40));
  std::map<std::string, int> levels;
  for (const Cell& cell : three.cells) ++levels[cell.at("c")];
  for (const auto& [level, count] : levels) CHECK(std::abs(count - 40.0 / 3) < 3);
  kernel::StudySpec mixed = screening(2);
  mixed.factors.push_back(ranged("x", 1, 100, true));
  CHECK(kernel::screen_design(mixed, 1000).design == SearchDesign::latin);
  CHECK(kernel::screen_design(mixed, 1000).cells.size() == 30);
  CHECK(kernel::screen_design(mixed, 12).cells.size() == 12);
}

TEST_CASE("constraints thin out a full factorial, and no fraction is made with them") {
  kernel::StudySpec spec = screening(4);
  spec.excludes = {{{"a", {"1"}}, {"b", {"1"}}}};
  const auto full = kernel::screen_design(spec, 16);
  CHECK((full.problem.empty() && full.cells.size() == 12));
  CHECK_FALSE(kernel::tells_interactions(spec, full.design, 0));
  CHECK_THAT(kernel::newest_words(kernel::screen_design(spec, 15).problem), Contains("not balanced"));
}

TEST_CASE("main effects and pairs of a full factorial come out exactly where nothing varies") {
  const kernel::StudySpec spec = screening(3);
  const auto cells = kernel::crossed(spec, {});
  const auto runs = measured(cells, 2, [](const Cell& c, int i) {
    return 5 + 3 * number_at(c, "a") - number_at(c, "b") + 2 * (number_at(c, "a") - 0.5) * (number_at(c, "c") - 0.5) +
           10 * i;
  });
  const auto effects = kernel::screen_effects(spec, SearchDesign::full, 0, runs.values());
  REQUIRE(effects.size() == 6);
  CHECK(*effect_of(effects, {"a"}).effect == Approx(3));
  CHECK(*effect_of(effects, {"b"}).effect == Approx(-1));
  CHECK(std::abs(*effect_of(effects, {"c"}).effect) < 1e-9);
  // The difference of the two differences, halved.
  CHECK(*effect_of(effects, {"a", "c"}).effect == Approx(1));
  CHECK(std::abs(*effect_of(effects, {"b", "c"}).effect) < 1e-9);
  // The seeds' own difference of 10 is no error.
  CHECK(*effect_of(effects, {"a"}).se == Approx(0).margin(1e-6));
  CHECK(*effect_of(effects, {"a"}).df == 7);
  CHECK(effects[0].factors.size() == 1);
  CHECK(effect_of(effects, {"a"}).n == std::array<int, 2>{8, 8});
}

TEST_CASE("the standard error is that of the difference of means, by the replicates") {
  const kernel::StudySpec spec = screening(2);
  stats::Xoshiro random(5);
  std::vector<double> noise;
  for (int i = 0; i < 4 * 60; ++i) noise.push_back(random.normal());
  std::size_t next = 0;
  const auto cells = kernel::crossed(spec, {});
  const auto runs = measured(cells, 60, [&](const Cell&, int) { return noise[next++]; });
  const auto effects = kernel::screen_effects(spec, SearchDesign::full, 0, runs.values());
  CHECK(*effects[0].se == Approx(2 / std::sqrt(240)).epsilon(0.15));
  CHECK(*effects[0].df == 3 * 59);
  const double half = (*effects[0].interval_high - *effects[0].interval_low) / 2;
  CHECK(half == Approx(1.97 * *effects[0].se).epsilon(0.01));
}

TEST_CASE("pairs are estimated only where the design tells them apart") {
  const kernel::StudySpec spec = screening(6);
  const auto design = kernel::screen_design(spec, 16);
  const auto runs = measured(design.cells, 2, [](const Cell& c, int) { return number_at(c, "a") * number_at(c, "b"); });
  const auto effects = kernel::screen_effects(spec, design.design, design.resolution, runs.values());
  CHECK(effects.size() == 6);
  CHECK(kernel::tells_interactions(screening(5), SearchDesign::fraction, 5));
  CHECK_FALSE(kernel::tells_interactions(screening(6), SearchDesign::fraction, 4));
  CHECK_FALSE(kernel::tells_interactions(screening(3, {"1", "2", "3"}), SearchDesign::full, 0));
}

TEST_CASE("of several levels the pair that differs most is told, from the baseline where there is one") {
  kernel::StudySpec spec = screening(1, {"1", "2", "3"});
  spec.factors.push_back(factor("z", {"0", "1"}));
  const auto value = [](const Cell& c, int i) {
    return (number_at(c, "a") == 2 ? 7 : number_at(c, "a")) + 0.1 * i * number_at(c, "z");
  };
  const auto runs = measured(kernel::crossed(spec, {}), 2, value);
  const auto open = kernel::screen_effects(spec, SearchDesign::full, 0, runs.values());
  CHECK((effect_of(open, {"a"}).low == "1" && effect_of(open, {"a"}).high == "2"));
  CHECK(*effect_of(open, {"a"}).effect == Approx(6));
  spec.factors[0].baseline = "3";
  const auto based = kernel::screen_effects(spec, SearchDesign::full, 0, runs.values());
  CHECK((effect_of(based, {"a"}).low == "3" && effect_of(based, {"a"}).high == "2"));
  CHECK(*effect_of(based, {"a"}).effect == Approx(4));
}

TEST_CASE("of a range the change from end to end is told, on the range's own scale") {
  kernel::StudySpec spec = screening(1);
  spec.factors.push_back(ranged("x", 0.01, 100, true));
  spec.factors.push_back(ranged("w", 2, 4));
  const auto design = kernel::screen_design(spec, 40);
  REQUIRE(design.design == SearchDesign::latin);
  for (const Cell& cell : design.cells) kernel::add_range_levels(spec, cell);
  const auto runs = measured(design.cells, 2, [](const Cell& c, int) {
    return 3 * std::log10(number_at(c, "x")) - 2 * number_at(c, "w") + 5 * number_at(c, "a");
  });
  const auto effects = kernel::screen_effects(spec, design.design, 0, runs.values());
  CHECK(*effect_of(effects, {"x"}).effect == Approx(12).epsilon(1e-6));
  CHECK(*effect_of(effects, {"w"}).effect == Approx(-4).epsilon(1e-6));
  CHECK(*effect_of(effects, {"a"}).effect == Approx(5).epsilon(1e-6));
  CHECK((effect_of(effects, {"x"}).low == "0.01" && effect_of(effects, {"x"}).high == "100"));
  CHECK(effects[0].factors[0] == "x");
}

TEST_CASE("a level that no run survives leaves its factor without an effect, and the others theirs") {
  const kernel::StudySpec spec = screening(3);
  const auto runs = measured(kernel::crossed(spec, {}), 2, [](const Cell& c, int i) -> std::optional<double> {
    if (c.at("b") == "1") return std::nullopt;
    return 2 * number_at(c, "a") + 0.25 * i * number_at(c, "c");
  });
  const auto effects = kernel::screen_effects(spec, SearchDesign::full, 0, runs.values());
  CHECK_FALSE(effect_of(effects, {"b"}).effect);
  CHECK(effect_of(effects, {"b"}).failed == std::array<int, 2>{0, 8});
  CHECK(*effect_of(effects, {"a"}).effect == Approx(2));
  CHECK(effects[0].factors[0] == "a");
}

TEST_CASE("one run that failed shifts no effect towards what its seed was") {
  const kernel::StudySpec spec = screening(3);
  const auto runs = measured(kernel::crossed(spec, {}), 3, [](const Cell& c, int i) -> std::optional<double> {
    if (c.at("a") == "1" && c.at("b") == "1" && c.at("c") == "1" && i == 2) return std::nullopt;
    return 2 * number_at(c, "a") + 100 * i;
  });
  for (const FactorEffect& e : kernel::screen_effects(spec, SearchDesign::full, 0, runs.values()))
    CHECK(*e.effect == Approx(e.factors == std::vector<std::string>{"a"} ? 2 : 0).margin(1e-8));
}

}  // namespace screening_effects
