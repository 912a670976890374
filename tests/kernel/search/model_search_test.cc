// Searches by a model of the response: the plan, what it proposes and avoids, and a whole study that repeats itself
// from its log.

#include "kernel/search/model_search.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/domain/cells.h"
#include "kernel/search/advice.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/search/search_driver.h"

namespace modelling {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using driver::Driver;
using kernel::Cell;
using kernel::CellOutcome;
using kernel::Purpose;
using kernel::ResponseModel;
using synthetic::factor;

namespace {

kernel::Factor ready(kernel::Factor f, double baseline = 0.5) {
  f.baseline = kernel::range_text(f, baseline);
  for (const double share : {0.0, baseline, 1.0}) kernel::add_range_level(f, kernel::range_text(f, share));
  return f;
}

/// A learning rate on a log scale and one of three optimizers; the best are near 0.02 and adam.
kernel::StudySpec tuning(int runs = 60) {
  kernel::Factor opt = factor("opt", {"sgd", "adam", "rms"});
  opt.baseline = "sgd";
  kernel::StudySpec spec =
      driver::search(kernel::StudyKind::optimize, {ready(driver::range("lr", 1e-4, 1, true)), opt});
  spec.design.search = kernel::SearchRule::model;
  spec.budget.runs = runs;
  return spec;
}

double loss(const Cell& cell) {
  const double by = std::log10(std::stod(cell.at("lr"))) - std::log10(0.02);
  const std::string& opt = cell.at("opt");
  return by * by + (opt == "adam" ? 0 : opt == "rms" ? 0.5 : 1);
}

double noisy(const Cell& cell, std::uint64_t seed) {
  return loss(cell) + 0.1 * driver::noise(cell, seed, 1);
}

std::vector<CellOutcome> measured(const kernel::StudySpec& spec, int n) {
  std::vector<CellOutcome> outcomes;
  for (const Cell& cell : kernel::sampled_cells(spec, n, {}, 11)) outcomes.push_back({cell, 1, noisy(cell, 1)});
  return outcomes;
}

}  // namespace

TEST_CASE("rungs take the runs that there are, first the baseline and few others, at last the best again") {
  kernel::StudySpec spec = tuning();
  for (const int runs : {2, 3, 7, 20, 50, 150, 5000})
    for (const int beside : {1, 2, 8, 64}) {
      INFO(runs << " runs, " << beside << " at a time");
      const std::vector<kernel::Rung> rungs = kernel::model_rungs(spec, runs, beside);
      CHECK(kernel::runs_of(rungs) == std::max<std::int64_t>(2, std::min(runs, kernel::most_model_runs)));
      int seeds = 0;
      for (std::size_t i = 0; i < rungs.size(); ++i) {
        CHECK(rungs[i].proposes == (i > 0));
        CHECK(rungs[i].first_seed == seeds);
        CHECK(rungs[i].candidates >= 1);
        if (rungs[i].proposes && !rungs[i].decides) CHECK(rungs[i].candidates <= std::min(beside, 8));
        seeds += rungs[i].replicates;
      }
      if (runs >= 20) CHECK(rungs.back().decides);
    }
}

TEST_CASE("the plan of an earlier program, whose last runs are one rung, is repeated as it is recorded") {
  for (const int runs : {20, 41, 70, 130, 200}) {
    Driver d(tuning(runs), [](const Cell&, std::uint64_t, Purpose) { return 1.0; });
    const kernel::SearchPlan now = kernel::search_plan(d.study(), fakes::draw(1));
    kernel::SearchPlan before = now;
    const std::int64_t all = kernel::runs_of(now.rungs);
    before.rungs = kernel::model_rungs(d.study().spec, all, d.study().jobs, kernel::LastRuns::at_once);
    const std::vector<kernel::Rung> again = kernel::planned_again(d.study(), before).rungs;
    CHECK(again.size() == before.rungs.size());
    CHECK(again.back().replicates == before.rungs.back().replicates);
    CHECK(kernel::runs_of(again) == all);
    CHECK(kernel::planned_again(d.study(), now).rungs.size() == now.rungs.size());
    CHECK(before.rungs.size() < now.rungs.size());
  }
}

TEST_CASE("proposals are allowed, distinct, repeatable, and lie where improvement is likely") {
  kernel::StudySpec spec = tuning();
  spec.excludes = {{{"opt", {"rms"}}}};
  const ResponseModel model(spec, spec.metrics[0], measured(spec, 25));
  const std::vector<Cell> cells = model.proposals(8, 3);
  CHECK(cells.size() == 8);
  CHECK(std::set<Cell>(cells.begin(), cells.end()).size() == 8);
  CHECK(cells == model.proposals(8, 3));
  int good = 0;
  for (const Cell& cell : cells) {
    CHECK(cell.at("opt") != "rms");
    good += cell.at("opt") == "adam";
  }
  CHECK(good >= 6);
  CHECK(loss(cells[0]) < 0.4);
  const std::vector<Cell> best = model.best(3, 3);
  REQUIRE(best.size() == 3);
  CHECK(loss(best[0]) < 0.1);
}

TEST_CASE("the last runs are of settings that may be the best, and of each no more than the study allows") {
  kernel::StudySpec spec = tuning();
  std::vector<CellOutcome> outcomes = measured(spec, 25);
  std::map<Cell, int> times;
  for (const CellOutcome& o : outcomes) ++times[o.cell];
  for (std::uint64_t i = 0; i < 6; ++i) {
    const std::vector<Cell> cells = ResponseModel(spec, spec.metrics[0], outcomes).deciding(1, i);
    REQUIRE(cells.size() == 1);
    CHECK(loss(cells[0]) < 0.5);
    ++times[cells[0]];
    outcomes.push_back({cells[0], 100 + i, noisy(cells[0], 100 + i)});
  }
  CHECK(std::ranges::any_of(times, [](const auto& one) { return one.second > 1; }));
  spec.design.replicates_max = 1;
  const std::vector<Cell> beside = ResponseModel(spec, spec.metrics[0], outcomes).deciding(4, 1);
  CHECK(std::set<Cell>(beside.begin(), beside.end()).size() == 4);
  for (const Cell& cell : beside) CHECK(times[cell] <= spec.design.replicates_max);
}

TEST_CASE("settings near failed runs are avoided") {
  // The best learning rates are near 0.02, and everything above 0.005 fails.
  kernel::StudySpec spec = tuning();
  std::vector<CellOutcome> outcomes = measured(spec, 30);
  int failed = 0;
  for (CellOutcome& o : outcomes)
    if (std::stod(o.cell.at("lr")) > 0.005) {
      o.value.reset();
      ++failed;
    }
  REQUIRE(failed > 8);
  const ResponseModel model(spec, spec.metrics[0], outcomes);
  int fails = 0;
  for (const Cell& cell : model.proposals(6, 1)) fails += std::stod(cell.at("lr")) > 0.02;
  CHECK(fails <= 1);
  for (const Cell& cell : model.best(3, 1)) CHECK(std::stod(cell.at("lr")) < 0.02);
}

TEST_CASE("failures that depend on one of many factors are learned from few of them") {
  const auto failures = [](std::vector<kernel::Factor> factors, const std::function<bool(const Cell&)>& fails) {
    kernel::StudySpec spec = tuning(60);
    spec.factors = std::move(factors);
    int failed = 0;
    Driver d(spec, [&](const Cell& cell, std::uint64_t seed, Purpose) -> std::optional<double> {
      if (fails(cell)) {
        ++failed;
        return std::nullopt;
      }
      double sum = 0.1 * driver::noise(cell, seed, 1);
      for (const auto& [name, level] : cell)
        if (name != "kind") sum += (std::stod(level) - 0.4) * (std::stod(level) - 0.4);
      return sum;
    });
    REQUIRE(d.run().search->done());
    return failed;
  };
  const auto unit = [](const std::string& name) {
    kernel::Factor factor;
    factor.name = name;
    factor.range = kernel::Range{0, 1, false};
    factor.type = kernel::FactorType::number;
    factor.baseline = kernel::range_text(factor, 0.5);
    kernel::add_range_level(factor, *factor.baseline);
    return factor;
  };
  // At random, 40 % and 50 % of the runs would fail.
  CHECK(failures({unit("a"), unit("b"), unit("c"), unit("d"), unit("e"), unit("f")},
                 [](const Cell& cell) { return std::stod(cell.at("a")) > 0.6; }) <= 15);
  CHECK(failures({unit("a"), unit("b"), unit("c"), factor("kind", {"k1", "k2", "k3", "k4"})},
                 [](const Cell& cell) { return cell.at("kind") == "k3" || cell.at("kind") == "k4"; }) <= 10);
}

TEST_CASE("without two values cells are drawn, and a small space is looked at whole") {
  kernel::StudySpec spec = tuning();
  const Cell base = kernel::baseline_cell(spec, false);
  const ResponseModel none(spec, spec.metrics[0], {{base, 1, std::nullopt}});
  CHECK(none.proposals(4, 1).size() == 4);
  CHECK_FALSE(none.estimate(base));
  const ResponseModel one(spec, spec.metrics[0], {{base, 1, 2.0}});
  CHECK(one.best(2, 1).size() == 2);

  kernel::Factor x = factor("x", {"1", "2", "3"});
  x.baseline = "1";
  kernel::StudySpec small = driver::search(kernel::StudyKind::optimize, {x});
  const ResponseModel few(small, small.metrics[0], {{{{"x", "1"}}, 1, 5.0}, {{{"x", "2"}}, 1, 1.0}});
  CHECK(few.proposals(9, 1).size() == 3);
  CHECK(few.best(2, 1).front().at("x") != "1");
}

TEST_CASE("a study finds a good setting within its budget, confirms it, and repeats itself from its log") {
  for (const int jobs : {1, 4}) {
    const kernel::StudySpec spec = tuning();
    Driver d(spec, [](const Cell& cell, std::uint64_t seed, Purpose) { return noisy(cell, seed); });
    d.state.studies.begin()->second.jobs = jobs;
    const kernel::Study& study = d.run();
    CHECK(study.outcome == kernel::StudyOutcome::concluded);
    CHECK(static_cast<int>(study.runs.size()) <= 60);
    CHECK(study.search->plan.design == kernel::SearchDesign::model);
    REQUIRE(study.hypotheses.size() == 1);
    CHECK(study.hypotheses[0].hypothesis.treatment.at("opt") == "adam");
    CHECK(loss(study.search->ranked.back().candidates.front().cell) < 0.2);
    REQUIRE(study.hypotheses[0].result);
    CHECK(study.hypotheses[0].result->verdict == kernel::Verdict::supported);

    CHECK(driver::checked_proposals(d.log) > 5);
  }
}

TEST_CASE("the rule of a search says when the budget leaves no runs for proposals") {
  const auto rule = [](std::int64_t left) {
    int runs = 2;
    while (*kernel::runs_for_selection(tuning(runs)) < left) ++runs;
    const Driver d(tuning(runs), [](const Cell&, std::uint64_t, Purpose) { return 1.0; });
    return kernel::search_plan(d.study(), fakes::draw(1)).rule.code;
  };
  CHECK(rule(2) == kernel::ReasonCode::rule_of_first_candidates);
  CHECK(rule(4) == kernel::ReasonCode::rule_of_estimates);
}

namespace {

/// As `tuning`, with two more ranges and with steps of training: few steps are noisy and shift the best learning rate.
kernel::StudySpec training(int runs = 100) {
  kernel::StudySpec spec = tuning(runs);
  spec.factors.push_back(ready(driver::range("decay", 1e-6, 1e-2, true)));
  spec.factors.push_back(ready(driver::range("drop", 0, 1)));
  spec.factors.push_back(factor("steps", {"1", "3", "9"}));
  spec.fidelity = kernel::Fidelity{"steps", 3};
  return spec;
}

double trained_loss(const Cell& setting) {
  const double decay = std::log10(std::stod(setting.at("decay"))) + 3, drop = std::stod(setting.at("drop")) - 0.2;
  return loss(setting) + 0.5 * decay * decay + 4 * drop * drop;
}

double trained(const Cell& cell, std::uint64_t seed) {
  const double steps = std::stod(cell.at("steps"));
  return trained_loss(cell) + 1 / steps + 0.3 * std::log10(std::stod(cell.at("lr"))) / steps +
         0.15 / std::sqrt(steps) * driver::noise(cell, seed, 1);
}

}  // namespace

TEST_CASE("with a fidelity, rounds of halving begin with proposals, within the runs that there are") {
  kernel::StudySpec spec = training();
  for (const int runs : {5, 12, 20, 40, 90, 300, 5000}) {
    INFO(runs << " runs");
    const std::vector<kernel::Rung> rungs = kernel::model_halving_rungs(spec, runs);
    CHECK(rungs.empty() == (runs < 20));
    if (rungs.empty()) continue;
    CHECK(kernel::runs_of(rungs) <= runs);
    if (runs <= kernel::most_model_runs) CHECK(kernel::runs_of(rungs) > 2 * runs / 3);
    CHECK(rungs.front().fidelity == "1");
    CHECK_FALSE(rungs.front().proposes);
    int seeds = 0;
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      CHECK(rungs[i].first_seed == seeds);
      seeds += rungs[i].replicates;
      if (rungs[i].proposes && !rungs[i].decides) CHECK(rungs[i].fidelity == "1");
      if (i > 0 && !rungs[i].proposes) CHECK(rungs[i].candidates <= rungs[i - 1].candidates);
    }
    CHECK(rungs.back().decides);
    CHECK(rungs.back().fidelity == "9");
  }
}

