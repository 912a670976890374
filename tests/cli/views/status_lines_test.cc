#include "apps/cli/views/status_lines.h"

#include <catch2/catch.hpp>

#include "apps/cli/terminal/progress_bar.h"
#include "tests/kernel/inference/synthetic.h"

using kernel::Purpose;
using kernel::RunState;
using Lines = std::vector<std::string>;

namespace {

kernel::Run& add_run(kernel::Study& study, Purpose purpose, RunState state, std::optional<double> value = {}) {
  kernel::Run run;
  run.number = static_cast<int>(study.runs.size()) + 1;
  run.purpose = purpose;
  run.state = state;
  if (value) run.measurement.values["y"].value = *value;
  if (!kernel::is_end(state)) study.live.insert(run.number);
  study.runs.push_back(std::move(run));
  return study.runs.back();
}

kernel::Study started() {
  kernel::Study study;
  study.id = "s1";
  study.spec = synthetic::study();
  study.cells = {{{"arm", "t"}}};
  return study;
}

}  // namespace

TEST_CASE("the status shows running runs, the last value that is no evidence, the budget and warnings") {
  kernel::Study study = started();
  study.spec.budget.runs = 20;
  study.spec.budget.usd = 2;
  add_run(study, Purpose::scratch, RunState::succeeded, 1.5);
  add_run(study, Purpose::registered, RunState::succeeded, 9.25);
  add_run(study, Purpose::registered, RunState::running);
  study.integrity.emplace_back();
  const Lines lines = cli::status_lines(cli::status_of(study));
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].find(" · 1 running") != std::string::npos);
  CHECK(lines[1] == "  r3 registered, arm=t");
  CHECK(lines[2] == "  last value: y = 1.5 ms (r1 arm=t)");
  CHECK(lines[3] == "  budget · runs 0 of 20 · USD 0 of 2");
  CHECK(lines[4] == "  1 warning: `etude show s1` says which");
  for (const std::string& line : lines) CHECK(line.find("9.25") == std::string::npos);
}

TEST_CASE("a bar has the width that is asked for") {
  CHECK(cli::bar(1, 2, 10) == "#####.....");
  CHECK(cli::bar(3, 2) == std::string(20, '#'));
  CHECK(cli::bar(0, 0, 4) == "....");
}

TEST_CASE("the bar of a search has the runs that are not queued yet") {
  kernel::Study study = started();
  study.spec.kind = kernel::StudyKind::optimize;
  study.spec.code.emplace();
  study.check.emplace();
  study.search.emplace().pending = 1;
  add_run(study, Purpose::search, RunState::succeeded, 1);
  add_run(study, Purpose::search, RunState::running);
  study.spec.budget.runs = 40;
  study.accounts.emplace_back().runs = 1;
  cli::Progress progress = cli::progress_of(study);
  CHECK(progress.done == 1);
  CHECK(progress.all == 40);
  CHECK(cli::status_lines(cli::status_of(study))[0].find("] 1/40 ·") != std::string::npos);
  // As many runs as before, one of which is queued now.
  add_run(study, Purpose::search, RunState::running);
  CHECK(cli::progress_of(study).all == 40);
  study.spec.budget.runs.reset();
  CHECK(cli::progress_of(study).open);
  CHECK(cli::status_lines(cli::status_of(study))[0].find("searching 2 runs, more to come · 2 running") == 0);
}

TEST_CASE("of many running runs the first are shown, and without budget or warnings there are no such lines") {
  kernel::Study study = started();
  study.jobs = 6;
  for (int i = 0; i < 6; ++i) add_run(study, Purpose::smoke, RunState::starting);
  const Lines lines = cli::status_lines(cli::status_of(study));
  REQUIRE(lines.size() == 6);
  CHECK(lines[4] == "  r4 smoke, arm=t");
  CHECK(lines[5] == "  and 2 more running");
}

TEST_CASE("between events the time goes on, and running runs of a search have their newest value") {
  kernel::Study study = started();
  study.jobs = 3;
  add_run(study, Purpose::search, RunState::running);
  add_run(study, Purpose::registered, RunState::running);
  add_run(study, Purpose::scratch, RunState::starting);
  const auto newest = [](const cli::OpenRun&) { return session::NewestValue{3, 40}; };
  const cli::LiveStatus status = cli::status_of(study);
  const Lines lines = cli::status_lines(status, 61.2, newest);
  CHECK(lines[0].find(" 61 s") != std::string::npos);
  CHECK(lines[1] == "  r1 search, arm=t: y = 3 ms at step 40");
  CHECK(lines[2] == "  r2 registered, arm=t");
  CHECK(lines[3] == "  r3 scratch, arm=t");  // It has not begun.
  study.session_open = false;
  CHECK(cli::status_lines(cli::status_of(study), 61.2)[0].find(" 0 s") != std::string::npos);
}
