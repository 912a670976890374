#include <catch2/catch.hpp>

#include "kernel/decide/preconditions.h"
#include "kernel/design/design.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/wording/wording.h"
#include "stats/error_rates/sequential.h"
#include "tests/kernel/inference/synthetic.h"
#include "tests/kernel/search/search_driver.h"
#include "tests/kernel/verdicts/judging.h"

using kernel::Direction;
using kernel::Run;
using kernel::Verdict;

namespace {

kernel::StudySpec looking(int replicates, std::vector<double> at, bool futility = false, int arms = 1) {
  kernel::StudySpec spec = synthetic::study(replicates);
  std::vector<std::string> levels{"c"};
  for (int i = 1; i <= arms; ++i) levels.push_back("t" + std::to_string(i));
  spec.factors = {synthetic::factor("arm", levels)};
  spec.design.smoke = false;
  spec.design.looks = kernel::Looks{std::move(at), futility};
  spec.design.family = arms;
  for (int i = 1; i <= arms; ++i) {
    kernel::Hypothesis h = synthetic::compare(Direction::less);
    h.id = kernel::HypothesisId("H" + std::to_string(i));
    h.statement = "It is.";
    h.treatment = {{"arm", levels[static_cast<std::size_t>(i)]}};
    h.smallest_effect = {kernel::SmallestEffect::Kind::absolute, 0.2};
    spec.hypotheses.push_back(h);
  }
  return spec;
}

/// Around 10 with a spread of about 1, the first treatment lower by `first` and the second by `second`.
driver::Value lower_by(double first, double second = 0) {
  return [=](const kernel::Cell& cell, std::uint64_t seed, kernel::Purpose) {
    const std::string& arm = cell.at("arm");
    return 10 + synthetic::noise(arm, seed) - (arm == "t1" ? first : arm == "t2" ? second : 0);
  };
}

int runs_of(const kernel::Study& study, const std::string& arm) {
  int count = 0;
  for (const Run& run : study.runs)
    count +=
        run.purpose == kernel::Purpose::registered && study.cells[static_cast<std::size_t>(run.cell)].at("arm") == arm;
  return count;
}

const kernel::HypothesisResult& result(const kernel::Study& study, const kernel::HypothesisId& id) {
  return *study.hypothesis(id)->result;
}

}  // namespace

TEST_CASE("a clear effect ends its study at the first look, whose runs are all there are") {
  const auto spec = looking(16, {0.5, 1});
  driver::Driver study(spec, lower_by(8));
  study.run();
  const kernel::HypothesisResult& r = result(study.study(), "H1");
  CHECK(r.verdict == Verdict::supported);
  CHECK(r.n == std::array{8, 8});
  CHECK(runs_of(study.study(), "t1") == 8);
  CHECK(study.study().queue.empty());
  REQUIRE(r.look);
  CHECK(r.look->number == 1);
  CHECK(r.look->of == 2);
  CHECK(r.look->fraction == 0.5);
  // The interval is the repeated one: at the level that the boundary leaves at half of the runs.
  const auto looks = stats::alpha_spending(std::vector{0.5}, 0.05, stats::Sides::one);
  CHECK(r.level == Approx(looks->back().level).epsilon(1e-9));
  const bool said = std::any_of(r.warnings.begin(), r.warnings.end(), [](const kernel::Reason& w) {
    return newest_words(w).find("decided at look 1 of 2, at 50 % of its runs") != std::string::npos;
  });
  CHECK(said);
}

TEST_CASE("what is not decided goes on, and its last look spends what is left") {
  driver::Driver study(looking(16, {0.25, 0.5, 1}), lower_by(0.05));
  study.run();
  const kernel::HypothesisResult& r = result(study.study(), "H1");
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(runs_of(study.study(), "t1") == 16);
  CHECK(r.look->number == 3);
  const auto looks = stats::alpha_spending(std::vector{0.25, 0.5, 1.0}, 0.05, stats::Sides::one);
  CHECK(r.level == Approx(looks->back().level).epsilon(1e-9));
  CHECK(r.level > 0.9);
}

TEST_CASE("an arm that is decided gets no more runs, while the control and the others do") {
  driver::Driver study(looking(20, {0.5, 1}, false, 2), lower_by(8, 0.05));
  study.run();
  CHECK(result(study.study(), "H1").look->number == 1);
  CHECK(result(study.study(), "H1").n == std::array{10, 10});
  CHECK(result(study.study(), "H2").look->number == 2);
  CHECK(result(study.study(), "H2").n == std::array{20, 20});
  CHECK(runs_of(study.study(), "t1") == 10);
  CHECK(runs_of(study.study(), "t2") == 20);
  CHECK(runs_of(study.study(), "c") == 20);
  const kernel::Experiment& e = study.study().experiments.front();
  CHECK(kernel::due_replicates(study.study(), e) == std::vector{10, 20, 20});
  int number = 0;
  for (const Run& run : study.study().runs) CHECK(run.number == ++number);
}

