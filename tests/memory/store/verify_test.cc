#include "memory/store/verify.h"

#include <fstream>
#include <random>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/digest.h"
#include "memory/files/blobs.h"
#include "memory/store/store.h"
#include "memory/workspace/snapshot.h"
#include "tests/memory/story.h"
#include "tests/rounds.h"

namespace {

namespace fs = std::filesystem;
using story::Teller;
using story::TempFolder;

/// Two ended studies and one that runs, whose runs name real blobs. Made once; every test gets a copy.
struct Original {
  TempFolder folder;
  std::vector<std::string> blobs;

  Original() {
    memory::Blobs store_of_blobs(folder / "blobs");
    const std::string workspace = folder / "workspace";
    fs::create_directories(workspace + "/src");
    std::ofstream(workspace + "/src/sort.py") << "print(1)\n";
    kernel::WorkspaceSpec spec;
    spec.path = workspace;
    Teller teller;
    teller.workspace = memory::freeze(spec, folder, store_of_blobs)->record;
    teller.metrics = store_of_blobs.put("{\"name\":\"time_ms\",\"value\":1}\n");
    teller.out_log = store_of_blobs.put("hello\n");
    teller.outputs = {{"model.bin", store_of_blobs.put(std::string(200'000, 'm'))}};
    teller.request = store_of_blobs.put("{\"model\":\"small\"}");
    teller.reply = store_of_blobs.put("{\"text\":\"yes\"}");
    teller.answer = store_of_blobs.put("Proposed as H1.");
    memory::Store store(folder);
    store.append(teller.whole("s1"), teller.state);
    store.append(teller.whole("s2"), teller.state);
    store.append({teller.open("s3"), teller.queue("s3", 2, kernel::Purpose::pilot)}, teller.state);
    store.tag("s1", {{"night", "final"}, {}}, 7);
    store.tag("s1", {{}, {"final"}, true}, 8);
    blobs = {teller.workspace.hash.text(), kernel::sha256_hex("print(1)\n"), teller.metrics.sha256,
             teller.out_log.sha256, teller.outputs[0].blob.sha256};
  }
};

struct Home {
  TempFolder folder;
  std::vector<std::string> blobs;

  Home() {
    static const Original original;
    fs::copy(std::string(original.folder), std::string(folder), fs::copy_options::recursive);
    blobs = original.blobs;
  }
  void sql(const std::string& statement) {
    memory::Database(folder / "etude.db", memory::Database::Access::write).run_script(statement);
  }
  std::string blob(const std::string& name) { return memory::Blobs(folder / "blobs").path(name); }
};

void write_bytes(const std::string& path, const std::string& bytes) {
  ::chmod(path.c_str(), 0600);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Everything the tables hold.
std::string content_of(const std::string& home) {
  std::string all;
  memory::Database database(home + "/etude.db", memory::Database::Access::read);
  for (const char* table : {"events", "studies", "hypotheses", "runs", "nodes", "claims", "metrics", "read_models"})
    for (memory::Query q = database.query(std::string("SELECT * FROM ") + table); q.step();)
      for (int i = 0; i < q.columns(); ++i) all.append(q.is_null(i) ? "null" : std::string(q.text(i))).append("|");
  return all;
}

}  // namespace

TEST_CASE("a hypothesis counts an ordered run that began before its registration and ended after it") {
  TempFolder folder;
  memory::Store store(folder);
  Teller teller;
  const auto say = [&](kernel::Event event) { store.append({std::move(event)}, teller.state); };
  kernel::Event opened = teller.open("s1");
  auto& study = std::get<kernel::StudyOpened>(opened.body);
  study.spec.design.rule = kernel::VerdictRule::one_interval;
  teller.state = {};
  say(teller.tell("s1", study));
  kernel::Hypothesis h;
  h.id = "H1";
  h.metric = "time_ms";
  h.treatment = {{"algorithm", "quick"}};
  h.control = {{"algorithm", "bubble"}};
  say(teller.tell("s1", kernel::HypothesisProposed{h, 1, false}));
  kernel::RunsQueued queued;
  queued.purpose = kernel::Purpose::scratch;
  queued.cells = {{}};
  queued.runs.resize(1);
  queued.runs[0].number = queued.runs[0].replicate = 1;
  queued.order.emplace().command = "ls";
  say(teller.tell("s1", queued));
  say(teller.tell("s1", kernel::RunStarting{1, kernel::LaunchToken("token-1")}));
  say(teller.tell("s1", kernel::RunStarted{1}));
  kernel::Registration registration;
  registration.experiment = "E01";
  registration.hypotheses = {h};
  say(teller.tell("s1", kernel::ExperimentRegistered{registration, "hash"}));
  kernel::RunEnded ended;
  ended.run = 1;
  SECTION("it counts") {
    ended.state = kernel::RunState::succeeded;
  }
  SECTION("it was cancelled") {
    ended.state = kernel::RunState::cancelled;
  }
  say(teller.tell("s1", ended));
  CHECK(memory::verify(folder).problems.empty());
}

TEST_CASE("an untouched store verifies, and says how much it looked at") {
  Home home;
  const auto report = memory::verify(home.folder);
  CHECK(report.problems == std::vector<std::string>{});
  CHECK(report.blobs == 8);
  CHECK(report.events == 2 * static_cast<std::int64_t>(Teller().whole("x").size()) + 2);
  const auto json = nlohmann::json::parse(report.json());
  CHECK(json.at("ok") == true);
  CHECK(json.at("events") == report.events);
  CHECK(json.at("problems").empty());
}

TEST_CASE("any column of any event that was edited is found") {
  for (const char* edit : {"study = 's2'", "v = v + 1", "v = v - 1", "time = time + 1", "boot = boot - 1",
                           "actor = 'person'", "type = 'RunStarting'", "payload = replace(payload, '5', '6')",
                           "prev = hash", "hash = upper(hash)", "hash = prev", "seq = 1000"}) {
    Home home;
    home.sql(std::string("UPDATE events SET ") + edit +
             " WHERE seq = (SELECT max(seq) FROM events WHERE study = 's1' AND type = 'RunEnded')");
    INFO(edit);
    CHECK_FALSE(memory::verify(home.folder).ok());
  }
}

TEST_CASE("an edited event is found even where its chain was forged to fit") {
  Home home;
  // Not the number alone: the hash of the edited event and the link to it are made anew, but not the next one's hash.
  home.sql(
      "UPDATE events SET payload = replace(payload, '\"family\":1', '\"family\":9') WHERE type = 'ProposalsClosed' AND "
      "study = 's1'");
  const auto problems = memory::verify(home.folder).problems;
  REQUIRE(problems.size() >= 1);
  CHECK(problems[0].find("its hash is not that of its content") != std::string::npos);
}

TEST_CASE("an event that was removed is found, in the middle or at the end") {
  for (const char* which : {"seq = 5", "seq = (SELECT max(seq) FROM events)", "study = 's2'"}) {
    Home home;
    home.sql(std::string("DELETE FROM events WHERE ") + which);
    INFO(which);
    CHECK_FALSE(memory::verify(home.folder).ok());
  }
}

TEST_CASE("events that were cut off at the end are missed by their number") {
  Home home;
  const std::int64_t last = memory::verify(home.folder).events;
  home.sql("DELETE FROM events WHERE seq > " + std::to_string(last - 2));
  const auto problems = memory::verify(home.folder).problems;
  const std::string missing =
      "events after " + std::to_string(last - 2) + ": " + std::to_string(last) + " were written, they are gone";
  CHECK_THAT(problems, Catch::Matchers::VectorContains(missing));
}

TEST_CASE("any column of any read model that was edited is found, and rows too many or too few") {
  const std::vector<std::string> edits = {
      "UPDATE studies SET n = n + 10",
      "UPDATE studies SET title = 'x' WHERE id = 's1'",
      "UPDATE studies SET state = 'paused' WHERE id = 's3'",
      "UPDATE studies SET outcome = NULL WHERE id = 's1'",
      "UPDATE studies SET outcome = 'concluded' WHERE id = 's3'",
      "UPDATE studies SET head = '' WHERE id = 's1'",
      "UPDATE studies SET doc = replace(doc, 's1', 's9') WHERE id = 's1'",
      "DELETE FROM studies WHERE id = 's2'",
      "INSERT INTO studies(id, n, title, state, head, doc) VALUES ('s9', 9, '', 'running', '', '{}')",
      "UPDATE hypotheses SET verdict = 'refuted' WHERE study = 's1'",
      "UPDATE hypotheses SET experiment = 'E02' WHERE study = 's1'",
      "UPDATE hypotheses SET doc = '{}' WHERE study = 's1'",
      "UPDATE runs SET state = 'succeeded' WHERE study = 's1' AND number = 4",
      "UPDATE runs SET doc = replace(doc, 'false', 'true') WHERE study = 's1' AND number = 3",
      "DELETE FROM runs WHERE study = 's1' AND number = 4",
      "INSERT INTO runs SELECT study, 99, experiment, state, purpose, doc FROM runs WHERE number = 1 AND study = 's1'",
      "INSERT INTO runs SELECT 's9', 1, experiment, state, purpose, doc FROM runs WHERE number = 1 AND study = 's1'",
      "UPDATE metrics SET value = value * 1.0000001 WHERE study = 's1' AND name = 'time_ms' AND run = 2",
      "UPDATE metrics SET value = 0 WHERE value IS NULL AND run = 2",
      "UPDATE metrics SET censored = 1 - censored WHERE run = 2",
      "DELETE FROM nodes WHERE position = 1 AND study = 's2'",
      "UPDATE claims SET status = 'refuted' WHERE study = 's2'",
      "UPDATE studies SET brief = replace(brief, 's1', 's9') WHERE id = 's1'",
      "UPDATE listed SET words = 'x' WHERE study = 's1'",
      "UPDATE listed SET waits = 1 - waits WHERE study = 's3'",
      "UPDATE listed SET runs = runs + 1 WHERE study = 's1'",
      "UPDATE listed SET wall_s = wall_s + 1 WHERE study = 's1'",
      "DELETE FROM listed WHERE study = 's2'",
      "DELETE FROM tags",
      "INSERT INTO tags(study, tag) VALUES ('s2', 'night')",
      "INSERT INTO tags(study, tag) VALUES ('s9', 'night')",
      "DELETE FROM archived",
      "INSERT INTO archived(study) VALUES ('s2')",
      "UPDATE taggings SET added = '[\"night\"]' WHERE n = 1",
      "UPDATE taggings SET archived = 0 WHERE n = 2",
      "DELETE FROM taggings WHERE n = 2",
      "DELETE FROM taggings; DELETE FROM tags; DELETE FROM archived",
      "DROP INDEX events_of_study",
      "CREATE TRIGGER sly AFTER INSERT ON events BEGIN DELETE FROM events WHERE seq = 1; END",
  };
  for (const std::string& edit : edits) {
    Home home;
    home.sql(edit);
    INFO(edit);
    CHECK_FALSE(memory::verify(home.folder).ok());
  }
}

TEST_CASE("one byte changed anywhere in any blob is found") {
  Home home;
  for (const std::string& name : home.blobs) {
    const std::string path = home.blob(name), good = story::content(path);
    for (const std::size_t at : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      write_bytes(path, bad);
      const auto report = memory::verify(home.folder);
      REQUIRE(report.problems.size() >= 1);
      CHECK(report.problems[0].find(name.substr(2)) != std::string::npos);
    }
    write_bytes(path, good + "x");
    CHECK_FALSE(memory::verify(home.folder).ok());
    write_bytes(path, "");
    CHECK_FALSE(memory::verify(home.folder).ok());
    fs::remove(path);
    const auto report = memory::verify(home.folder);
    REQUIRE(report.problems.size() >= 1);
    CHECK(report.problems[0].find("is missing") != std::string::npos);
    write_bytes(path, good);
    CHECK(memory::verify(home.folder).ok());
  }
}

TEST_CASE("a byte flipped anywhere in the database file is found, or changed nothing that is stored") {
  Home home;
  const std::string path = home.folder / "etude.db";
  REQUIRE_FALSE(fs::exists(path + "-wal"));  // all of it is in the one file
  const std::string good = story::content(path), content = content_of(home.folder);
  std::mt19937 random(7);
  int found = 0;
  for (int i = 0; i < tests::rounds(125); ++i) {
    std::string bad = good;
    const std::size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    write_bytes(path, bad);
    fs::remove(path + "-shm");
    fs::remove(path + "-wal");
    if (memory::verify(home.folder).ok()) {
      INFO("byte " << at);
      CHECK(content_of(home.folder) == content);
    } else {
      ++found;
    }
  }
  CHECK(found > tests::rounds(30));
}

TEST_CASE("a frozen workspace that was changed is found; one that is not there will be made again") {
  Home home;
  const kernel::WorkspaceHash hash(home.blobs[0]);
  const std::string copy = home.folder / "workspaces/" + hash;
  const memory::Blobs blobs(home.folder / "blobs");
  memory::materialise(hash, copy, blobs);
  CHECK(memory::verify(home.folder).problems == std::vector<std::string>{});
  write_bytes(copy + "/src/sort.py", "print(2)\n");
  auto problems = memory::verify(home.folder).problems;
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find(hash.text()) != std::string::npos);
  CHECK(problems[0].find("src/sort.py was changed") != std::string::npos);
  fs::remove(copy + "/src/sort.py");
  problems = memory::verify(home.folder).problems;
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("src/sort.py is missing") != std::string::npos);
  fs::remove_all(copy);
  CHECK(memory::verify(home.folder).ok());
}

TEST_CASE("a home that lost its store is a problem, and one without any is none to verify") {
  Home home;
  for (const char* suffix : {"-wal", "-shm"}) fs::remove((home.folder / "etude.db") + suffix);
  if (GENERATE(true, false))
    fs::remove(home.folder / "etude.db");
  else
    fs::resize_file(home.folder / "etude.db", 0);
  const auto report = memory::verify(home.folder);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].find("etude.db: the store is missing or empty") != std::string::npos);

  TempFolder empty;
  CHECK_FALSE(memory::verify(empty).store);
  CHECK_FALSE(memory::verify(empty / "nowhere").store);
  CHECK(memory::verify(Home().folder).store);
}

TEST_CASE("a store without any event or import is a problem") {
  TempFolder folder;
  { memory::Store store(folder); }
  const auto report = memory::verify(folder);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].starts_with("the store is empty"));
}
