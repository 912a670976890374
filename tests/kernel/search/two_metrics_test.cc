// Searches for two metrics at once: what they propose, choose and confirm, against random settings on a problem whose
// front is known, and a whole study that repeats itself from its log.

#include "kernel/search/two_metrics.h"

#include <cmath>
#include <cstdlib>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/domain/cells.h"
#include "kernel/search/advice.h"
#include "kernel/search/model_search.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/search/search_driver.h"

namespace two_metrics {

using driver::Driver;
using kernel::Cell;
using kernel::Purpose;
using stats::TwoValues;

namespace {

kernel::Factor ready(const std::string& name, double baseline) {
  kernel::Factor f = driver::range(name, 0, 1);
  f.baseline = kernel::range_text(f, baseline);
  for (const double share : {0.0, baseline, 1.0}) kernel::add_range_level(f, kernel::range_text(f, share));
  return f;
}

kernel::StudySpec both(int runs, int top = 3) {
  kernel::StudySpec spec =
      driver::search(kernel::StudyKind::optimize, {ready("a", 0.5), ready("b", 0.9), ready("c", 0.2)}, top);
  spec.design.search = kernel::SearchRule::model;
  spec.budget.runs = runs;
  kernel::Metric z = spec.metrics[0];
  z.name = "z";
  z.primary = false;
  spec.metrics.push_back(z);
  spec.objectives = {{"y"}, {"z"}};
  return spec;
}

double part(const Cell& cell, const char* factor) {
  return std::stod(cell.at(factor));
}

/// Distances to two points. On the line between them no setting is better in both: the front is
/// √y + √z = 0.6 (Binh & Korn's kind of problem).
TwoValues truth(const Cell& cell) {
  const double off = std::pow(part(cell, "b") - 0.4, 2) + std::pow(part(cell, "c") - 0.6, 2);
  return {std::pow(part(cell, "a") - 0.2, 2) + off, std::pow(part(cell, "a") - 0.8, 2) + off};
}

constexpr double noise = 0.02;

Driver searching(const kernel::StudySpec& spec, double height = 1, double by = noise, std::int64_t draws = 0) {
  const std::uint64_t study = spec.seed;
  Driver d(
      spec,
      [=](const Cell& cell, std::uint64_t seed, Purpose) {
        return height * truth(cell)[0] + by * driver::noise(cell, seed, study);
      },
      draws);
  d.second = [=](const Cell& cell, std::uint64_t seed, Purpose) {
    return height * truth(cell)[1] + by * driver::noise(cell, seed, study + 7777);
  };
  return d;
}

/// Of the true values of what was tried.
double true_area(const std::vector<Cell>& cells) {
  std::vector<TwoValues> points;
  for (const Cell& cell : cells) points.push_back(truth(cell));
  return stats::hypervolume(points, {0.5, 0.5});
}

std::vector<Cell> tried(const kernel::Study& study) {
  std::vector<Cell> cells;
  for (const kernel::Run& run : study.runs)
    if (run.purpose == Purpose::search) cells.push_back(study.cells[static_cast<std::size_t>(run.cell)]);
  return cells;
}

std::string all_words(const kernel::Study& study) {
  std::string text;
  for (const std::string& sentence : kernel::newest_words(kernel::search_advice(study))) text += sentence + "\n";
  return text;
}

}  // namespace

TEST_CASE("a search for two metrics nears the front, and covers more of it than random settings do") {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    kernel::StudySpec spec = both(60 + 4 * 6);
    spec.seed = seed;
    Driver d = searching(spec);
    const kernel::Study& study = d.run([](const kernel::Study& s) { return s.search && s.search->done(); });
    const std::vector<Cell> cells = tried(study);
    REQUIRE(cells.size() == 60);
    const double ours = true_area(cells), random = true_area(kernel::sampled_cells(spec, 60, {}, 100 + seed));
    // All that the front covers up to (0.5, 0.5): the square without what lies below √y + √z = 0.6, which is 0.6⁴/6.
    const double most = 0.25 - std::pow(0.6, 4) / 6;
    INFO("seed " << seed << ": " << ours << " against " << random << " of " << most);
    CHECK(ours > random);
    CHECK(ours > 0.93 * most);
    CHECK(ours <= most + 1e-12);
    const std::optional<kernel::Covered> area = kernel::covered(study);
    REQUIRE(area);
    CHECK(area->after.size() == study.search->ranked.size());
    CHECK(area->after.back() > area->after.front());
  }
}

