// Which operator is tried on which version of the code, how often versions are run, and when the search stops.
#include "kernel/search/code_search.h"

#include <catch2/catch.hpp>

#include "kernel/decide/decide.h"
#include "kernel/domain/enum_names.h"
#include "kernel/loop/due.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/study/search_scores.h"
#include "tests/kernel/studies/world.h"

namespace {

using kernel::CodeOperator;
using kernel::Study;

struct Tree {
  Study study;

  Tree() {
    kernel::StudySpec spec = small_spec();
    spec.kind = kernel::StudyKind::optimize;
    spec.hypotheses.clear();
    spec.factors.clear();
    kernel::Factor code;
    code.name = kernel::code_factor;
    code.levels = {{kernel::original_code, {kernel::original_code, std::nullopt}, {}}};
    code.baseline = kernel::original_code;
    spec.factors = {code};
    spec.code = kernel::CodeSpec{3, 3, 2, 20};
    spec.design.replicates_min = 2;
    spec.design.replicates_max = 8;
    spec.design.confirm = kernel::Confirm{1, 6};
    spec.budget = {};
    study.id = "s1";
    study.spec = std::move(spec);
    study.search.emplace();
    study.search->plan = kernel::search_plan(study, {});
    measure(kernel::original_code, {10, 10});
  }

  /// What the kernel asks for next, taken on: every step of it is answered by a version with such values, an empty list
  /// being one whose run failed.
  std::vector<std::string> round(const std::vector<std::vector<double>>& values) {
    std::vector<std::string> asked;
    const auto steps = kernel::next_steps(study);
    ++study.code.round;
    study.code.steps.insert(study.code.steps.end(), steps.begin(), steps.end());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::string words(name(steps[i].op));
      for (const std::string& parent : steps[i].parents) words += " " + parent;
      asked.push_back(words);
      if (i >= values.size()) continue;
      const std::string id = "v" + steps[i].id.substr(steps[i].id.rfind('-') + 1);
      study.code.versions.push_back({id, steps[i].id, steps[i].op, steps[i].parents, "why", {}, {}});
      study.spec.factors[0].levels.push_back({id, {"hash of " + id, std::nullopt}, {}});
      measure(id, values[i]);
    }
    return asked;
  }

  void measure(const std::string& version, const std::vector<double>& values) {
    const kernel::Cell cell = kernel::code_cell(study.spec, version);
    const auto [place, added] = study.cell_numbers.try_emplace(cell, static_cast<int>(study.cells.size()));
    if (added) study.cells.push_back(cell);
    const auto add = [&](kernel::RunState state, std::optional<double> value) {
      kernel::Run run;
      run.number = static_cast<int>(study.runs.size()) + 1;
      run.purpose = kernel::Purpose::search;
      run.cell = place->second;
      run.state = state;
      if (value) run.measurement.values[study.spec.primary().name].value = *value;
      study.runs.push_back(run);
    };
    for (const double value : values) add(kernel::RunState::succeeded, value);
    if (values.empty()) add(kernel::RunState::failed, std::nullopt);
  }

  /// Version → how often it is to be run.
  std::map<std::string, int> due() const {
    std::map<std::string, int> runs;
    for (const kernel::PlannedRun& run : kernel::due_code_runs(study).runs) ++runs[run.label];
    return runs;
  }
};

using Asked = std::vector<std::string>;

}  // namespace

TEST_CASE("a search over code begins with drafts, as many at once as there are branches") {
  Tree tree;
  CHECK(tree.round({}) == Asked{"draft original", "draft original", "draft original"});
}

TEST_CASE("what fails is mended up to its depth, beside what runs being improved") {
  Tree tree;
  tree.round({{}, {8, 8}, {9, 9}});
  CHECK(tree.round({{}, {7, 7}, {6, 6}}) == Asked{"debug v1", "improve v2", "merge v2 v3"});
  // Mended once more, as it still fails; the best came of a merge, and what makes it good is asked.
  CHECK(tree.round({{}, {5, 5}, {5.5, 5.5}}) == Asked{"debug v4", "improve v6", "ablate v6"});
  // Twice is enough.
  const Asked next = tree.round({});
  CHECK(next.front() != "debug v7");
  CHECK(next.front() == "improve v8");
}

TEST_CASE("a version that changes one line is not taken apart: without it, it would be a version that is known") {
  for (const int lines : {0, 1, 2}) {
    CAPTURE(lines);
    Tree tree;
    tree.round({{}, {8, 8}, {9, 9}});
    tree.round({{}, {7, 7}, {6, 6}});
    tree.study.code.versions.back().lines = lines;
    const Asked next = tree.round({});
    CHECK((std::ranges::find(next, "ablate v6") != next.end()) == (lines != 1));
  }
}

TEST_CASE("the noise of a run is pooled over the versions that ran several times") {
  Tree tree;  // The person's version ran twice, with 10.
  CHECK(*kernel::noise_of_versions(tree.study) == 0);
  tree.round({{8, 10}, {7}});
  CHECK(*kernel::noise_of_versions(tree.study) == Approx(1));  // Squares 0 + 2 over one degree of freedom each.
}

TEST_CASE("a version that is better by one lucky run is not the one to go on with") {
  Tree tree;
  tree.study.spec.code->branches = 1;
  tree.study.spec.code->drafts = 2;
  tree.round({{8, 8.2, 7.9, 8.1}});
  tree.round({{7.9}});
  tree.measure("original", {14, 6});  // The metric is a noisy one.
  CHECK(tree.round({}) == Asked{"improve v1"});
}

