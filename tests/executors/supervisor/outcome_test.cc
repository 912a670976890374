#include "executors/run_protocol/outcome.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "executors/local/run_folder.h"
#include "executors/run_protocol/small_files.h"
#include "executors/run_protocol/usage_series.h"
#include "tests/executors/fixture.h"

using kernel::Reason;
using kernel::ReasonCode;

namespace {

/// What the executor reads in a folder with an outcome.
kernel::JobOutcome read_in(const test::Folder& folder) {
  const supervisor::Fd fd(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto outcome = executors::read_outcome(fd.get(), "r1", kernel::LaunchToken("t"));
  REQUIRE(outcome);
  return *outcome;
}

}  // namespace

TEST_CASE("the reasons of an outcome come back from its file, also those that quote another") {
  const Reason silent{ReasonCode::sandbox_failed, {{"problem", "bwrap: x=1\nmore"}}};
  const Reason full{ReasonCode::disk_full_at_end,
                    {{"reason", std::vector<Reason>{{ReasonCode::exit_status, {{"status", 3}}}}}}};
  supervisor::Outcome written;
  written.token = "t";
  written.end = kernel::JobEnd::no_room;
  written.reason = {ReasonCode::processes_survived, {{"reason", std::vector{full}}}};
  written.evaluator = kernel::EvaluatorOutcome{kernel::JobEnd::failed_to_start, 0, 0, silent, 1, 2};
  const test::Folder folder;
  const supervisor::Fd fd(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(supervisor::write_outcome(fd.get(), written));

  const kernel::JobOutcome outcome = read_in(folder);
  CHECK(outcome.end == kernel::JobEnd::no_room);
  CHECK(outcome.reason == written.reason);
  CHECK(newest_words(outcome.reason) ==
        "the disk of the run folder is full (exit status 3); some of its processes would not die");
  REQUIRE(outcome.evaluator);
  CHECK(outcome.evaluator->end == kernel::JobEnd::failed_to_start);
  CHECK(newest_words(outcome.evaluator->reason) == "the sandbox could not be set up: bwrap: x=1 more");
}

TEST_CASE("usage over time comes back as CSV, and a malformed series is none") {
  const auto csv_of = [](const std::string& series) {
    const test::Folder folder;
    test::write(folder / "outcome", "etude-outcome 1\ntoken=t\nend=exited\nusage=" + series + "\n");
    return read_in(folder).usage_over_time.value_or("none");
  };
  CHECK(csv_of("500:120:4096 1000:1620:8192") == "seconds,cpu_seconds,memory_bytes\n0.5,0.12,4096\n1,1.62,8192\n");
  CHECK(supervisor::with_devices(csv_of("500:120:4096 1500:1620:8192"), "700:90:5 1500:1000:6 2000:1100:7") ==
        "seconds,cpu_seconds,memory_bytes,gpu_seconds,gpu_memory_bytes\n0.5,0.12,4096,,\n0.7,,,0.09,5\n"
        "1.5,1.62,8192,,\n1.5,,,1,6\n2,,,1.1,7\n");
  for (const char* series : {"", "500:120", "500:120:4096:7", "500:x:1", "-1:2:3", "1:2:3 x"})
    CHECK(csv_of(series) == "none");
}

TEST_CASE("the sentence of an older supervisor is shown as it is, and of an unknown code the name") {
  const auto sentence_of = [](const std::string& lines) {
    const test::Folder folder;
    test::write(folder / "outcome", "etude-outcome 1\ntoken=t\nend=memory\n" + lines);
    return newest_words(read_in(folder).reason);
  };
  CHECK(sentence_of("reason=cancelled\n") == "cancelled");
  CHECK(sentence_of("reason=exit status 3\nlogs=cut\n") == "exit status 3; its log is cut short: the disk was full");
  CHECK(sentence_of("reason.code=eaten_by_moths\nreason.number.moths=3\n") == "eaten_by_moths");
  CHECK(sentence_of("reason.code=memory_exceeded\nreason.number.used=1288490188\nreason.number.allowed=1073741824\n") ==
        "memory: 1.2 GB used, 1 GB allowed");
  CHECK(sentence_of("reason.code=disk_exceeded\nreason.number.used=999\nreason.number.allowed=1023\n") ==
        "disk: 999 bytes used, 0.999 KB allowed");
  CHECK(sentence_of("reason.code=job_timed_out\nreason.number.limit_ms=1500\n") == "timed out after 1.5 s");
}
