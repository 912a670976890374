// Lists of studies: found and sorted by their short rows, so that a list reads only the documents that it shows.
#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"

namespace {

using Ids = std::vector<std::string>;
using memory::StudyOrder;
using memory::StudyQuery;
using story::Teller;
using story::TempFolder;

Ids found(const std::string& home, const StudyQuery& query) {
  Ids ids;
  const int total = memory::Reader(home).studies(
      query, [&](std::string_view document) { ids.push_back(nlohmann::json::parse(document).at("id")); });
  CHECK(total == static_cast<int>(ids.size()));
  return ids;
}

StudyQuery with_words(std::vector<std::string> words) {
  StudyQuery query;
  query.words = std::move(words);
  return query;
}

StudyQuery in_states(std::vector<std::string> states) {
  StudyQuery query;
  query.states = std::move(states);
  return query;
}

StudyQuery sorted_by(StudyOrder order, bool descending) {
  StudyQuery query;
  query.order = order;
  query.descending = descending;
  return query;
}

/// What was spent, in the order of the list; 0 where nothing is known.
std::vector<double> spent(const std::string& home, const char* resource, const StudyQuery& query) {
  std::vector<double> amounts;
  memory::Reader(home).studies(query, [&](std::string_view document) {
    const auto amount = nlohmann::json::parse(document).at("ledger").at(resource).at("spent");
    amounts.push_back(amount.is_number() ? amount.get<double>() : 0);
  });
  return amounts;
}

/// Five studies; s3 has ended with a supported hypothesis, which was withdrawn, and 7 runs, s2 has 5 runs, s4 has 2.
struct Five {
  TempFolder home;
  Teller teller;

  Five() {
    memory::Store store(home);
    for (const char* id : {"s1", "s2", "s3", "s4", "s5"})
      store.append(id == std::string("s3") ? teller.whole(id) : std::vector{teller.open(id)}, teller.state);
    store.append({teller.queue("s2", 5, kernel::Purpose::pilot), teller.queue("s4", 2, kernel::Purpose::pilot)},
                 teller.state);
  }
  void tell(const std::string& study, kernel::EventBody body) {
    memory::Store(home).append({teller.tell(study, std::move(body))}, teller.state);
  }
};

}  // namespace

TEST_CASE("studies are searched by words of id, title and question, in letters of any case") {
  const Five five;
  const Ids all = {"s1", "s2", "s3", "s4", "s5"};
  CHECK(found(five.home, {}) == all);
  CHECK(found(five.home, with_words({"SORTING", "fast"})) == all);
  CHECK(found(five.home, with_words({"s4"})) == Ids{"s4"});
  CHECK(found(five.home, with_words({"\u00e9\u4e16", "study s2"})) == Ids{"s2"});
  CHECK(found(five.home, with_words({"sorting", "slower"})).empty());
  for (const char* no_pattern : {"%", "_orting", "s*", "'", "\"", "\xff"})
    CHECK(found(five.home, with_words({no_pattern})).empty());
  CHECK(found(five.home, with_words(Ids(memory::most_query_words, "which"))) == all);
}

TEST_CASE("studies are sorted by each column, and those that are equal by their age") {
  const Five five;
  CHECK(found(five.home, sorted_by(StudyOrder::opened, true)) == Ids{"s5", "s4", "s3", "s2", "s1"});
  CHECK(found(five.home, sorted_by(StudyOrder::title, true)) == Ids{"s5", "s4", "s3", "s2", "s1"});
  CHECK(found(five.home, sorted_by(StudyOrder::runs, true)) == Ids{"s3", "s2", "s4", "s5", "s1"});
  CHECK(found(five.home, sorted_by(StudyOrder::runs, false)) == Ids{"s1", "s5", "s4", "s2", "s3"});
  for (const auto& [order, resource] : {std::pair{StudyOrder::wall, "wall_s"}, std::pair{StudyOrder::usd, "usd"}}) {
    const std::vector<double> up = spent(five.home, resource, sorted_by(order, false));
    CHECK(std::ranges::is_sorted(up));
    CHECK(up.back() > up.front());
    CHECK(std::ranges::is_sorted(spent(five.home, resource, sorted_by(order, true)), std::greater<>()));
  }
}

TEST_CASE("studies are filtered by state, by waiting for a person, and by verdict") {
  Five five;
  CHECK(found(five.home, in_states({"ended"})) == Ids{"s3"});
  CHECK(found(five.home, in_states({"concluded", "paused"})) == Ids{"s3"});
  CHECK(found(five.home, in_states({"running"})) == Ids{"s1", "s2", "s4", "s5"});
  CHECK(found(five.home, in_states({"waiting"})).empty());
  five.tell("s4", kernel::GateOpened{{"s4-g1", 0, kernel::GateOn::conclude, {kernel::ReasonCode::gate_conclude}}});
  CHECK(found(five.home, in_states({"waiting", "failed"})) == Ids{"s4"});
  five.tell("s4", kernel::GateDecided{"s4-g1", true, kernel::as_said("fine")});
  CHECK(found(five.home, in_states({"waiting"})).empty());
  StudyQuery query;
  query.verdicts = {"refuted", "supported"};
  CHECK(found(five.home, query) == Ids{"s3"});
  query.verdicts = {"refuted"};
  CHECK(found(five.home, query).empty());
}

TEST_CASE("a listed study is its document without the long lists, and with the number of each verdict") {
  const Five five;
  const memory::Reader reader(five.home);
  reader.studies(StudyQuery{}, [&](std::string_view listed) {
    const auto brief = nlohmann::json::parse(listed);
    auto whole = nlohmann::json::parse(reader.study(brief.at("id")).value());
    const bool ended = brief.at("id") == "s3";
    CHECK(brief.at("verdicts") == (ended ? nlohmann::json{{"withdrawn", 1}} : nlohmann::json::object()));
    for (const char* list : {"hypotheses", "integrity", "metrics"}) whole.erase(list);
    whole["verdicts"] = brief.at("verdicts");
    CHECK(brief == whole);
  });
}

TEST_CASE("searching and sorting reads no document of a study, and a page only its own") {
  Five five;
  memory::Database(five.home / "etude.db", memory::Database::Access::write)
      .run_script("UPDATE studies SET doc = 'broken'; UPDATE studies SET brief = 'broken' WHERE id <> 's4'");
  StudyQuery query;
  query.words = {"sorting"};
  query.states = {"running", "ended", "waiting"};
  query.most = 1;
  for (const StudyOrder order :
       {StudyOrder::opened, StudyOrder::title, StudyOrder::runs, StudyOrder::usd, StudyOrder::wall}) {
    query.order = order;
    Ids ids;
    // The page on which s4 is, in any order.
    for (query.before = 0; query.before < 5; ++query.before)
      CHECK(memory::Reader(five.home).studies(query, [&](std::string_view document) {
        if (document.starts_with("{")) ids.push_back(nlohmann::json::parse(document).at("id"));
      }) == 5);
    CHECK(ids == Ids{"s4"});
  }
}
