// What studies leave behind for later ones, and how it is found.
#include "memory/store/memories.h"

#include <catch2/catch.hpp>

#include "memory/files/blobs.h"
#include "memory/files/home_folder.h"
#include "memory/store/read_models.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"

namespace {

using story::TempFolder;

struct Recalled {
  TempFolder home;
  story::Teller teller;
  memory::Store store{home};

  std::vector<kernel::Recollection> find(kernel::RecallQuery query) const { return memory::Reader(home).recall(query); }
  std::string addresses(kernel::RecallQuery query) const {
    std::string all;
    for (const kernel::Recollection& one : find(std::move(query))) all += one.kind + " " + one.address + ";";
    return all;
  }
  void propose(const std::string& study, const kernel::HypothesisId& id, const std::string& statement) {
    kernel::HypothesisProposed proposed;
    proposed.hypothesis.id = id;
    proposed.hypothesis.statement = statement;
    proposed.hypothesis.mechanism = "cache lines";
    proposed.hypothesis.metric = "time_ms";
    store.append({teller.tell(study, std::move(proposed))}, teller.state);
  }
  void judge(const std::string& study, const kernel::HypothesisId& id) {
    kernel::HypothesisWithdrawn withdrawn;
    withdrawn.hypothesis = id;
    withdrawn.why = kernel::as_said("Nobody needs zebras.");
    store.append({teller.tell(study, std::move(withdrawn))}, teller.state);
  }
  void open(const std::string& study) { store.append({teller.open(study)}, teller.state); }
};

}  // namespace

TEST_CASE("what a whole study leaves behind is found by its words, and kept to what was asked for") {
  Recalled t;
  t.store.append(t.teller.whole("s1"), t.teller.state);
  t.open("s2");
  CHECK(t.addresses({"sorting", "", "study", ""}) == "study s2;study s1;");
  CHECK(t.addresses({"sorting", "s1", "study", ""}) == "study s1;");
  CHECK(t.addresses({"LARGER", "", "word", ""}) == "word s1;");
  CHECK(t.find({"larger", "", "word", ""}).at(0).text == "look at larger inputs");
  CHECK(t.addresses({"input", "", "word", ""}) == "word s1;");  // By the stem.
  CHECK(t.addresses({"", "", "claim", "supported"}).starts_with("claim s1/C"));
  CHECK(t.addresses({"", "", "claim", "refuted"}).empty());
  CHECK(t.find({"", "", "hypothesis", "supported"}).at(0).verdict == "supported");
  CHECK(t.addresses({"", "s9", "", ""}).empty());
  CHECK(t.find({"", "", "", "", 2}).size() == 2);
  CHECK(t.find({"faster \u4e16 \u00c9", "", "study", ""}).size() == 2);
}

TEST_CASE("words are words: nothing in them is a query's syntax, and none is an error") {
  Recalled t;
  t.store.append(t.teller.whole("s1"), t.teller.state);
  for (const std::string words : {"\"", "sorting\" OR \"x", "body:sorting", "sorting*", "NEAR(sorting faster, 1)",
                                  "^sorting", "{title body}: sorting", "AND", "NOT sorting", "(((",
                                  "'; DROP TABLE memories; --", "-", "\xff\xfe", "\u2014", ""}) {
    INFO(words);
    CHECK_NOTHROW(t.find({words, "", "", ""}));
  }
  CHECK_NOTHROW(t.find({std::string("a\0b", 3), "", "", ""}));
  CHECK(t.find({"NOT sorting", "", "study", ""}).size() == 1);
  CHECK(t.find({"title:nowhere", "", "study", ""}).empty());
  CHECK(t.find({"((( ---", "", "", ""}).empty());
  CHECK(t.find({"sorting", "' OR 1=1 --", "", ""}).empty());
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "w" + std::to_string(i) + " ";
  CHECK(t.find({many, "", "", ""}).empty());
}

TEST_CASE("a hypothesis shows no verdict before it has one, and is found by its reason from then on") {
  Recalled t;
  t.open("s1");
  t.propose("s1", "H1", "Quicksort takes less time.");
  REQUIRE(t.find({"quicksort", "", "", ""}).size() == 1);
  CHECK(t.find({"quicksort", "", "", ""}).at(0).verdict.empty());
  CHECK(t.find({"zebras", "", "", ""}).empty());
  t.judge("s1", "H1");
  CHECK(t.addresses({"zebras", "", "", ""}) == "hypothesis s1/H1;");
  CHECK_FALSE(t.find({"zebras", "", "", ""}).at(0).verdict.empty());
  CHECK(t.find({"quicksort", "", "", ""}).size() == 1);
}

