// Tags of studies are stored in a hash chain of their own. They are found again, and rebuilt with the read models.
#include "memory/store/taggings.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "memory/store/backup.h"
#include "memory/store/read_models.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "memory/store/verify.h"
#include "tests/memory/story.h"

namespace {

using Ids = std::vector<std::string>;
using nlohmann::json;
using story::Teller;
using story::TempFolder;

json document_of(const std::string& home, const std::string& study) {
  return json::parse(memory::Reader(home).study(study).value());
}

Ids listed(const std::string& home, std::optional<bool> archived, std::vector<std::string> tags = {}) {
  memory::StudyQuery query;
  query.tags = std::move(tags);
  query.archived = archived;
  Ids ids;
  memory::Reader(home).studies(query,
                               [&](std::string_view document) { ids.push_back(json::parse(document).at("id")); });
  return ids;
}

int taggings_in(const std::string& home) {
  memory::Database database(home + "/etude.db", memory::Database::Access::read);
  return static_cast<int>(database.integer("SELECT count(*) FROM taggings"));
}

struct Three {
  TempFolder home;
  Teller teller;
  memory::Store store{home};

  Three() {
    store.append(teller.whole("s1"), teller.state);
    for (const char* id : {"s2", "s3"}) store.append({teller.open(id)}, teller.state);
  }
};

}  // namespace

TEST_CASE("a study that has ended can be tagged and archived, and its chain stays as it is") {
  Three three;
  const std::string head = three.store.head("s1");
  const json before = document_of(three.home, "s1");
  REQUIRE_FALSE(three.store.tag("s1", {{"night", "lr-sweep", "night"}, {}}, 7));
  REQUIRE_FALSE(three.store.tag("s1", {{}, {"lr-sweep"}, true}, 8));
  CHECK(three.store.head("s1") == head);
  const json study = document_of(three.home, "s1");
  CHECK(study.at("tags") == json{"night"});
  CHECK(study.at("archived") == true);
  CHECK(study.at("head") == before.at("head"));
  CHECK(document_of(three.home, "s2").at("tags") == json::array());
  CHECK(document_of(three.home, "s2").at("archived") == false);
  CHECK(memory::Reader(three.home).recall({"faster", "s1", "study", ""}).size() == 1);
}

TEST_CASE("lists leave archived studies out unless they are asked for, and keep those with each of the tags") {
  Three three;
  three.store.tag("s1", {{"night", "final"}, {}, true}, 7);
  three.store.tag("s2", {{"night"}, {}}, 8);
  CHECK(listed(three.home, false) == Ids{"s2", "s3"});
  CHECK(listed(three.home, true) == Ids{"s1"});
  CHECK(listed(three.home, {}) == Ids{"s1", "s2", "s3"});
  CHECK(listed(three.home, {}, {"night"}) == Ids{"s1", "s2"});
  CHECK(listed(three.home, false, {"night"}) == Ids{"s2"});
  CHECK(listed(three.home, {}, {"night", "final"}) == Ids{"s1"});
  CHECK(listed(three.home, {}, {"Night"}).empty());
  three.store.tag("s1", {{}, {}, false}, 9);
  CHECK(listed(three.home, false) == Ids{"s1", "s2", "s3"});
  const auto used = memory::Reader(three.home).tags();
  REQUIRE(used.size() == 2);
  CHECK((used[0].tag == "final" && used[0].studies == 1));
  CHECK((used[1].tag == "night" && used[1].studies == 2));
}

TEST_CASE("a change that changes nothing stores nothing") {
  Three three;
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(three.store.tag("s2", {{"night"}, {"none"}, true}, 7 + i));
    CHECK_FALSE(three.store.tag("s3", {{}, {}, false}, 7 + i));
    CHECK_FALSE(three.store.tag("s3", {}, 7 + i));
  }
  CHECK(taggings_in(three.home) == 1);
}