TEST_CASE("what short runs tell helps the model to find what is best in long ones") {
  kernel::StudySpec spec = training();
  std::vector<CellOutcome> outcomes;
  for (Cell cell : kernel::sampled_cells(spec, 24, {}, 11)) {
    cell["steps"] = outcomes.size() % 4 == 0 ? "9" : "1";
    outcomes.push_back({cell, 1, trained(cell, 1)});
  }
  const ResponseModel model(spec, spec.metrics[0], outcomes);
  for (const Cell& cell : model.proposals(3, 5)) {
    CHECK_FALSE(cell.contains("steps"));
    CHECK(cell.at("opt") == "adam");
  }
  CHECK(trained_loss(model.best(1, 5).front()) < 0.5);
}

TEST_CASE("a search with fidelity and model ends nearer the best than halving alone, and repeats itself from its log") {
  double by_model = 0, by_halving = 0;
  const char* given = std::getenv("ETUDE_SEARCHES");
  const std::uint64_t searches = given ? std::strtoull(given, nullptr, 10) : 2;
  for (std::uint64_t seed = 1; seed <= searches; ++seed)
    for (const auto rule : {kernel::SearchRule::model, kernel::SearchRule::halving}) {
      kernel::StudySpec spec = training();
      spec.design.search = rule;
      spec.seed = seed;
      Driver d(
          spec, [](const Cell& cell, std::uint64_t s, Purpose) { return trained(cell, s); },
          static_cast<std::int64_t>(100 * seed));
      const kernel::Study& study = d.run();
      REQUIRE(study.search->done());
      CHECK(static_cast<int>(study.runs.size()) <= 100);
      CHECK(study.search->plan.design == kernel::SearchDesign::halving);
      const auto& ranked = study.search->ranked.back().candidates;
      const auto best = std::ranges::find_if(ranked, &kernel::Candidate::kept);
      REQUIRE(best != ranked.end());
      (rule == kernel::SearchRule::model ? by_model : by_halving) += trained_loss(best->cell);
      REQUIRE(study.hypotheses.size() == 1);
      CHECK(study.hypotheses[0].hypothesis.where.at("steps") == "9");
      if (rule == kernel::SearchRule::halving || seed > 1) continue;
      CHECK(driver::checked_proposals(d.log) > 2);
    }
  INFO("sum of regrets: " << by_model << " by the model, " << by_halving << " by halving");
  CHECK(by_model < by_halving);
}

