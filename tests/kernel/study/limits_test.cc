#include <catch2/catch.hpp>

#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"

using kernel::Budget;
using kernel::CallCost;
using kernel::Spending;

namespace {

std::string said(const Budget& limits, const Spending& spending, const std::optional<CallCost>& call = std::nullopt) {
  const auto reached = kernel::exceeded(limits, spending, call);
  return reached ? kernel::newest_words(kernel::reason_of(*reached)) : "";
}

}  // namespace

TEST_CASE("one more run exceeds a limit on runs, and every other limit that is reached") {
  Budget limits;
  limits.runs = 4;
  Spending spending;
  spending.runs = {1, 2};
  CHECK(said(limits, spending).empty());
  spending.runs = {1, 3};
  CHECK(said(limits, spending) == "runs: 3 of 4 spent");

  limits = {};
  limits.wall_s = 600;
  spending.wall_s.spent = 599.9;
  CHECK(said(limits, spending).empty());
  spending.wall_s.spent = 600.04;
  CHECK(said(limits, spending) == "wall: 600.0 s of 600.0 s spent");

  limits = {};
  limits.gpu_hours = 0.5;
  CHECK(said(limits, spending).empty());
  spending.gpu_hours = {0.25, 0.25};
  CHECK(said(limits, spending) == "gpu_hours: 0.25 of 0.5 spent");

  limits = {};
  limits.tokens = 2'000'000;
  spending.tokens = {500'000, 1'500'000};
  CHECK(said(limits, spending) == "tokens: 1.5e+06 of 2e+06 spent");
}

TEST_CASE("a run with devices needs the GPU hours of its time limit, and what its end may take") {
  kernel::Study study;
  study.spec.resources.gpus = 2;
  study.spec.resources.timeout_s = 3600 - kernel::most_after_time_out_s;
  const kernel::Run run;
  CHECK(kernel::most_gpu_hours(study, run) == 2);
  Budget limits;
  limits.gpu_hours = 5;
  Spending spending;
  const auto told = [&] {
    const auto reached = kernel::exceeded_by(run, study, limits, spending);
    return reached ? kernel::newest_words(kernel::reason_of(*reached)) : "";
  };
  CHECK(told().empty());
  spending.gpu_hours = {2, 1};
  CHECK(told().empty());
  spending.gpu_hours = {2, 1.5};
  CHECK(told() == "gpu_hours: 3.5 of 5 spent or reserved, and the next run may take 2");
  study.spec.resources.gpus = 0;
  CHECK(told().empty());
  study.spec.resources = {};
  study.spec.resources.gpus = 1;
  CHECK(kernel::most_gpu_hours(study, run) ==
        0);  // A study of before, without a time limit, goes on until it is reached.
  spending.gpu_hours = {0, 5};
  CHECK(told() == "gpu_hours: 5 of 5 spent");
  study.spec.budget.wall_s = 1800 - kernel::most_after_time_out_s;
  CHECK(kernel::most_gpu_hours(study, run) == 0.5);
}

TEST_CASE("what costs nothing does not exceed a limit of nothing") {
  Budget limits;
  limits.usd = 0;
  CHECK(said(limits, {}).empty());
  CHECK(said(limits, {}, CallCost{1000, 0}).empty());
}

TEST_CASE("a call exceeds a limit by the most that it may take, and the wall by what is used") {
  Budget limits;
  limits.tokens = 5000;
  limits.usd = 1;
  limits.runs = 0;
  Spending spending;
  spending.tokens = {1000, 2000};
  spending.usd = {0.25, 0.25};
  CHECK(said(limits, spending, CallCost{2000, 0.5}).empty());
  CHECK(said(limits, spending, CallCost{2001, 0.6}) == "tokens: 3000 of 5000 spent, and the next call may take 2001");
  CHECK(said(limits, spending, CallCost{2000, 0.6}) == "usd: 0.5 of 1 spent, and the next call may take 0.6");
  limits.wall_s = 60;
  spending.wall_s.spent = 60;
  CHECK(said(limits, spending, CallCost{2000, 0.5}) == "wall: 60.0 s of 60.0 s spent");
}

TEST_CASE("runs that are left are those that neither ended nor live") {
  kernel::Study study;
  CHECK_FALSE(kernel::runs_left({}, study));
  Budget limits;
  limits.runs = 10;
  study.accounts.emplace_back().runs = 3;
  study.live = {4, 5};
  CHECK(kernel::runs_left(limits, study) == 5);
}