TEST_CASE("tags that are no words, too many of them, and unknown studies are refused, and nothing is stored") {
  Three three;
  const auto why = [&](const std::string& study, const kernel::Tagging& change) {
    const auto problem = three.store.tag(study, change, 7);
    return problem ? problem->why : "";
  };
  CHECK(why("s2", {{""}, {}}) == "is empty");
  CHECK(why("s2", {{"good", "two words"}, {}}) == "has a blank");
  CHECK(why("s2", {{"a,b"}, {}}) == "has a comma");
  CHECK(why("s2", {{"-old"}, {}}) == "begins with `-`");
  CHECK(why("s2", {{"+new"}, {}}) == "begins with `+`");
  CHECK(why("s2", {{"a\xff"}, {}}) == "is not UTF-8");
  CHECK(why("s2", {{"a\u202egnp"}, {}}) == "has an invisible character (U+202E)");
  CHECK(why("s2", {{"a\x1b[2J"}, {}}) == "has an invisible character (U+001B)");
  CHECK(why("s2", {{std::string("a\0b", 3)}, {}}) == "has an invisible character (U+0000)");
  CHECK(why("s2", {{std::string(65, 'x')}, {}}) == "is longer than 64 bytes");
  CHECK(why("s2", {{}, {"two words"}}) == "has a blank");
  CHECK(why("s2", {{"night"}, {"night"}}) == "is both added and removed");
  CHECK(why("s9", {{"night"}, {}}) == "there is no such study");
  CHECK(why("", {{"night"}, {}}) == "there is no such study");
  std::vector<std::string> many;
  for (std::size_t i = 0; i <= kernel::most_tags; ++i) many.push_back("t" + std::to_string(i));
  CHECK(why("s2", {many, {}}) == "would have more than 32 tags");
  CHECK(taggings_in(three.home) == 0);
  many.pop_back();
  CHECK(why("s2", {many, {}}).empty());
  CHECK(why("s2", {{"one-more"}, {}}) == "would have more than 32 tags");
  CHECK(why("s2", {{"one-more"}, {"t0"}}).empty());
  for (const char* fine : {"<b>", "'--", "\u00e9t\u00e9", "\U0001f319", "a/b"}) CHECK(why("s3", {{fine}, {}}).empty());
  CHECK(why("s3", {{std::string(kernel::longest_tag, 'x')}, {}}).empty());
  CHECK(memory::verify(three.home).problems == std::vector<std::string>{});
}

TEST_CASE("tags are made anew from their table, and a backup has them") {
  TempFolder other;
  {
    Three three;
    three.store.tag("s1", {{"night", "final"}, {}, true}, 7);
    three.store.tag("s1", {{}, {"final"}}, 8);
    {
      memory::Database database(three.home / "etude.db", memory::Database::Access::write);
      database.run_script("DELETE FROM tags; DELETE FROM archived; INSERT INTO tags VALUES ('s2', 'forged')");
      CHECK_FALSE(memory::verify(three.home).ok());
      memory::rebuild_read_models(database);
    }
    CHECK(memory::verify(three.home).problems == std::vector<std::string>{});
    CHECK(document_of(three.home, "s1").at("tags") == json{"night"});
    CHECK(listed(three.home, true) == Ids{"s1"});
    memory::Database(three.home / "etude.db", memory::Database::Access::read).copy_to(other / "etude.db");
  }
  CHECK(document_of(other, "s1").at("tags") == json{"night"});
}

TEST_CASE("a tagging that is changed or gone is a problem, and ends a backup") {
  Three three;
  for (const char* study : {"s1", "s2", "s3"}) three.store.tag(study, {{"night"}, {}}, 7);
  memory::Database database(three.home / "etude.db", memory::Database::Access::write);
  const auto problems = [&] {
    std::vector<std::string> all;
    memory::check_taggings(database, [&](std::string problem) { all.push_back(std::move(problem)); });
    return all;
  };
  CHECK(problems().empty());
  SECTION("changed") {
    database.run_script("UPDATE taggings SET added = '[\"day\"]' WHERE n = 2");
    CHECK(problems() == std::vector<std::string>{"tagging 2 of study s2: was changed after it was recorded"});
  }
  SECTION("gone from the middle") {
    database.run_script("DELETE FROM taggings WHERE n = 2");
    CHECK(problems().size() == 2);
  }
  SECTION("gone from the end") {
    database.run_script("DELETE FROM taggings WHERE n = 3");
    CHECK(problems() == std::vector<std::string>{"taggings after 2: 3 were written, they are gone"});
  }
  SECTION("of no study") {
    database.run_script("DELETE FROM events WHERE study = 's3'");
    CHECK(problems() == std::vector<std::string>{"tagging 3 of study s3: there is no such study"});
  }
  TempFolder place;
  CHECK_THROWS_AS(memory::back_up(three.home, place / "backup.tar", false), memory::StoreFault);
}