TEST_CASE("a round in which everything fails does not end a search by a model") {
  kernel::StudySpec spec = training();
  spec.design.search = kernel::SearchRule::model;
  int runs = 0;
  Driver d(spec, [&](const Cell& cell, std::uint64_t seed, Purpose) -> std::optional<double> {
    if (++runs <= 10) return std::nullopt;
    return trained(cell, seed);
  });
  const kernel::Study& study = d.run();
  REQUIRE(study.search->done());
  CHECK(study.search->ranked.size() == study.search->plan.rungs.size());
  REQUIRE(study.hypotheses.size() == 1);
}

TEST_CASE("what no model may propose is told") {
  kernel::StudySpec spec = tuning();
  spec.excludes = {{{"opt", {"rms"}}}};
  Driver d(spec, [](const Cell& cell, std::uint64_t seed, Purpose) { return noisy(cell, seed); });
  const kernel::Study& study = d.run([](const kernel::Study& s) { return s.search && s.search->ranked.size() == 1; });
  const auto allowed = [&](std::vector<Cell> cells) { return kernel::may_be_proposed(study, cells); };
  CHECK(allowed({{{"lr", "0.01"}, {"opt", "adam"}}}));
  CHECK_FALSE(allowed({}));
  CHECK_FALSE(allowed({{{"lr", "0.01"}, {"opt", "rms"}}}));
  CHECK_FALSE(allowed({{{"lr", "0.01"}, {"opt", "lion"}}}));
  CHECK_FALSE(allowed({{{"lr", "2"}, {"opt", "adam"}}}));
  CHECK_FALSE(allowed({{{"lr", "0.01; rm"}, {"opt", "adam"}}}));
  CHECK_FALSE(allowed({{{"opt", "adam"}}}));
  CHECK_FALSE(allowed({{{"lr", "0.01"}, {"opt", "adam"}}, {{"lr", "0.01"}, {"opt", "adam"}}}));
}

