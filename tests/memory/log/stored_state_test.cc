// A store that an earlier program left in the middle of a study, with the study's state stored beside the events. Every
// later program must tell the same study from it, whether it can read that state or has to make it anew.
// `test_memory "[.golden]"` writes the files; the past is never written anew.
#include <fstream>

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "memory/files/home_folder.h"
#include "memory/log/state_snapshots.h"
#include "memory/log/value_codec.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "memory/store/verify.h"
#include "tests/memory/log/golden_store.h"
#include "tests/memory/story.h"

namespace {

using memory::Database;
using story::TempFolder;

constexpr const char* golden_home = "store-with-state.sql";
constexpr const char* golden_study = "store-with-state.json";
constexpr std::int64_t events_between_states = 7;

Database opened(const std::string& home) {
  return Database(memory::database_path(home), Database::Access::write);
}

/// Every event of the story but the study's end, one commit each.
void tell_all_but_the_end(const std::string& home) {
  memory::Store store(home, events_between_states);
  kernel::State state;
  story::Teller teller;
  for (const kernel::Event& event : teller.whole("s1")) {
    if (std::holds_alternative<kernel::StudyEnded>(event.body)) return;
    kernel::apply(state, event);
    store.append({event}, state);
  }
}

/// The documents of the study: itself, its runs and its graph.
std::string documents_of(const std::string& home) {
  const memory::Reader reader(home);
  std::string all;
  reader.studies([&](std::string_view document) { all.append(document).append("\n"); });
  reader.runs("s1", [&](std::string_view document) { all.append(document).append("\n"); });
  return all + reader.graph("s1") + "\n";
}

/// The stored state, with other words of the same length in it and a hash that fits.
void replace_in_state(const std::string& home, const std::string& from, const std::string& to) {
  Database database = opened(home);
  std::string bytes;
  {
    memory::Query q = database.query("SELECT state FROM folded WHERE study = 's1'");
    REQUIRE(q.step());
    bytes = q.text(0);
  }
  REQUIRE(bytes.find(from) != bytes.npos);
  REQUIRE(from.size() == to.size());
  for (std::size_t at; (at = bytes.find(from)) != bytes.npos;) bytes.replace(at, from.size(), to);
  database.run("UPDATE folded SET state = ?1, sha256 = ?2", memory::BlobValue{bytes}, kernel::sha256_hex(bytes));
}

std::string question_of(const std::string& home) {
  return memory::Store(home, events_between_states).load_active().studies.at("s1").nodes.at(0).title;
}

}  // namespace

TEST_CASE("a store that was left with a stored state gives the same study as its log") {
  TempFolder home;
  golden::restore(home, golden_home);
  REQUIRE(opened(home).integer("SELECT count(*) FROM folded") == 1);
  {
    memory::Store store(home, events_between_states);
    CHECK(story::state_bytes(store.load_active().studies.at("s1")) ==
          story::state_bytes(store.load("s1").studies.at("s1")));
  }
  CHECK(documents_of(home) == story::content(golden::path(golden_study)));
  CHECK(memory::verify(home).problems == std::vector<std::string>{});
}

TEST_CASE("a study that goes on has its stored state written in the layout of today") {
  TempFolder home;
  golden::restore(home, golden_home);
  opened(home).run_script("UPDATE folded SET layout = 'of an earlier program'");
  {
    memory::Store store(home, events_between_states);
    kernel::State state = store.load_active();
    for (int told = 0; told < 2 * events_between_states; ++told) {
      const kernel::Event event{"s1", "person", {1'700'000'100'000, 90'000}, kernel::StudySteered{"look further"}};
      kernel::apply(state, event);
      store.append({event}, state);
    }
  }
  Database database = opened(home);
  CHECK(memory::state_snapshot_seq(database, "s1") > 0);
  CHECK(memory::verify(home).problems == std::vector<std::string>{});
}

TEST_CASE("the state that an earlier fold stored is not believed, whatever it says") {
  TempFolder home;
  tell_all_but_the_end(home);
  replace_in_state(home, "Which is faster?", "Which is slower?");
  // Of this fold it is believed, or the test would show nothing.
  CHECK(question_of(home) == "Which is slower?");
  opened(home).run_script("UPDATE folded SET layout = '" + kernel::sha256_hex("an earlier fold") + "'");
  CHECK(question_of(home) == "Which is faster?");
}

TEST_CASE("write the golden store with a stored state", "[.golden]") {
  if (!story::content(golden::path(golden_home)).empty()) return;
  TempFolder home;
  tell_all_but_the_end(home);
  {
    Database database = opened(home);
    REQUIRE(memory::state_snapshot_seq(database, "s1") > 0);
    REQUIRE(memory::state_snapshot_seq(database, "s1") < database.integer("SELECT max(seq) FROM events"));
  }
  std::ofstream(golden::path(golden_home)) << golden::dump_of(home);
  std::ofstream(golden::path(golden_study)) << documents_of(home);
}