TEST_CASE("what later runs show is no warning for what an earlier look decided") {
  int controls = 0;
  const driver::Value value = lower_by(8, 0.05);
  driver::Driver study(
      looking(20, {0.5, 1}, false, 2), [&](const kernel::Cell& cell, std::uint64_t seed, kernel::Purpose purpose) {
        const bool wild = cell.at("arm") == "c" && purpose == kernel::Purpose::registered && ++controls == 15;
        return *value(cell, seed, purpose) + (wild ? 5000 : 0);
      });
  study.run();
  const auto outliers = [&](const kernel::HypothesisId& id) {
    const auto& list = result(study.study(), id).warnings;
    return std::count_if(list.begin(), list.end(),
                         [](const kernel::Reason& w) { return newest_words(w).find("(50") != std::string::npos; });
  };
  CHECK(outliers("H1") == 0);
  CHECK(outliers("H2") == 1);
}

TEST_CASE("nothing of a hypothesis is known before the look that decides it") {
  driver::Driver study(looking(20, {0.5, 1}, false, 2), lower_by(8, 0.05));
  study.run([](const kernel::Study& s) { return !s.experiments.empty() && !s.experiments.front().going_on.empty(); });
  CHECK(study.study().hypothesis("H1")->result);
  CHECK_FALSE(study.study().hypothesis("H2")->result);
  CHECK(study.study().experiments.front().going_on.front() == std::vector<kernel::HypothesisId>{"H2"});
}

TEST_CASE("what has hardly a chance left stops as futile, where the design asks for that") {
  driver::Driver hopeless(looking(24, {0.5, 1}, true), lower_by(-2));
  hopeless.run();
  const kernel::HypothesisResult& r = result(hopeless.study(), "H1");
  CHECK(r.look->number == 1);
  CHECK(r.verdict != Verdict::supported);
  CHECK(runs_of(hopeless.study(), "t1") == 12);
  driver::Driver patient(looking(24, {0.5, 1}), lower_by(-0.8));
  patient.run();
  driver::Driver futile(looking(24, {0.5, 1}, true), lower_by(-0.8));
  futile.run();
  CHECK(result(patient.study(), "H1").look->number == 2);
  CHECK(result(futile.study(), "H1").look->number == 1);
  CHECK(result(futile.study(), "H1").verdict == Verdict::inconclusive);
  CHECK(newest_words(result(futile.study(), "H1").reason).find("Stopped as futile at look 1 of 2") == 0);
}

TEST_CASE("a look takes at least four runs of every arm, and more than the look before") {
  kernel::Registration r;
  r.terms.emplace();
  r.cells = {{{"arm", "t"}}, {{"arm", "c"}}};
  r.replicates = {12, 12};
  r.terms->design.looks = kernel::Looks{{0.1, 0.3, 0.32, 0.33, 0.5, 0.95, 1}, false};
  CHECK(kernel::looks_of(r) == std::vector{0.3, 0.5});
  r.replicates = {3, 3};
  CHECK(kernel::looks_of(r).empty());
  CHECK(kernel::replicates_by(10, 0.3) == 3);
  CHECK(kernel::replicates_by(10, 0.31) == 4);
}

TEST_CASE("rounding errors do not move a look to another replicate") {
  for (int replicates = 1; replicates <= 200; ++replicates)
    for (int percent = 1; percent <= 100; ++percent) {
      const int rounded_up = (percent * replicates + 99) / 100;
      CAPTURE(replicates, percent);
      REQUIRE(kernel::replicates_by(replicates, percent / 100.0) == rounded_up);
    }
}

TEST_CASE("with looks a study is sized for the level that its last look has left") {
  kernel::Design design;
  CHECK(kernel::last_level(design, 0.025, stats::Sides::one) == 0.025);
  design.looks = kernel::Looks{{0.5, 1}, false};
  const auto boundary = stats::alpha_spending(std::vector{0.5, 1.0}, 0.025, stats::Sides::one);
  CHECK(kernel::last_level(design, 0.025, stats::Sides::one) == Approx(boundary->back().nominal_p).epsilon(1e-12));
  CHECK(kernel::last_level(design, 0.025, stats::Sides::one) < 0.025);
}

