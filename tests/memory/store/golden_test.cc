// Logs and documents of the past. tests/memory/golden/ holds a log as an earlier program wrote it, which every later
// one must read, and what the read models of the story look like. `test_memory "[.golden]"` writes what is new.
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/wording/wording.h"
#include "memory/log/state_snapshots.h"
#include "memory/log/value_codec.h"
#include "memory/store/read_models.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"
#include "tests/places.h"

namespace {

const std::string golden_folder = tests::source_dir() + "/tests/memory/golden/";

/// The version of the documents and the hash of all of them, for the story that never changes.
std::string documents_now() {
  story::TempFolder home;
  story::Teller teller;
  memory::Store store(home);
  store.append(teller.whole("s1"), teller.state);
  const memory::Reader reader(home);
  // Without the chain's head: that is the events' business.
  std::string all = reader.graph("s1") + reader.hypotheses("s1") + reader.claims("s1");
  reader.runs("s1", [&](std::string_view document) { all += document; });
  all += *reader.study("s1");
  reader.studies(memory::StudyQuery{}, [&](std::string_view document) { all += document; });
  for (std::size_t at; (at = all.find(store.head("s1"))) != all.npos;) all.replace(at, 64, "HEAD");
  return std::to_string(memory::read_model_version) + " " + kernel::sha256_hex(all) + "\n";
}

/// The layout of stored states and the hash of one, for the story that never changes.
std::string folded_now() {
  story::Teller teller;
  teller.whole("s1");
  memory::ValueWriter writer;
  writer.add(*teller.state.study("s1"));
  return memory::state_snapshot_layout() + " " + kernel::sha256_hex(writer.take()) + "\n";
}

}  // namespace

TEST_CASE("logs of every version are still read, followed and believed") {
  const std::string version = GENERATE("1", "2");
  INFO("version " << version);
  std::ifstream log(golden_folder + "events-v" + version + ".jsonl");
  kernel::State state;
  std::string head(kernel::chain_start);
  int events = 0;
  for (std::string line; std::getline(log, line); ++events) {
    const auto event = kernel::read_event_line(line);
    REQUIRE(event);
    REQUIRE(event->prev == head);
    REQUIRE(event->chain_hash() == event->hash);
    head = event->hash;
    kernel::apply(state, event->decoded());
  }
  REQUIRE(events > 30);
  const kernel::Study& study = state.studies.at("s1");
  CHECK(study.state == kernel::StudyState::ended);
  CHECK(study.runs.size() == (version == "1" ? 6 : 7));
  CHECK(study.runs[1].measurement.values.at("time_ms").value == 0.5);
  CHECK(study.runs[0].seed == 18446744073709551615u);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  CHECK(study.nodes.size() == 2);
  CHECK(study.claims.at(0).status == "supported");
  // Words of the first version stay words; the second version has codes where the kernel gave the reason.
  REQUIRE(study.stopped_arms.size() == (version == "1" ? 0 : 1));
  for (const kernel::ArmStopped& stopped : study.stopped_arms)
    CHECK(kernel::newest_words(stopped.reason) ==
          "the arm algorithm = quick was stopped: 3 runs in a row failed the same way (exit status 1)");
}

TEST_CASE("documents that come out differently have a new version, so that older stores are brought up to date") {
  // When this fails: raise memory::read_model_version, and run `test_memory "[.golden]"`.
  CHECK(story::content(golden_folder + "read_models.txt") == documents_now());
}

TEST_CASE("states that come out differently have another layout, so that stored ones are not mistaken for them") {
  // When this fails: raise fold_version in memory/log/state_snapshots.cc if only the second word changed, and run
  // `test_memory "[.golden]"`.
  CHECK(story::content(golden_folder + "folded.txt") == folded_now());
}

TEST_CASE("write the golden files", "[.golden]") {
  std::ofstream(golden_folder + "read_models.txt") << documents_now();
  std::ofstream(golden_folder + "folded.txt") << folded_now();
  const std::string log = golden_folder + "events-v" + std::to_string(kernel::event_version) + ".jsonl";
  if (!story::content(log).empty()) return;  // the past is never written anew
  story::TempFolder home;
  story::Teller teller;
  memory::Store store(home);
  store.append(teller.whole("s1"), teller.state);
  std::ofstream out(log);
  memory::Reader(home).events("s1", 0, [&](const memory::StoredEvent& e) { out << e.json_line() << "\n"; });
}
