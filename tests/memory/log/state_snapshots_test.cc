// A stored state must equal the fold of its events. How the store was closed must not matter.
#include "memory/log/state_snapshots.h"

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "memory/files/home_folder.h"
#include "memory/log/value_codec.h"
#include "memory/store/store.h"
#include "memory/store/verify.h"
#include "tests/memory/story.h"

namespace {

using story::Teller;
using story::TempFolder;

constexpr std::int64_t often = 5;

/// Everything there is to know of a study.
std::int64_t count(const std::string& home, const std::string& sql) {
  return memory::Database(memory::database_path(home), memory::Database::Access::read).integer(sql);
}

void change(const std::string& home, const std::string& sql) {
  memory::Database(memory::database_path(home), memory::Database::Access::write).run_script(sql);
}

/// A study that goes on, with more runs than one row holds, told by several kernels.
void tell_long_story(const std::string& home, Teller& teller) {
  {
    memory::Store store(home, often);
    store.append({teller.open("s1"), teller.queue("s1", 600, kernel::Purpose::pilot)}, teller.state);
    for (int run = 1; run <= 30; ++run) {
      store.append({teller.tell("s1", kernel::RunStarting{run, kernel::LaunchToken("token")})}, teller.state);
      store.append({teller.end("s1", run, run % 7 ? kernel::RunState::succeeded : kernel::RunState::lost)},
                   teller.state);
    }
  }
  memory::Store store(home, often);
  CHECK(story::state_bytes(store.load_active().studies.at("s1")) == story::state_bytes(*teller.state.study("s1")));
  for (int run = 300; run <= 303; ++run)
    store.append({teller.tell("s1", kernel::RunRequeued{run, kernel::as_said("why")})}, teller.state);
}

}  // namespace

TEST_CASE("a value is the same after it was written and read, to the last member") {
  Teller teller;
  teller.whole("s1");
  const std::string bytes = story::state_bytes(*teller.state.study("s1"));
  kernel::Study read;
  memory::ValueReader reader(bytes);
  reader.get(read);
  CHECK(reader.done());
  CHECK(story::state_bytes(read) == bytes);
  CHECK(read.runs.at(0).seed == 18446744073709551615u);
  CHECK(read.nodes.size() == teller.state.study("s1")->nodes.size());
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    kernel::Study half;
    memory::ValueReader broken(std::string_view(bytes).substr(0, length));
    CHECK_THROWS_AS(broken.get(half), std::runtime_error);
  }
}

TEST_CASE("text that is no UTF-8 is stored as the event log has it, and NaN as one NaN") {
  memory::ValueWriter writer;
  writer.add(
      std::string("a\xff"
                  "b"));
  memory::ValueReader reader(writer.take());
  memory::ValueWriter one, other;
  one.add(std::numeric_limits<double>::quiet_NaN());
  other.add(-std::numeric_limits<double>::quiet_NaN());
  CHECK(one.take() == other.take());
  memory::ValueWriter again;
  again.add(
      std::string("a\xef\xbf\xbd"
                  "b"));
  memory::ValueWriter first;
  first.add(
      std::string("a\xff"
                  "b"));
  CHECK(first.take() == again.take());
}

TEST_CASE("a study is loaded from its stored state and the events since, and is what all its events say") {
  TempFolder home;
  Teller teller;
  tell_long_story(home, teller);
  CHECK(count(home, "SELECT seq FROM folded WHERE study = 's1'") > 50);
  CHECK(count(home, "SELECT count(*) FROM folded_runs WHERE study = 's1'") == 3);
  memory::Store store(home, often);
  CHECK(story::state_bytes(store.load_active().studies.at("s1")) == story::state_bytes(*teller.state.study("s1")));
  CHECK(story::state_bytes(store.load("s1").studies.at("s1")) == story::state_bytes(*teller.state.study("s1")));
  CHECK(memory::verify(home).problems == std::vector<std::string>{});
}

TEST_CASE("a stored state has the runs as a fork left them") {
  TempFolder home;
  Teller teller;
  memory::Store store(home, often);
  // Enough events that the state is stored; they change other rows of runs than the fork does.
  const auto pass_time = [&] {
    for (int run = 500; run < 500 + often; ++run)
      store.append({teller.tell("s1", kernel::RunRequeued{run, kernel::as_said("why")})}, teller.state);
  };
  store.append({teller.open("s1"), teller.queue("s1", 600, kernel::Purpose::pilot),
                teller.tell("s1", kernel::RunStarting{40, kernel::LaunchToken("token")})},
               teller.state);
  pass_time();
  store.append({teller.tell("s1", kernel::StudyForked{"s0", 12, "head", {40}})}, teller.state);
  pass_time();
  const kernel::Study loaded = memory::Store(home, often).load_active().studies.at("s1");
  CHECK(loaded.run(40)->state == kernel::RunState::queued);
  CHECK(story::state_bytes(loaded) == story::state_bytes(*teller.state.study("s1")));
}