TEST_CASE("a look at which next to nothing may be spent decides nothing, and goes on") {
  driver::Driver study(looking(80, {0.05, 1}), lower_by(8));
  study.run();
  const kernel::HypothesisResult& r = result(study.study(), "H1");
  CHECK(r.verdict == Verdict::supported);
  CHECK(r.look->number == 2);
  CHECK(r.low);
}

TEST_CASE("code on which a look has decided something is not amended") {
  driver::Driver study(looking(20, {0.5, 1}, false, 2), lower_by(8, 0.05));
  study.run([](const kernel::Study& s) { return !s.experiments.empty() && s.experiments.front().planned == 2; });
  const kernel::AmendWorkspace amended{{kernel::WorkspaceHash("another"), 1, 1, {}}, "it is wrong"};
  CHECK(study.refusal(amended).find("no agent acts on it") != std::string::npos);
  const kernel::Decision decision = kernel::decide(study.state, {"s1", kernel::person_actor, amended}, {});
  REQUIRE(kernel::why_not(decision.outcome));
  const std::string why = *kernel::why_not(decision.outcome);
  CHECK(why.find("H1 has its verdict on the code as it is") != std::string::npos);
}

TEST_CASE("steps that come out of turn are found in a log, and those of the kernel are in turn") {
  driver::Driver study(looking(20, {0.5, 1}, false, 2), lower_by(8, 0.05));
  study.run([](const kernel::Study& s) { return !s.experiments.empty() && !s.experiments.front().going_on.empty(); });
  const kernel::Study& now = study.study();
  CHECK(kernel::cannot_follow(now, kernel::ExperimentAnalysed{"E01", {}}));
  CHECK(kernel::cannot_follow(now, kernel::InterimLook{"E01", 2, 1, {}, {}}));
  CHECK(kernel::cannot_follow(now, kernel::ProposalsClosed{9}));
  CHECK(kernel::cannot_follow(now, kernel::HypothesisWithdrawn{"H1", kernel::as_said("it lost"), {}}));
  CHECK(kernel::cannot_follow(now, kernel::BatchOpened{2, kernel::as_said("more")}));
  kernel::Study measuring = now;
  measuring.experiments.front().pending = 1;
  for (kernel::HypothesisRecord& record : measuring.hypotheses) record.result.reset();
  const kernel::WorkspaceRecord other{kernel::WorkspaceHash("other"), 1, 1, {}};
  CHECK(kernel::cannot_follow(now, kernel::WorkspaceAmended{"why", other, "E01", true, {}}));
  CHECK(kernel::cannot_follow(measuring, kernel::WorkspaceAmended{"why", other, "E01", false, {}}));
  CHECK_FALSE(kernel::cannot_follow(measuring, kernel::WorkspaceAmended{"why", other, "E01", true, {}}));
  CHECK(kernel::cannot_follow(now, kernel::StudyConcluded{kernel::StudyOutcome::concluded, {}}));
  kernel::Hypothesis extra = synthetic::compare(Direction::less);
  extra.id = "H9";
  CHECK(kernel::cannot_follow(now, kernel::HypothesisProposed{extra, 1, false}));
  kernel::State state;
  study.run();
  for (const kernel::Event& event : study.log) {
    if (const kernel::Study* before = state.study("s1"))
      CHECK(kernel::cannot_follow(*before, event.body).value_or(kernel::Rejection{}).reason == "");
    kernel::apply(state, event);
  }
}

TEST_CASE("with a look after every pair, a failed run ends what it leaves without a verdict") {
  auto spec = looking(40, {}, false, 2);
  spec.design.looks->anytime = true;
  spec.design.replicates_min = 4;
  int runs = 0;
  driver::Driver study(spec, [&runs](const kernel::Cell& cell, std::uint64_t seed, kernel::Purpose) {
    const bool fails = cell.at("arm") == "t1" && ++runs == 6;
    const double value = 10 + synthetic::noise(cell.at("arm"), seed);
    return fails ? std::nullopt : std::optional(value);
  });
  study.run();
  const kernel::HypothesisResult& failed = result(study.study(), "H1");
  CHECK(failed.verdict == Verdict::inconclusive);
  CHECK(synthetic::holds(failed.reason, "1 of 6 treatment runs failed"));
  CHECK(synthetic::holds(failed.reason, "its runs end after 6 of at most 40 pairs"));
  CHECK(runs_of(study.study(), "t1") == 6);
  CHECK(runs_of(study.study(), "t2") == 40);
}