TEST_CASE("the memory is the same after it was built anew, and of reproductions it keeps nothing") {
  Recalled t;
  t.store.append(t.teller.whole("s1"), t.teller.state);
  kernel::Event again = t.teller.open("s2");
  std::get<kernel::StudyOpened>(again.body).reproduces = "s1";
  t.teller.state.studies.erase("s2");
  kernel::apply(t.teller.state, again);
  t.store.append({again}, t.teller.state);
  CHECK(t.addresses({"", "s2", "", ""}).empty());
  const std::string before = t.addresses({"", "", "", "", 100}) + t.addresses({"sorting faster", "", "", "", 100});
  memory::Database database(memory::database_path(t.home), memory::Database::Access::write);
  memory::rebuild_read_models(database);
  CHECK(t.addresses({"", "", "", "", 100}) + t.addresses({"sorting faster", "", "", "", 100}) == before);
  // SQLite compares the index with the rows, and says so if they differ.
  CHECK_NOTHROW(database.run("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)"));
}

TEST_CASE("an index that is told of every change agrees with its rows") {
  Recalled t;
  t.open("s1");
  for (int i = 1; i <= 20; ++i)
    t.propose("s1", kernel::HypothesisId("H" + std::to_string(i)), "Statement number " + std::to_string(i));
  for (int i = 1; i <= 20; i += 2) t.judge("s1", kernel::HypothesisId("H" + std::to_string(i)));
  memory::Database database(memory::database_path(t.home), memory::Database::Access::write);
  CHECK_NOTHROW(database.run("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)"));
  CHECK(database.integer("SELECT count(*) FROM memories") == 21);
  database.run("UPDATE memories SET title = 'other' WHERE item = 'H1'");
  CHECK_THROWS(database.run("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)"));
}

TEST_CASE("pages of papers are found by their words, once for all studies that have them, and after a rebuild") {
  Recalled t;
  memory::Blobs blobs(std::string(t.home) + "/blobs");
  const std::string text = blobs.put("Quantum zebras graze.\n\fZebras \"NEAR\" the river\nsleep.\n\f").sha256;
  const auto with_paper = [&](const std::string& study) {
    kernel::Event opened = t.teller.open(study);
    std::get<kernel::StudyOpened>(opened.body).spec.literature = {
        "/papers", {{"papers/zoo.pdf", std::string(64, 'a'), 10, text, 2}}, "", "", {}};
    t.teller.state.studies.erase(study);
    kernel::apply(t.teller.state, opened);
    t.store.append({opened}, t.teller.state);
  };
  with_paper("s1");
  with_paper("s2");
  CHECK(t.addresses({"river", "", "", ""}) == "paper s2/papers/zoo.pdf p. 2;");
  CHECK(t.addresses({"zebras", "s1", "paper", ""}) == "paper s1/papers/zoo.pdf p. 1;paper s1/papers/zoo.pdf p. 2;");
  CHECK(t.find({"river", "", "", ""}).at(0).text == "Zebras \"NEAR\" the river\nsleep.\n");
  CHECK(t.addresses({"", "s2", "paper", ""}) == "paper s2/papers/zoo.pdf p. 1;");
  CHECK(t.addresses({"river", "s3", "", ""}).empty());
  CHECK(t.addresses({"river", "", "", "supported"}).empty());
  kernel::RecallQuery without{"river", "", "", ""};
  without.papers = false;
  CHECK(t.find(without).empty());
  CHECK(memory::Reader(t.home).paper(std::string(64, 'a'))->text == text);
  CHECK_FALSE(memory::Reader(t.home).paper(std::string(64, 'b')));
  memory::Database database(memory::database_path(t.home), memory::Database::Access::write);
  CHECK(database.integer("SELECT count(*) FROM pages") == 2);
  CHECK_NOTHROW(database.run("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)"));
  memory::rebuild_read_models(database);
  CHECK(t.addresses({"river", "", "", ""}) == "paper s2/papers/zoo.pdf p. 2;");
  CHECK_NOTHROW(database.run("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)"));
}
