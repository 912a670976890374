#include "memory/store/store.h"

#include <fstream>
#include <thread>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/codec/json_types.h"
#include "kernel/views/shapes.h"
#include "memory/files/home_folder.h"
#include "memory/log/migrations.h"
#include "memory/store/reader.h"
#include "memory/store/verify.h"
#include "tests/aborts.h"
#include "tests/memory/story.h"

namespace {

namespace fs = std::filesystem;
using story::Teller;
using story::TempFolder;

/// The number of this program's newest schema.
std::size_t newest_schema() {
  return memory::migrations().size();
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::string message_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const memory::StoreFault& fault) {
    return fault.what();
  }
  return "nothing was thrown";
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a store that is closed and opened again goes on where it stood") {
  TempFolder home;
  Teller teller;
  {
    memory::Store store(home);
    CHECK(store.next_study_number() == 1);
    store.append({teller.open("s1")}, teller.state);
  }
  memory::Store store(home);
  CHECK(store.next_study_number() == 2);
  const std::string before = store.head("s1");
  store.append({teller.queue("s1", 2, kernel::Purpose::pilot)}, teller.state);
  CHECK(store.head("s1") != before);
  CHECK(store.load("s1").studies.at("s1").runs.size() == 2);
  CHECK(memory::verify(home).problems == std::vector<std::string>{});
}

TEST_CASE("a store that another thread writes to than the one that made it ends the program") {
  TempFolder home;
  Teller teller;
  memory::Store store(home);
  const kernel::Event opened = teller.open("s1");
  CHECK(last_words([&] { std::thread([&] { store.append({opened}, teller.state); }).join(); }));
  store.append({opened}, teller.state);
  CHECK(store.next_study_number() == 2);
}

TEST_CASE("studies that have not ended are folded when a kernel starts, the others are not") {
  TempFolder home;
  Teller teller;
  {
    memory::Store store(home);
    for (const char* id : {"running", "paused"}) store.append({teller.open(id)}, teller.state);
    store.append({teller.tell("paused", kernel::StudyPaused{kernel::PauseReason::person, {}})}, teller.state);
    store.append(teller.whole("ended"), teller.state);
  }
  memory::Store store(home);
  const kernel::State state = store.load_active();
  CHECK(state.studies.size() == 2);
  CHECK(state.studies.at("paused").pause_reason == kernel::PauseReason::person);
  CHECK(store.load("ended").studies.at("ended").state == kernel::StudyState::ended);
  CHECK(store.load("nobody").studies.empty());
}

TEST_CASE("a study whose chain is broken is not folded, and the fault names the event and the remedy") {
  TempFolder home;
  Teller teller;
  {
    memory::Store store(home);
    for (const char* id : {"s1", "s2"})
      store.append({teller.open(id), teller.tell(id, kernel::StudyPaused{kernel::PauseReason::person, {}})},
                   teller.state);
  }
  memory::Database(home / "etude.db", memory::Database::Access::write)
      .run_script("UPDATE events SET payload = replace(payload, 'person', 'nobody') WHERE seq = 2");
  memory::Store store(home);
  const auto what = [](const auto& load) -> std::string {
    try {
      load();
    } catch (const memory::StoreFault& fault) {
      return fault.damage ? fault.what() : "no damage";
    }
    return "";
  };
  for (const std::string& text : {what([&] { store.load_active(); }), what([&] { store.load_active("s1"); }),
                                  what([&] { store.load("s1"); }), what([&] { memory::Reader(home).load("s1"); })}) {
    CHECK(text.find("event 2 (StudyPaused of study s1): its hash is not that of its content") != std::string::npos);
    CHECK(text.find("`etude verify`") != std::string::npos);
  }
  // Another study is none the worse for it.
  CHECK(store.load_active("s2").studies.size() == 1);
}

