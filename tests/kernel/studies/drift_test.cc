// Values that follow the order of the runs are said to; those that do not are not, whatever their cells.

#include <catch2/catch.hpp>

#include "kernel/verdicts/cautions.h"
#include "kernel/wording/wording.h"
#include "stats/basics/random.h"
#include "tests/kernel/studies/world.h"

namespace {

/// A study whose job's time depends on how many ran before it.
kernel::Study study_of(const std::function<double(int order, stats::Xoshiro&)>& noise, bool deterministic = false) {
  int order = 0;
  stats::Xoshiro random(5);
  World world([&](const kernel::JobSpec& job) {
    const double base = job.values.at("algorithm") == "quick" ? 10 : 400;
    // A seed does the same to all its runs.
    stats::Xoshiro own(job.seed);
    const double shared = 3 * own.normal();
    return fakes::FakeExecutor::succeeded({{"time_ms", base * (1 + 0.05 * (shared + noise(order++, random)))}});
  });
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.smoke = false;
  spec.design.replicates_min = spec.design.replicates_max = 24;
  spec.metrics.front().deterministic = deterministic;
  world.open(spec, 1);
  return finished(world);
}

std::string warning(const kernel::Study& study) {
  return newest_words(kernel::drift_warning(study.spec, study, study.experiments.front(), "time_ms"));
}

}  // namespace

TEST_CASE("values that rise with the order of the runs are said to, and the verdict carries it") {
  const kernel::Study study = study_of([](int order, stats::Xoshiro& random) { return 0.3 * order + random.normal(); });
  const std::string said = warning(study);
  CHECK(said.find("values of time_ms follow the order in which the runs ran (they rise with it") == 0);
  const std::vector<std::string> warnings = kernel::newest_words(study.hypotheses.front().result->warnings);
  CHECK(std::count(warnings.begin(), warnings.end(), said) == 1);
}

TEST_CASE("values that come in spells are said to, without a trend") {
  const kernel::Study study =
      study_of([](int order, stats::Xoshiro& random) { return (order / 24 % 2 ? 20 : -20) + 0.3 * random.normal(); });
  CHECK(warning(study).find("runs about the median") != std::string::npos);
}

TEST_CASE("values whose order says nothing are not said to drift, though their cells differ forty times") {
  CHECK(warning(study_of([](int, stats::Xoshiro& random) { return random.normal(); })).empty());
  CHECK(warning(study_of([](int, stats::Xoshiro&) { return 0; }, true)).empty());
}