TEST_CASE("the confirmation has as many replicates as the expected gain needs, within the bounds") {
  std::map<double, int> replicates;
  for (const double noise : {0.05, 1.2, 3.0}) {
    kernel::StudySpec spec = tuning(120);
    spec.design.confirm->replicates = 4;
    spec.design.confirm->most = 30;
    Driver d(spec, [&](const Cell& cell, std::uint64_t seed, Purpose) {
      return loss(cell) + noise * driver::noise(cell, seed, 1);
    });
    const kernel::Study& study = d.run();
    CHECK(static_cast<int>(study.runs.size()) <= 120);
    REQUIRE(study.experiments.size() == 1);
    REQUIRE(study.all_sizes().size() == 1);
    replicates[noise] = study.experiments[0].registration.replicates.front();
    INFO("noise " << noise << ": " << kernel::newest_words(study.all_sizes()[0].how));
    CHECK(study.search->plan.confirm_most == 30);
    CHECK_FALSE(kernel::search_advice(study).empty());
  }
  CHECK(replicates[0.05] == 4);
  CHECK(replicates[1.2] > 4);
  CHECK(replicates[3.0] >= replicates[1.2]);
}

TEST_CASE("a wider range is advised only if the model tells the best candidate from the baseline") {
  const auto says_edge = [](const kernel::Study& study) {
    return std::ranges::any_of(kernel::search_advice(study),
                               [](const kernel::Reason& r) { return r.code == kernel::ReasonCode::advice_edge; });
  };
  int flat = 0, flat_before = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    kernel::StudySpec spec = tuning(40);
    spec.seed = seed;
    Driver nothing_helps(spec, [](const Cell& cell, std::uint64_t s, Purpose) { return driver::noise(cell, s, 1); });
    kernel::Study study = nothing_helps.run();
    flat += says_edge(study) ? 1 : 0;
    study.wording = 7;  // Its artifact is as it was written.
    flat_before += says_edge(study) ? 1 : 0;
  }
  CHECK(flat == 0);
  CHECK(flat_before > 0);
  Driver larger_helps(tuning(), [](const Cell& cell, std::uint64_t seed, Purpose) {
    return 0.1 * driver::noise(cell, seed, 1) - std::log10(std::stod(cell.at("lr")));
  });
  CHECK(says_edge(larger_helps.run()));
}