TEST_CASE("after every single event the read models are what the state says") {
  TempFolder home;
  memory::Store store(home);
  Teller past;
  std::vector<kernel::Event> told = past.whole("s1");
  kernel::State state;
  for (const kernel::Event& event : told) {
    kernel::apply(state, event);
    store.append({event}, state);
    const memory::Reader reader(home);
    const kernel::Study& study = state.studies.at("s1");
    INFO("after " << told.size());
    const auto text = [](const nlohmann::json& shape) {
      return shape.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    std::string shape = text(kernel::study_shape(study, store.head("s1")));
    shape.replace(shape.size() - 1, 1, ",\"tags\":[],\"archived\":false}");
    REQUIRE(reader.study("s1") == shape);
    std::vector<std::string> runs, expected;
    reader.runs("s1", [&](std::string_view document) { runs.emplace_back(document); });
    for (const kernel::Run& run : study.runs) expected.push_back(text(kernel::run_shape(study, run)));
    REQUIRE(runs == expected);
    REQUIRE(reader.graph("s1") == text(kernel::graph_shape(study)));
    nlohmann::json hypotheses = nlohmann::json::array();
    for (const auto& record : study.hypotheses) hypotheses.push_back(kernel::hypothesis_shape(record, study));
    REQUIRE(reader.hypotheses("s1") == text(hypotheses));
    REQUIRE(reader.claims("s1") == text(nlohmann::json(study.claims)));
    // The same, seen by a rebuild from the stored events.
    REQUIRE(memory::verify(home).problems == std::vector<std::string>{});
  }
}

TEST_CASE("readers find studies, runs and events by their ids") {
  TempFolder home;
  Teller teller;
  memory::Store store(home);
  store.append({teller.open("s2"), teller.open("s1")}, teller.state);
  store.append({teller.queue("s1", 3, kernel::Purpose::pilot)}, teller.state);
  const memory::Reader reader(home);
  CHECK(reader.ids() == std::vector<std::string>{"s2", "s1"});
  CHECK(nlohmann::json::parse(*reader.run("s1-r3")).at("number") == 3);
  CHECK_FALSE(reader.run("s1-r4"));
  CHECK_FALSE(reader.run("s1"));
  CHECK_FALSE(reader.study("s"));
  std::vector<std::int64_t> sequence;
  reader.events("s1", 0, [&](const memory::StoredEvent& e) { sequence.push_back(e.seq); });
  CHECK(sequence == std::vector<std::int64_t>{2, 3});
  sequence.clear();
  reader.events("s1", 2, [&](const memory::StoredEvent& e) { sequence.push_back(e.seq); });
  CHECK(sequence == std::vector<std::int64_t>{3});
  CHECK(reader.head("s1") == store.head("s1"));
  CHECK(reader.load("s1").studies.at("s1").runs.size() == 3);
}

TEST_CASE("a home without a store reads as one without studies, and nothing is created") {
  TempFolder home;
  const memory::Reader reader(home);
  CHECK(reader.ids().empty());
  CHECK_FALSE(reader.study("s1"));
  CHECK(reader.graph("s1") == "{\"nodes\":[]}");
  CHECK(reader.head("s1").empty());
  CHECK(fs::is_empty(std::string(home)));
  CHECK(memory::verify(home).ok());
}

TEST_CASE("home and store are for their owner only") {
  TempFolder folder;
  const mode_t before = ::umask(0);
  const std::string home = folder / "deep/home";
  Teller teller;
  {
    memory::Store store(home);
    store.append({teller.open("s1")}, teller.state);
    CHECK(mode_of(home) == 0700);
    CHECK(mode_of(home + "/etude.db") == 0600);
    CHECK(mode_of(home + "/etude.db-wal") == 0600);
  }
  // A store that was opened up by hand is closed again; a folder that others use is left as it is.
  ::chmod((home + "/etude.db").c_str(), 0644);
  ::chmod(home.c_str(), 0755);
  memory::Store again(home);
  CHECK(mode_of(home + "/etude.db") == 0600);
  CHECK(mode_of(home) == 0755);
  ::umask(before);
}

TEST_CASE("network file systems are told apart from local ones") {
  CHECK(memory::network_file_system(0x6969, "nfs4") == "NFS");
  CHECK(memory::network_file_system(static_cast<long>(0xfffffffffe534d42), "cifs") == "SMB2");
  CHECK(memory::network_file_system(0x65735546, "fuse.sshfs") == "sshfs");
  CHECK_FALSE(memory::network_file_system(0x65735546, "fuse.gocryptfs"));
  CHECK_FALSE(memory::network_file_system(0x65735546, "fuseblk"));
  CHECK_FALSE(memory::network_file_system(0xef53, "ext4"));
  CHECK_FALSE(memory::network_file_system(0x01021994, "tmpfs"));
}

TEST_CASE("a store of a newer program is refused and left untouched") {
  TempFolder home;
  { memory::Store store(home); }
  { memory::Database(home / "etude.db", memory::Database::Access::write).run_script("PRAGMA user_version = 99"); }
  const auto write = message_of([&] { memory::Store store(home); });
  CHECK(write.find(fmt::format("was written by a newer etude (schema 99, this one knows {})", newest_schema())) !=
        write.npos);
  CHECK(write.find("--home") != write.npos);
  CHECK(message_of([&] { memory::Reader reader(home); }) == write);
}

TEST_CASE("a file that is no store is refused by name, whatever it is") {
  TempFolder home;
  const std::string path = home / "etude.db";
  SECTION("text") {
    write_file(path,
               "These are my notes about études, and they are longer than a hundred bytes, so that nobody could "
               "take them for an empty database.");
    CHECK(message_of([&] { memory::Store store(home); }).find("etude.db: is no etude store: restore") !=
          std::string::npos);
    CHECK(message_of([&] { memory::Reader reader(home); }).find("is no etude store") != std::string::npos);
    CHECK_FALSE(memory::verify(home).ok());
  }
  SECTION("another program's database") {
    memory::Database(path, memory::Database::Access::write).run_script("CREATE TABLE bookmarks(url TEXT)");
    const auto before = fs::file_size(path);
    CHECK(message_of([&] { memory::Store store(home); }).find("is a database of another program") != std::string::npos);
    CHECK(fs::file_size(path) == before);
    CHECK_FALSE(fs::exists(path + "-wal"));
  }
  SECTION("a folder") {
    fs::create_directory(path);
    CHECK(message_of([&] { memory::Store store(home); }) != "nothing was thrown");
    CHECK(message_of([&] { memory::Reader reader(home); }) != "nothing was thrown");
  }
  SECTION("an empty file becomes a store") {
    write_file(path, "");
    CHECK(memory::Reader(home).ids().empty());
    memory::Store store(home);
    CHECK(store.next_study_number() == 1);
  }
}

TEST_CASE("a damaged store is a fault that says so, not a crash") {
  TempFolder home;
  Teller teller;
  {
    memory::Store store(home);
    store.append(teller.whole("s1"), teller.state);
  }
  std::fstream file(home / "etude.db", std::ios::in | std::ios::out | std::ios::binary);
  for (int page = 1; page < 20; ++page) {
    file.seekp(page * 4096);
    file << std::string(64, '\xee');
  }
  file.close();
  const auto said = message_of([&] {
    memory::Store store(home);
    store.load("s1");
    store.append({teller.open("s2")}, teller.state);
  });
  CHECK(said.find("is damaged") != said.npos);
  CHECK(said.find("restore it from a backup") != said.npos);
  const auto report = memory::verify(home);
  CHECK_FALSE(report.ok());
}

TEST_CASE("a migration that fails leaves the store where it was, whatever came before it") {
  TempFolder home;
  memory::Database database(home / "etude.db", memory::Database::Access::write);
  std::vector<memory::Migration> all = memory::migrations();
  const int last = static_cast<int>(all.size());
  memory::migrate(database, {all[0]});
  all.push_back({last + 1, "broken.sql", "CREATE TABLE half(a); CREATE TABLE oops("});
  CHECK_THROWS_AS(memory::migrate(database, all), memory::StoreFault);
  CHECK(database.integer("PRAGMA user_version") == 1);
  CHECK(database.integer("SELECT count(*) FROM sqlite_schema WHERE name IN ('half', 'studies')") == 0);

  all.back().sql = "CREATE TABLE half(a)";
  memory::migrate(database, all);
  CHECK(database.integer("PRAGMA user_version") == last + 1);
  memory::migrate(database, all);
}

TEST_CASE("an older store is brought up to date by a kernel and refused by a reader") {
  TempFolder home;
  const std::vector<memory::Migration> all = memory::migrations();
  {
    memory::Database database(home / "etude.db", memory::Database::Access::write);
    memory::migrate(database, {all[0]});
  }
  CHECK(message_of([&] {
          memory::Reader reader(home);
        }).find(fmt::format("is of an older etude (schema 1 of {})", newest_schema())) != std::string::npos);
  { memory::Store store(home); }
  CHECK(memory::Reader(home).ids().empty());
}

TEST_CASE("read models of another version are written anew when a kernel starts") {
  TempFolder home;
  Teller teller;
  {
    memory::Store store(home);
    store.append(teller.whole("b"), teller.state);
    store.append(teller.whole("a"), teller.state);
  }
  {
    memory::Database database(home / "etude.db", memory::Database::Access::write);
    database.run_script("UPDATE read_models SET version = 0; UPDATE runs SET doc = '{}'; DELETE FROM nodes");
  }
  CHECK(memory::verify(home).problems.size() == 1);
  CHECK(memory::verify(home).problems[0].find("another etude") != std::string::npos);
  { memory::Store store(home); }
  CHECK(memory::verify(home).problems == std::vector<std::string>{});
  CHECK(memory::Reader(home).ids() == std::vector<std::string>{"b", "a"});
}

TEST_CASE("readers see whole appends only while a kernel writes") {
  TempFolder home;
  Teller teller;
  memory::Store store(home);
  store.append({teller.open("s1")}, teller.state);
  std::atomic<bool> done{false};
  std::atomic<int> seen{0};
  std::vector<std::string> wrong;
  std::thread watching([&] {
    std::int64_t last = 0;
    while (!done) {
      const memory::Reader reader(home);
      std::int64_t events = 0, runs = 0;
      reader.events("s1", 0, [&](const memory::StoredEvent&) { ++events; });
      reader.runs("s1", [&](std::string_view) { ++runs; });
      // Every append queues three runs by three events; the runs are read later, so there are never fewer.
      if ((events - 1) % 3 != 0 || runs % 3 != 0 || runs < events - 1 || events < last)
        wrong.push_back(std::to_string(events) + " events, " + std::to_string(runs) + " runs");
      last = events;
      ++seen;
    }
  });
  for (int i = 0; i < 150 || seen < 20; ++i) {
    std::vector<kernel::Event> batch;
    for (int j = 0; j < 3; ++j) batch.push_back(teller.queue("s1", 1, kernel::Purpose::pilot));
    store.append(batch, teller.state);
  }
  done = true;
  watching.join();
  CHECK(wrong == std::vector<std::string>{});
  CHECK(memory::verify(home).ok());
}
