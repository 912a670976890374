// Screenings and optimisations, from their plans to what they carry into the confirmation.

#include "kernel/search/search.h"

#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/domain/cells.h"
#include "kernel/search/search_space.h"
#include "kernel/study/search_scores.h"
#include "tests/kernel/search/search_driver.h"

namespace searching {

using driver::Driver;
using driver::range;
using kernel::Cell;
using kernel::Direction;
using kernel::Purpose;
using kernel::StudyKind;
using synthetic::factor;

namespace {

kernel::Factor with_baseline(kernel::Factor f, const std::string& baseline) {
  f.baseline = baseline;
  return f;
}

kernel::Factor ready(kernel::Factor f) {
  f.baseline = kernel::range_text(f, 0.5);
  for (const double share : {0.0, 0.5, 1.0}) kernel::add_range_level(f, kernel::range_text(f, share));
  return f;
}

std::vector<kernel::Factor> five() {
  std::vector<kernel::Factor> factors;
  for (const char* name : {"a", "b", "c", "d", "e"}) factors.push_back(with_baseline(factor(name, {"0", "1"}), "0"));
  return factors;
}

double number_at(const Cell& cell, const char* factor) {
  return std::stod(cell.at(factor));
}

int search_runs(const kernel::Study& study) {
  return static_cast<int>(std::count_if(study.runs.begin(), study.runs.end(),
                                        [](const kernel::Run& run) { return run.purpose == Purpose::search; }));
}

kernel::StudySpec tuning() {
  kernel::StudySpec spec =
      driver::search(StudyKind::optimize,
                     {ready(range("lr", 1e-4, 1, true)), with_baseline(factor("opt", {"sgd", "adam", "rms"}), "sgd"),
                      factor("steps", {"1", "3", "9"})});
  spec.fidelity = kernel::Fidelity{"steps", 3};
  return spec;
}

double tuned(const Cell& cell) {
  const double distance = std::log10(number_at(cell, "lr")) + 2;
  return distance * distance + (cell.at("opt") == "adam" ? 0 : 1) + 1 / number_at(cell, "steps");
}

}  // namespace

TEST_CASE("values of a range are short, stay inside it, and spell their own number") {
  const kernel::Factor lr = ready(range("lr", 1e-4, 1e-1, true)), share = ready(range("p", 0.1, 0.4)),
                       narrow = ready(range("x", 1000, 1001));
  kernel::Factor units = range("n", 16, 300, true);
  units.type = kernel::FactorType::integer;
  CHECK(*lr.baseline == "0.003162");
  CHECK(kernel::range_text(lr, 0) == "0.0001");
  CHECK(kernel::range_text(lr, 1) == "0.1");
  CHECK(kernel::range_text(share, 1.0 / 3) == "0.2");
  CHECK(kernel::range_text(narrow, 0.5) == "1000.5");
  CHECK(kernel::range_text(units, 0.5) == "69");
  for (const kernel::Factor* f : {&lr, &share, &narrow})
    for (double u = 0; u <= 1; u += 0.01) {
      const std::string text = kernel::range_text(*f, u);
      const double value = std::stod(text);
      CHECK((value >= f->range->low && value <= f->range->high));
      CHECK(text.size() <= 9);
      CHECK(std::abs(kernel::range_share(*f, value) - u) < 2e-3);
      CHECK(kernel::range_text(*f, kernel::range_share(*f, value)) == text);
    }
}

TEST_CASE("what was tried of a range is a level of it, in order and once") {
  kernel::StudySpec spec = driver::search(StudyKind::optimize, {ready(range("lr", 1e-4, 1, true))});
  kernel::add_range_levels(spec, {{"lr", "0.5"}, {"other", "x"}});
  kernel::add_range_levels(spec, {{"lr", "0.5"}});
  kernel::add_range_levels(spec, {{"lr", "0.002"}});
  std::vector<std::string> names;
  for (const kernel::Level& level : spec.factors[0].levels) names.push_back(level.name);
  CHECK(names == std::vector<std::string>{"0.0001", "0.002", "0.01", "0.5", "1"});
  CHECK(*spec.factors[0].level("0.5")->value.number == 0.5);
  CHECK_THROWS_AS(kernel::add_range_levels(spec, {{"lr", "much"}}), std::logic_error);
}

TEST_CASE("successive halving keeps one in eta, with more replicates or a higher fidelity each time") {
  kernel::HalvingShape shape;
  shape.candidates = 27;
  const auto sizes = [](const std::vector<kernel::Rung>& rungs) {
    std::vector<std::vector<int>> list;
    for (const auto& rung : rungs) list.push_back({rung.candidates, rung.replicates, rung.first_seed});
    return list;
  };
  CHECK(sizes(kernel::halving_rungs(shape)) == std::vector<std::vector<int>>{{27, 3, 0}, {9, 9, 3}, {3, 20, 12}});
  shape.refined = 4;
  shape.replicates_max = 9;
  shape.top = 2;
  const auto rungs = kernel::halving_rungs(shape);
  CHECK(sizes(rungs) == std::vector<std::vector<int>>{{27, 3, 0}, {9, 9, 3}, {3, 9, 12}, {6, 9, 21}});
  CHECK((rungs[3].refines && !rungs[2].refines));
  CHECK(kernel::runs_of(rungs) == 28 * 3 + 10 * 9 + 4 * 9 + 7 * 9);
  shape.fidelities = {"1", "5"};
  std::vector<std::string> levels;
  for (const auto& rung : kernel::halving_rungs(shape)) {
    CHECK(rung.replicates == 3);
    levels.push_back(rung.fidelity);
  }
  CHECK(levels == std::vector<std::string>{"1", "1", "5", "5"});
  shape.fidelities = {"1", "2", "3", "4", "5"};
  shape.refined = 0;
  CHECK(kernel::halving_rungs(shape).front().fidelity == "3");
  shape.candidates = 2;
  CHECK(kernel::halving_rungs(shape).size() == 1);
  CHECK(kernel::halving_rungs(shape).front().fidelity == "5");
}

TEST_CASE("an optimisation finds what was planted, and confirms it on seeds of its own") {
  Driver d(tuning(), [](const Cell& cell, std::uint64_t seed, Purpose) {
    return tuned(cell) + 0.1 * driver::noise(cell, seed, 1);
  });
  const kernel::Study& study = d.run();
  REQUIRE(study.search);
  REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
  REQUIRE(study.hypotheses.size() == 1);
  const kernel::Hypothesis& h = study.hypotheses[0].hypothesis;
  CHECK(h.direction == Direction::less);
  CHECK(h.treatment.at("opt") == "adam");
  CHECK(h.control.at("opt") == "sgd");
  CHECK(h.where == Cell{{"steps", "9"}});
  CHECK(study.hypotheses[0].result->verdict == kernel::Verdict::supported);
  CHECK(study.family == 1);
  CHECK(study.experiments[0].registration.replicates == std::vector<int>{6, 6});
  std::set<std::uint64_t> selection, confirmation;
  for (const kernel::Run& run : study.runs) {
    CHECK(run.evidence() == (run.purpose == Purpose::registered));
    CHECK(run.experiment == (run.purpose == Purpose::search ? "S01" : "E01"));
    (run.purpose == Purpose::search ? selection : confirmation).insert(run.seed);
  }
  CHECK(confirmation.size() == 6);
  for (const std::uint64_t seed : confirmation) CHECK(selection.count(seed) == 0);
  CHECK(study.search->hash == kernel::sha256_hex(kernel::canonical(study.search->plan)));
  // A plan, and only then its runs.
  const auto first = [&](auto is) { return std::find_if(d.log.begin(), d.log.end(), is) - d.log.begin(); };
  CHECK(first([](const kernel::Event& e) { return std::holds_alternative<kernel::SearchRegistered>(e.body); }) <
        first([](const kernel::Event& e) { return std::holds_alternative<kernel::RunsQueued>(e.body); }));
}

TEST_CASE("every rung has the baseline, one fidelity and seeds that no other has, interleaved") {
  Driver d(tuning(), [](const Cell& cell, std::uint64_t seed, Purpose) {
    return tuned(cell) + 0.1 * driver::noise(cell, seed, 1);
  });
  const kernel::Study& study = d.run();
  const auto& plan = study.search->plan;
  REQUIRE(study.search->ranked.size() == plan.rungs.size());
  REQUIRE(plan.rungs.back().refines);
  std::set<std::uint64_t> all;
  std::size_t seeds = 0;
  for (std::size_t i = 0; i < plan.rungs.size(); ++i) {
    std::map<int, std::set<Cell>> by_replicate;
    std::set<std::uint64_t> own;
    std::vector<int> order;
    for (const kernel::Run& run : study.runs) {
      if (run.label != kernel::rung_label(static_cast<int>(i) + 1)) continue;
      const Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
      CHECK(cell.at("steps") == plan.rungs[i].fidelity);
      by_replicate[run.replicate].insert(cell);
      own.insert(run.seed);
      order.push_back(run.replicate);
    }
    // Whole replicates one after the other, each over all candidates and the baseline.
    CHECK(std::is_sorted(order.begin(), order.end()));
    CHECK(static_cast<int>(own.size()) == plan.rungs[i].replicates);
    for (const auto& [replicate, cells] : by_replicate) {
      CHECK(cells == by_replicate.begin()->second);
      Cell baseline = kernel::baseline_cell(study.spec, false);
      baseline["steps"] = plan.rungs[i].fidelity;
      CHECK(cells.contains(baseline));
    }
    all.insert(own.begin(), own.end());
    seeds += own.size();
    const auto& candidates = study.search->ranked[i].candidates;
    CHECK(std::count_if(candidates.begin(), candidates.end(), [](const auto& c) { return c.baseline && !c.kept; }) ==
          1);
  }
  CHECK(all.size() == seeds);
}

TEST_CASE("a search that was cut off anywhere goes on as it would have gone") {
  const auto value = [](const Cell& cell, std::uint64_t seed, Purpose) {
    return tuned(cell) + 0.3 * driver::noise(cell, seed, 3);
  };
  Driver whole(tuning(), value);
  whole.run();
  for (std::size_t cut = 3; cut < whole.log.size(); cut += 23) {
    Driver again(tuning(), value);
    again.state = {};
    again.log.assign(whole.log.begin(), whole.log.begin() + static_cast<std::ptrdiff_t>(cut));
    for (const kernel::Event& event : again.log) kernel::apply(again.state, event);
    // A run that lived then is the executor's to end; here it never started.
    const std::set<int> live = again.study().live;
    for (const int run : live) {
      kernel::apply(again.state, {"s1", "kernel", {}, kernel::RunRequeued{run, {}}});
    }
    again.run();
    REQUIRE(again.study().search->ranked.size() == whole.study().search->ranked.size());
    CHECK(again.study().hypotheses[0].hypothesis.treatment == whole.study().hypotheses[0].hypothesis.treatment);
    CHECK(again.study().runs.size() == whole.study().runs.size());
  }
}

TEST_CASE("the budget is kept, whatever it is, and a search with its confirmation is never more than planned") {
  for (const int budget : {45, 60, 90, 200, 1000}) {
    INFO("a budget of " << budget);
    kernel::StudySpec spec = tuning();
    spec.budget.runs = budget;
    Driver d(spec,
             [](const Cell& cell, std::uint64_t seed, Purpose) { return tuned(cell) + driver::noise(cell, seed, 1); });
    const kernel::Study& study = d.run();
    CHECK(static_cast<int>(study.runs.size()) <= budget);
    CHECK(search_runs(study) <= kernel::runs_of(study.search->plan, spec));
    CHECK(study.outcome == kernel::StudyOutcome::concluded);
    if (budget > 200) CHECK(study.search->plan.registered.cells.size() > 27);
  }
}

TEST_CASE("small spaces are searched whole, candidates are distinct and allowed, and levels balanced") {
  kernel::StudySpec spec = driver::search(StudyKind::optimize, {with_baseline(factor("x", {"1", "2", "3"}), "1"),
                                                                with_baseline(factor("y", {"a", "b"}), "a")});
  spec.excludes = {{{"x", {"3"}}, {"y", {"b"}}}};
  kernel::Study study;
  study.spec = spec;
  CHECK(kernel::search_plan(study, {}).registered.cells ==
        std::vector<Cell>{
            {{"x", "1"}, {"y", "b"}}, {{"x", "2"}, {"y", "a"}}, {{"x", "2"}, {"y", "b"}}, {{"x", "3"}, {"y", "a"}}});
  study.spec = tuning();
  const auto cells = kernel::search_plan(study, {}).registered.cells;
  CHECK(cells.size() == 27);
  CHECK(std::set<Cell>(cells.begin(), cells.end()).size() == 27);
  std::map<std::string, int> optimizers;
  std::set<int> strata;
  for (const Cell& cell : cells) {
    ++optimizers[cell.at("opt")];
    strata.insert(static_cast<int>(27 * kernel::range_share(study.spec.factors[0], number_at(cell, "lr")) - 1e-9));
    CHECK(cell.size() == 2);
  }
  for (const auto& [name, count] : optimizers) CHECK(count == 9);
  CHECK(strata.size() >= 24);
}

TEST_CASE("failed runs count as the worst value, and what never succeeds goes on nowhere") {
  kernel::StudySpec spec =
      driver::search(StudyKind::optimize, {with_baseline(factor("x", {"1", "2", "3", "4", "5", "6"}), "1")});
  std::map<std::uint64_t, int> seen;
  Driver d(spec, [&](const Cell& cell, std::uint64_t seed, Purpose purpose) -> std::optional<double> {
    const double x = number_at(cell, "x");
    // The best by far, when it runs at all.
    if (x == 6) return std::nullopt;
    if (x == 5 && purpose == Purpose::search && seed % 2 == 0) return std::nullopt;
    return (x == 5 ? 1 : 10 - x) + 0.01 * driver::noise(cell, seed, 1);
  });
  const kernel::Study& study = d.run();
  const kernel::RungRanked& first = study.search->ranked[0];
  CHECK(first.candidates.back().cell.at("x") == "6");
  CHECK_FALSE(first.candidates.back().mean);
  CHECK_FALSE(first.candidates.back().kept);
  for (const kernel::Candidate& c : first.candidates)
    if (c.cell.at("x") == "5" && c.failed > 0) CHECK(*c.mean > 4);
  REQUIRE(study.hypotheses.size() == 1);
  CHECK(study.hypotheses[0].hypothesis.treatment.at("x") != "6");
}

TEST_CASE("a search in which nothing succeeds ends the study as failed, with its dead ends") {
  Driver d(tuning(), [](const Cell&, std::uint64_t, Purpose) { return std::optional<double>(); });
  const kernel::Study& study = d.run();
  CHECK(study.outcome == kernel::StudyOutcome::failed);
  CHECK(study.hypotheses.empty());
  CHECK(study.search->ranked.size() == 1);
  CHECK(std::any_of(study.nodes.begin(), study.nodes.end(),
                    [](const kernel::Node& node) { return node.type == kernel::NodeType::dead_end; }));
}

TEST_CASE("a maximised metric is searched upwards") {
  kernel::StudySpec spec = tuning();
  spec.metrics[0].goal = kernel::Goal::maximize;
  Driver d(spec, [](const Cell& cell, std::uint64_t seed, Purpose) {
    return -tuned(cell) + 0.1 * driver::noise(cell, seed, 1);
  });
  const kernel::Study& study = d.run();
  CHECK(study.hypotheses[0].hypothesis.direction == Direction::greater);
  CHECK(study.hypotheses[0].result->verdict == kernel::Verdict::supported);
}

TEST_CASE("nobody proposes anything but what was selected, nor skips a step of the search") {
  Driver d(tuning(), [](const Cell& cell, std::uint64_t seed, Purpose) {
    return tuned(cell) + 0.1 * driver::noise(cell, seed, 1);
  });
  CHECK(d.refusal(kernel::RegisterSearch{}) != "");
  d.run([](const kernel::Study& study) { return study.phase() == kernel::Phase::searching; });
  CHECK(d.refusal(kernel::QueueRung{}) != "");
  CHECK(d.refusal(kernel::RankRung{}) != "");
  CHECK(d.refusal(kernel::CloseProposals{1}) != "");
  d.run([](const kernel::Study& study) { return study.search && study.search->pending > 0; });
  CHECK(d.refusal(kernel::RegisterSearch{}) != "");
  CHECK(d.refusal(kernel::RankRung{}) != "");
  CHECK(d.refusal(kernel::QueueRung{}) != "");
  d.run([](const kernel::Study& study) { return study.phase() == kernel::Phase::proposing; });
  auto selected = kernel::selected_hypotheses(d.study());
  REQUIRE(selected.size() == 1);
  CHECK(d.refusal(kernel::ProposeHypothesis{selected[0]}) == "");
  selected[0].treatment["opt"] = "rms";
  CHECK(d.refusal(kernel::ProposeHypothesis{selected[0]}) != "");
  selected = kernel::selected_hypotheses(d.study());
  selected[0].direction = Direction::different;
  CHECK(d.refusal(kernel::ProposeHypothesis{selected[0]}) != "");
  selected = kernel::selected_hypotheses(d.study());
  selected[0].margin = kernel::Margin{kernel::Margin::Kind::absolute, -1};
  CHECK(d.refusal(kernel::ProposeHypothesis{selected[0]}) != "");
  CHECK(d.refusal(kernel::CloseProposals{1}) != "");
  d.command({"s1", "hypothesis", kernel::ProposeHypothesis{kernel::selected_hypotheses(d.study())[0]}});
  CHECK(d.refusal(kernel::CloseProposals{2}) != "");
  CHECK(d.refusal(kernel::CloseProposals{1}) == "");
}

TEST_CASE("each of the best is confirmed against one baseline that they share") {
  kernel::StudySpec spec = tuning();
  spec.design.confirm->top = 3;
  Driver d(spec, [](const Cell& cell, std::uint64_t seed, Purpose) {
    return tuned(cell) + 0.1 * driver::noise(cell, seed, 1);
  });
  const kernel::Study& study = d.run();
  CHECK(study.hypotheses.size() == 3);
  CHECK(study.family == 3);
  CHECK(study.experiments[0].registration.cells.size() == 4);
  CHECK(kernel::confirmation_runs(spec) == 4 * 6);
}

TEST_CASE("a screening carries the largest effects forward, in the direction seen and with the rest at the baseline") {
  kernel::StudySpec spec = driver::search(StudyKind::screen, five(), 2);
  Driver d(spec, [](const Cell& cell, std::uint64_t seed, Purpose) {
    return 10 + 3 * number_at(cell, "b") - 2 * number_at(cell, "d") + 0.2 * driver::noise(cell, seed, 1);
  });
  const kernel::Study& study = d.run();
  CHECK(study.search->plan.design == kernel::SearchDesign::full);
  REQUIRE(study.hypotheses.size() == 2);
  const kernel::Hypothesis& first = study.hypotheses[0].hypothesis;
  CHECK(first.treatment == Cell{{"b", "1"}});
  CHECK(first.control == Cell{{"b", "0"}});
  CHECK(first.where == Cell{{"a", "0"}, {"c", "0"}, {"d", "0"}, {"e", "0"}});
  CHECK(first.direction == Direction::greater);
  CHECK(study.hypotheses[1].hypothesis.direction == Direction::less);
  for (const auto& record : study.hypotheses) CHECK(record.result->verdict == kernel::Verdict::supported);
  CHECK(study.family == 2);
}

}  // namespace searching