TEST_CASE("chosen settings are confirmed on both metrics in one family, and the study repeats itself from its log") {
  for (const int jobs : {1, 4}) {
    kernel::StudySpec spec = both(70);
    Driver d = searching(spec);
    d.state.studies.begin()->second.jobs = jobs;
    const kernel::Study& study = d.run();
    CHECK(study.outcome == kernel::StudyOutcome::concluded);
    CHECK(static_cast<int>(study.runs.size()) <= 70);
    CHECK(study.search->plan.registered.family == 6);
    CHECK(kernel::newest_words(study.search->plan.rule).find("One model of y (lower is better) and one of z") !=
          std::string::npos);
    REQUIRE(study.experiments.size() == 1);
    CHECK(study.experiments[0].registration.family == 6);
    REQUIRE(study.hypotheses.size() == 6);
    int better = 0;
    for (std::size_t i = 0; i < 6; i += 2) {
      const kernel::Hypothesis &y = study.hypotheses[i].hypothesis, &z = study.hypotheses[i + 1].hypothesis;
      CHECK((y.metric == "y" && z.metric == "z"));
      CHECK((y.treatment == z.treatment && y.control == z.control));
      for (const auto* record : {&study.hypotheses[i], &study.hypotheses[i + 1]}) {
        REQUIRE(record->result);
        better += record->result->verdict == kernel::Verdict::supported &&
                  record->hypothesis.direction == kernel::Direction::less;
      }
    }
    CHECK(better >= 4);
    const std::string says = all_words(study);
    INFO(says);
    CHECK(says.find("confirmed to be better than the baseline") != std::string::npos);
    CHECK(says.find("H1: better") != std::string::npos);
    CHECK(says.find("Keep the baseline") == std::string::npos);
    CHECK(says.find("of hypervolume") != std::string::npos);

    driver::checked_proposals(d.log);
    for (const kernel::RungRanked& ranked : study.search->ranked)
      for (const kernel::Candidate& c : ranked.candidates) CHECK(c.second_mean.has_value() == c.mean.has_value());
  }
}

TEST_CASE("a run without one of the two values has failed, and settings near such runs are avoided") {
  kernel::StudySpec spec = both(84);
  Driver d = searching(spec);
  const auto whole = d.second;
  // The best of z are near a = 0.8.
  d.second = [=](const Cell& cell, std::uint64_t seed, Purpose purpose) {
    return part(cell, "a") > 0.6 ? std::nullopt : whole(cell, seed, purpose);
  };
  const kernel::Study& study = d.run([](const kernel::Study& s) { return s.search && s.search->done(); });
  int failed = 0, after = 0, tries = 0;
  for (const kernel::Run& run : study.runs) {
    if (run.purpose != Purpose::search) continue;
    const bool fails = part(study.cells[static_cast<std::size_t>(run.cell)], "a") > 0.6;
    failed += fails;
    if (++tries > 40) after += fails;
  }
  CHECK(failed > 0);
  INFO(failed << " of " << tries << " failed, " << after << " after the first 40");
  REQUIRE(tries == 60);
  CHECK(after <= 8);
  for (const kernel::Candidate& c : study.search->ranked.back().candidates) {
    CHECK((part(c.cell, "a") > 0.6) == !c.mean.has_value());
    CHECK(c.n + c.failed > 0);
    if (c.kept) CHECK(part(c.cell, "a") <= 0.6);
  }
}