TEST_CASE("only the events since are read when a study is loaded") {
  TempFolder home;
  Teller teller;
  tell_long_story(home, teller);
  // Were they read, the chain would be found broken.
  change(home, "UPDATE events SET payload = '{}' WHERE seq = 9");
  memory::Store store(home, often);
  CHECK(store.load_active().studies.at("s1").runs.size() == 600);
  CHECK_THROWS_AS(store.load("s1"), memory::StoreFault);
  CHECK_FALSE(memory::verify(home).ok());
}

TEST_CASE("a stored state that is damaged, of another layout or of another chain is not used") {
  const std::string sql =
      GENERATE(as<std::string>{}, "UPDATE folded SET layout = 'old'", "UPDATE folded SET state = x'00'",
               "UPDATE folded SET head = 'another'", "UPDATE folded SET runs = runs - 1", "DELETE FROM folded",
               "DELETE FROM folded_runs WHERE part = 1", "UPDATE folded_runs SET runs = zeroblob(9) WHERE part = 0",
               "UPDATE folded_runs SET part = 7 WHERE part = 2", "UPDATE folded SET seq = seq - 1");
  INFO(sql);
  TempFolder home;
  Teller teller;
  tell_long_story(home, teller);
  change(home, sql);
  {
    memory::Store store(home, often);
    CHECK(story::state_bytes(store.load_active().studies.at("s1")) == story::state_bytes(*teller.state.study("s1")));
    // And it is written anew, whole.
    for (int run = 400; run <= 406; ++run)
      store.append({teller.tell("s1", kernel::RunRequeued{run, kernel::as_said("why")})}, teller.state);
  }
  memory::Store store(home, often);
  CHECK(story::state_bytes(store.load_active().studies.at("s1")) == story::state_bytes(*teller.state.study("s1")));
  CHECK(memory::verify(home).problems == std::vector<std::string>{});
}

TEST_CASE("a stored state that says something else than the events is found") {
  TempFolder home;
  Teller teller;
  tell_long_story(home, teller);
  kernel::Run run;
  run.number = 1;
  run.state = kernel::RunState::failed;
  memory::ValueWriter writer;
  for (int i = 0; i < 256; ++i) writer.add(run);
  const std::string bytes = writer.take();
  memory::Database(memory::database_path(home), memory::Database::Access::write)
      .run("UPDATE folded_runs SET runs = ?1, sha256 = ?2 WHERE part = 0", memory::BlobValue{bytes},
           kernel::sha256_hex(bytes));
  const auto report = memory::verify(home);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0] == "study s1: its folded state is not what the events say");
}

TEST_CASE("nothing is stored of short studies, and nothing stays of ended ones") {
  TempFolder home;
  Teller teller;
  {
    memory::Store store(home);
    store.append(teller.whole("s1"), teller.state);
    store.append({teller.open("s2")}, teller.state);
  }
  CHECK(count(home, "SELECT count(*) FROM folded") == 0);
  memory::Store store(home, 3);
  Teller other;
  for (const kernel::Event& event : other.whole("s3")) {
    kernel::State& state = teller.state;
    kernel::apply(state, event);
    store.append({event}, state);
    if (state.study("s3")->state != kernel::StudyState::ended)
      CHECK(story::state_bytes(memory::Store(home, 3).load_active("s3").studies.at("s3")) ==
            story::state_bytes(*state.study("s3")));
  }
  CHECK(count(home, "SELECT count(*) FROM folded") == 0);
  CHECK(count(home, "SELECT count(*) FROM folded_runs") == 0);
}

TEST_CASE("an append that fails leaves the stored state as good as it was") {
  TempFolder home;
  Teller teller;
  tell_long_story(home, teller);
  {
    memory::Store store(home, often);
    store.load_active();
    CHECK_THROWS(
        store.append({teller.tell("s1", kernel::RunRequeued{500, kernel::as_said("why")}), Teller().open("stranger")},
                     teller.state));
  }
  memory::Store store(home, often);
  kernel::State state = store.load_active();
  CHECK(story::state_bytes(state.studies.at("s1")) == story::state_bytes(store.load("s1").studies.at("s1")));
}