TEST_CASE("the advice says with which values every run failed") {
  Driver d(tuning(), [](const Cell& cell, std::uint64_t seed, Purpose) -> std::optional<double> {
    if (std::stod(cell.at("lr")) > 0.1 || cell.at("opt") == "rms") return std::nullopt;
    return noisy(cell, seed);
  });
  kernel::Study study = d.run();
  std::map<kernel::ReasonCode, std::string> said;
  for (const kernel::Reason& one : kernel::search_advice(study)) said[one.code] = kernel::newest_words(one);
  CHECK_THAT(said[kernel::ReasonCode::advice_failures_above],
             StartsWith("All ") && Contains(" search runs with lr of 0.") && EndsWith(" or more failed."));
  CHECK_THAT(said[kernel::ReasonCode::advice_failures_at], Contains(" search runs with opt = rms failed."));
  CHECK_FALSE(said.contains(kernel::ReasonCode::advice_failures_below));
  study.wording = 9;  // Its artifact is as it was written.
  for (const kernel::Reason& one : kernel::search_advice(study))
    CHECK_THAT(kernel::newest_words(one), !Contains(" failed."));
}

TEST_CASE("what is confirmed is better: no more false confirmations than alpha, and as many true ones as planned") {
  // ETUDE_SEARCHES: how many searches of each kind.
  const char* given = std::getenv("ETUDE_SEARCHES");
  const int searches = given ? std::atoi(given) : 6;
  int lucky = 0, found = 0, looked_for = 0;
  for (int i = 0; i < searches; ++i) {
    kernel::StudySpec spec = tuning(110);
    spec.seed = static_cast<std::uint64_t>(i);
    spec.design.confirm->replicates = 4;
    spec.design.confirm->most = 30;
    const auto searched = [&](double height) {
      // The baseline is the best but for `height` of the gain.
      Driver d(
          spec,
          [&](const Cell& cell, std::uint64_t seed, Purpose) {
            return height * loss(cell) + driver::noise(cell, seed, static_cast<std::uint64_t>(i));
          },
          1000 * i);
      return d.run();
    };
    const auto supported = [](const kernel::Study& study) {
      return !study.hypotheses.empty() && study.hypotheses[0].result &&
             study.hypotheses[0].result->verdict == kernel::Verdict::supported;
    };
    lucky += supported(searched(0));
    const kernel::Study study = searched(1.2);
    // A search that ends near the best has a gain of 1.2 or more over the baseline, which is more than noise of 1.
    if (!study.search || !study.search->done() || loss(study.search->ranked.back().candidates.front().cell) > 0.3)
      continue;
    ++looked_for;
    found += supported(study);
  }
  INFO(searches << " searches, " << lucky << " lucky, " << found << " of " << looked_for << " found");
  // Beyond these lie at most a hundredth of the binomial distributions with 0.05 and 0.8.
  CHECK(lucky <= 0.05 * searches + 2.33 * std::sqrt(0.05 * 0.95 * searches) + 0.5);
  CHECK(looked_for > searches / 2);
  CHECK(found >= 0.8 * looked_for - 2.33 * std::sqrt(0.16 * looked_for) - 0.5);
}

TEST_CASE("where every run fails the study ends after the first rung") {
  Driver d(tuning(), [](const Cell&, std::uint64_t, Purpose) { return std::optional<double>(); });
  const kernel::Study& study = d.run();
  CHECK(study.outcome == kernel::StudyOutcome::failed);
  CHECK(study.search->ranked.size() == 1);
}

}  // namespace modelling