TEST_CASE("of settings within the limits those are chosen that add most to the baseline") {
  kernel::StudySpec spec = both(60);
  const TwoValues reference = {1, 1};
  const std::vector<TwoValues> points = {{0.1, 0.9}, {0.3, 0.3}, {0.9, 0.1}, {0.35, 0.31}, {0.5, 0.6}};
  const auto chosen = [&](std::size_t count, std::vector<TwoValues> held = {}) {
    return kernel::choice(spec, points, held, reference, count);
  };
  CHECK(chosen(1) == std::vector<std::size_t>{1});
  CHECK(chosen(3) == std::vector<std::size_t>{1, 0, 2});
  // Nothing adds to a baseline that beats all: the widest alone remains.
  CHECK(chosen(3, {{0.05, 0.05}}) == std::vector<std::size_t>{1});
  CHECK(chosen(3, {{0.3, 0.25}}) == std::vector<std::size_t>{0, 2});
  spec.objectives[1].limit = 0.2;
  CHECK(chosen(3) == std::vector<std::size_t>{2});
  spec.objectives[1].limit = 0.05;
  CHECK(chosen(2) == std::vector<std::size_t>{2, 1});
  spec.metrics[1].goal = kernel::Goal::maximize;
  CHECK(kernel::limits_of(spec)[1] == -0.05);
  CHECK(kernel::unturned(spec.metrics[1], kernel::turned(spec.metrics[1], 3)) == 3);
}

TEST_CASE("a limit draws the search to itself, and fresh runs say whether it is kept") {
  for (const double limit : {0.05, 0.001}) {
    kernel::StudySpec spec = both(75, 2);
    spec.objectives[1].limit = limit;
    spec.objectives[1].margin = 0.02;
    Driver d = searching(spec);
    const kernel::Study& study = d.run();
    INFO(kernel::newest_words(study.search->plan.rule) << "\n" << all_words(study));
    CHECK(kernel::newest_words(study.search->plan.rule).find("whose z is expected to be at most") != std::string::npos);
    if (limit == 0.05) {
      for (const kernel::Candidate& c : study.search->ranked.back().candidates)
        if (c.kept) CHECK(truth(c.cell)[1] < 0.07);
      CHECK(all_words(study).find("z keeps its limit, at most 0.05") != std::string::npos);
      CHECK(all_words(study).find("Keep the baseline") == std::string::npos);
    } else {
      // Noise hides whether so little is reached: only the margin lets it be shown.
      int near = 0;
      for (const Cell& cell : tried(study)) near += truth(cell)[1] < 0.05;
      CHECK(near > 10);
    }
  }
  // Beyond what any setting reaches.
  kernel::StudySpec spec = both(40, 1);
  spec.objectives[0].limit = -1;
  Driver d = searching(spec);
  const kernel::Study& study = d.run();
  const std::string says = all_words(study);
  INFO(says);
  CHECK(says.find("no setting that was tried to keep the limits") != std::string::npos);
  CHECK(says.find("y is not shown to keep its limit, at most -1") != std::string::npos);
  CHECK(says.find("Keep the baseline") != std::string::npos);
}

TEST_CASE("where nothing is better the baseline is kept, no less often than alpha promises") {
  // ETUDE_SEARCHES: how many searches.
  const char* given = std::getenv("ETUDE_SEARCHES");
  const int searches = given ? std::atoi(given) : 3;
  int lucky = 0;
  for (int i = 0; i < searches; ++i) {
    kernel::StudySpec spec = both(45, 2);
    spec.seed = static_cast<std::uint64_t>(i);
    Driver d = searching(spec, 0, 1, 1000 * i);
    const kernel::Study& study = d.run();
    REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
    lucky += all_words(study).find("Keep the baseline") == std::string::npos;
  }
  INFO(searches << " searches, " << lucky << " lucky");
  CHECK(lucky <= 0.05 * searches + 2.33 * std::sqrt(0.05 * 0.95 * searches) + 0.5);
}

}  // namespace two_metrics
