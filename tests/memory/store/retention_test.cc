// What a home still needs. Whatever is not listed here may be deleted.
#include <catch2/catch.hpp>

#include "base/digest.h"
#include "memory/store/event_files.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"

namespace {

using kernel::LargeOutput;
using story::Teller;
using story::TempFolder;

kernel::BlobRef blob(const std::string& bytes) {
  return {kernel::sha256_hex(bytes), static_cast<std::int64_t>(bytes.size())};
}

/// A run with a stage's output, and with large outputs of which one is kept always and one if it is the best run's.
kernel::RunEnded with_outputs(int run, double time_ms) {
  const std::string of_run = std::to_string(run);
  kernel::RunEnded ended;
  ended.run = run;
  ended.state = kernel::RunState::succeeded;
  ended.measurement.values["time_ms"] = {time_ms, false, false};
  ended.kept = {{"checkpoint", "checkpoint.pt", blob("stage" + of_run).sha256, 1},
                {"", "trace.log", blob("trace" + of_run).sha256, 1},
                {"", "model.bin", blob("model" + of_run).sha256, 1}};
  return ended;
}

std::set<std::string> hashes(const std::vector<std::string>& contents) {
  std::set<std::string> all;
  for (const std::string& bytes : contents) all.insert(blob(bytes).sha256);
  return all;
}

}  // namespace

TEST_CASE("every blob that an event names is needed, also after the study has ended") {
  TempFolder home;
  Teller teller;
  teller.metrics = blob("metrics");
  teller.out_log = blob("log");
  teller.outputs = {{"model.bin", blob("output")}};
  teller.request = blob("request");
  teller.reply = blob("reply");
  teller.answer = blob("answer");
  memory::Store(home).append(teller.whole("s1"), teller.state);
  const memory::Retention needs = memory::retention_of(home);
  for (const char* named : {"metrics", "log", "output", "request", "reply", "answer"}) {
    INFO(named);
    CHECK(needs.blobs.contains(blob(named).sha256));
  }
  CHECK(needs.outputs.empty());
}

TEST_CASE("a running study needs all its outputs, and an ended one those that its rules retain") {
  TempFolder home;
  Teller teller;
  kernel::StudyOpened opened = std::get<kernel::StudyOpened>(Teller().open("s1").body);
  opened.spec.metrics.at(0).goal = kernel::Goal::minimize;
  opened.spec.large_outputs = {{LargeOutput::Retain::all, "*.log"}, {LargeOutput::Retain::best, "*.bin"}};
  memory::Store store(home);
  store.append({teller.tell("s1", opened), teller.queue("s1", 3, kernel::Purpose::pilot)}, teller.state);
  for (const auto& [run, time_ms] : {std::pair{1, 5.0}, {2, 2.0}, {3, 4.0}})
    store.append({teller.tell("s1", kernel::RunStarting{run, kernel::LaunchToken("token")}),
                  teller.tell("s1", with_outputs(run, time_ms))},
                 teller.state);
  CHECK(memory::retention_of(home).kept == hashes({"stage1", "stage2", "stage3", "trace1", "trace2", "trace3",  //
                                                   "model1", "model2", "model3"}));
  store.append({teller.tell("s1", kernel::StudyEnded{kernel::StudyOutcome::concluded, {}})}, teller.state);
  CHECK(memory::retention_of(home).kept == hashes({"trace1", "trace2", "trace3", "model2"}));
}