TEST_CASE("what was tried seldom is tried, too") {
  Tree tree;
  tree.round({{8, 8}, {8.1, 8.1}, {11, 11}});
  Asked all;
  for (int i = 0; i < 3; ++i)
    for (const std::string& one : tree.round({})) all.push_back(one);
  CHECK(std::find(all.begin(), all.end(), "improve v2") != all.end());
  CHECK(std::count(all.begin(), all.end(), "improve v1") > std::count(all.begin(), all.end(), "improve v3"));
}

TEST_CASE("where no draft runs and none can be mended there are further drafts, and an end") {
  Tree tree;
  tree.study.spec.code->debug_depth = 0;
  tree.round({{}, {}, {}});
  Asked all;
  for (int i = 0; i < 9; ++i)
    for (const std::string& one : tree.round({{}})) all.push_back(one);
  CHECK(all == Asked{"draft original", "draft original", "draft original"});
}

TEST_CASE("a version is run as often as the least says, and those that stay first more often") {
  Tree tree;
  tree.round({{}, {8}, {9}});
  CHECK(tree.due() == std::map<std::string, int>{{"v2", 1}, {"v3", 1}});
  tree.measure("v2", {8});
  tree.measure("v3", {9});
  CHECK(tree.due().empty());
  tree.round({});
  CHECK(tree.due() == std::map<std::string, int>{{"original", 2}, {"v2", 2}, {"v3", 2}});
  tree.study.code.over = kernel::as_said("enough");
  CHECK(tree.due() == std::map<std::string, int>{{"original", 6}, {"v2", 6}, {"v3", 6}});
}

TEST_CASE("runs that the confirmation needs are never spent on versions") {
  Tree tree;
  // Twelve confirm; a failed and a measured version and the person's own took some, none of which is charged here.
  tree.study.spec.budget.runs = 12 + 3;
  tree.round({{8}, {9}, {9.5}});
  tree.study.code.over = kernel::as_said("enough");
  const auto due = tree.due();
  int sum = 0;
  for (const auto& [version, runs] : due) sum += runs;
  CHECK(sum <= 3);
  CHECK_FALSE(kernel::code_stop(tree.study, {}).empty());
}

TEST_CASE("what the reviews of the best will take is kept back from those who write versions") {
  Tree tree;
  tree.round({{8}, {9}, {9.5}});
  Study& study = tree.study;
  study.spec.budget.tokens = 1000;
  study.spec.budget.usd = 2;
  CHECK(kernel::limits_of_steps(study).tokens == 1000);
  for (const kernel::CodeStep& step : study.code.steps) {
    kernel::Account account;
    account.branch = step.id;
    account.calls = 3;
    account.tokens = 100;
    account.usd = 0.25;
    study.accounts.push_back(account);
  }
  // Two lines for the one version that will be confirmed.
  CHECK(kernel::limits_of_steps(study).tokens == 800);
  CHECK(kernel::limits_of_steps(study).usd == 1.5);

  study.spec.budget = {};
  study.spec.budget.wall_s = 100;
  study.session_open = true;
  const auto until = [&] { return kernel::code_until(study).value(); };
  const std::int64_t before = until();
  for (const std::int64_t ms : {5000, 4000, 90'000'000}) {
    kernel::LineOfWork line;
    line.id = study.code.steps[study.thinking.lines.size()].id;
    line.ended = true;
    line.ended_ms = ms;
    study.thinking.lines.push_back(line);
  }
  CHECK(before - until() == 2 * 5000);
}

TEST_CASE("the best by its mean over as many runs as any is carried forward, never the person's own") {
  Tree tree;
  tree.round({{8, 8, 8, 8}, {7}, {}});
  const kernel::RungRanked ranked = kernel::rank_code(tree.study);
  std::vector<std::string> kept;
  for (const kernel::Candidate& c : ranked.candidates)
    if (c.kept) kept.push_back(c.cell.at(kernel::code_factor));
  CHECK(kept == std::vector<std::string>{"v1"});
  CHECK(ranked.last);
  tree.study.search->ranked.push_back(ranked);
  const auto selected = kernel::selected_hypotheses(tree.study);
  REQUIRE(selected.size() == 1);
  CHECK(selected[0].treatment == kernel::Cell{{"code", "v1"}});
  CHECK(selected[0].control == kernel::Cell{{"code", "original"}});
}

TEST_CASE("a search that is over before its first round is ranked once the runs of the original code have ended") {
  Tree tree;
  kernel::State state;
  kernel::Study& study = state.studies.emplace("s1", std::move(tree.study)).first->second;
  study.check.emplace();
  study.code.over = kernel::as_said("no money");
  REQUIRE(study.phase() == kernel::Phase::searching);
  const kernel::Decision decision = kernel::decide(state, {"s1", "experiment", kernel::AdvanceCode{}}, {});
  REQUIRE(decision.events.size() == 1);
  CHECK(std::holds_alternative<kernel::RunsQueued>(decision.events.front().body));
}

TEST_CASE("a search that may come to nothing waits for the runs that agents ordered beside it") {
  Tree tree;
  kernel::State state;
  kernel::Study& study = state.studies.emplace("s1", std::move(tree.study)).first->second;
  study.check.emplace();
  study.code.over = kernel::as_said("no money");
  kernel::Run scratch;
  scratch.number = static_cast<int>(study.runs.size()) + 1;
  scratch.purpose = kernel::Purpose::scratch;
  scratch.state = kernel::RunState::running;
  study.runs.push_back(scratch);
  study.live = {scratch.number};
  study.thinking.orders[scratch.number].command = "ls";
  CHECK(kernel::next_effects(state, {}).empty());
  study.live.clear();
  REQUIRE(kernel::next_effects(state, {}).size() == 1);
  CHECK(std::holds_alternative<kernel::AskRole>(kernel::next_effects(state, {}).front()));
}
