#include "kernel/codec/codec.h"

#include <limits>

#include <catch2/catch.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/wording/wording.h"

using namespace kernel;

TEST_CASE("queued runs are written one by one, and their bytes are those of the whole document") {
  kernel::RunsQueued queued{kernel::Purpose::registered, "E01", {{{"n", "1"}}, {{"n", "2"}}}, {}};
  for (int count : {0, 1, 3}) {
    queued.runs.clear();
    queued.tier = count == 1 ? kernel::Tier::test : kernel::Tier::none;
    for (int number = 1; number <= count; ++number)
      queued.runs.push_back({number, number % 2, 18446744073709551615u, number, 0, 1, "\"label\" \xff é"});
    const std::string bytes = kernel::encode(queued);
    CHECK(bytes == nlohmann::json(queued).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    const auto read = std::get<kernel::RunsQueued>(kernel::decode("RunsQueued", 1, bytes));
    CHECK(read.runs.size() == queued.runs.size());
    CHECK(read.tier == queued.tier);
  }
}

TEST_CASE("a line of work of an older log has the subject that its words name, and keeps its bytes") {
  const auto subject = [](const std::string& line, const std::string& about) {
    const std::string bytes = R"({"about":")" + about + R"(","line":")" + line + R"(","role":"engineer"})";
    const kernel::EventBody body = kernel::decode("LineOpened", kernel::event_version, bytes);
    CHECK(kernel::encode(body) == bytes);
    return std::get<kernel::LineOpened>(body).subject;
  };
  using kernel::LinePurpose;
  using kernel::LineSubject;
  CHECK(subject("engineer-1", "") == LineSubject{});
  CHECK(subject("engineer-1", "anything else") == LineSubject{});
  CHECK(subject("hypothesis-1", "what to test") == LineSubject{LinePurpose::propose});
  CHECK(subject("writeup-1", "the report") == LineSubject{LinePurpose::write});
  CHECK(subject("analysis-2", "batch 2") == LineSubject{LinePurpose::analyse, 2});
  CHECK(subject("improve-6", "improve v2") == LineSubject{LinePurpose::step, 0, "improve-6"});
  CHECK(subject("merge-7", "merge v1 and v2") == LineSubject{LinePurpose::step, 0, "merge-7"});
  CHECK(subject("engineer-1", "mend 6fe5") == LineSubject{LinePurpose::mend, 0, "", "", "6fe5"});
  CHECK(subject("engineer-2", "unmet by 6fe5") == LineSubject{LinePurpose::unmet, 0, "", "", "6fe5"});
  CHECK(subject("engineer-3", "requirements of batch 1 on 6fe5, time 2") ==
        LineSubject{LinePurpose::require, 1, "", "", "6fe5", "", 1});
  CHECK(subject("reviewer-1", "review 6fe5 1454") == LineSubject{LinePurpose::review, 0, "", "", "6fe5", "1454"});
  CHECK(subject("engineer-4", "vetting v3 on 6fe5, time 3") ==
        LineSubject{LinePurpose::vet, 0, "", "v3", "6fe5", "", 2});

  const kernel::LineOpened opened{
      "engineer-4", "engineer", "vetting v3 on 6fe5", {LinePurpose::vet, 0, "", "v3", "6fe5"}};
  const kernel::EventBody back = kernel::decode("LineOpened", kernel::event_version, kernel::encode(opened));
  CHECK(std::get<kernel::LineOpened>(back).subject == opened.subject);
  CHECK_FALSE(std::get<kernel::LineOpened>(back).upcast);
}

TEST_CASE("a reason is written as its code with its values, and read again; text stands as it is") {
  const Reason inner{ReasonCode::exit_status, {{"status", 3}}};
  const Reason reason{ReasonCode::stage_failed, {{"reason", std::vector{inner}}, {"run", "s1-r2"}, {"stage", "train"}}};
  const nlohmann::json written = reason;
  CHECK(
      written.dump() ==
      R"({"code":"stage_failed","with":{"reason":[{"code":"exit_status","with":{"status":3}}],"run":"s1-r2","stage":"train"}})");
  CHECK(written.get<Reason>() == reason);
  CHECK(nlohmann::json(as_said("killed by SIGKILL")) == "killed by SIGKILL");
  CHECK(nlohmann::json("killed by SIGKILL").get<Reason>() == as_said("killed by SIGKILL"));
  const Reason infinite{ReasonCode::guard_above, {{"value", std::numeric_limits<double>::infinity()}}};
  CHECK(nlohmann::json(infinite).get<Reason>() == infinite);
  CHECK_THROWS_WITH(decode("RunRequeued", 2, R"({"run":1,"why":{"code":"unheard_of","with":{}}})"),
                    Catch::Contains("unheard_of is newer than this program"));
}

TEST_CASE("how a model was asked and what its reply states are read again, and older calls keep their bytes") {
  const std::string asked = R"({"call":1,"line":"writeup-1","model":"small","request":{"bytes":7,"sha256":"r"},)"
                            R"("tokens":9,"usd":0.5})";
  CHECK(encode(decode("ModelAsked", 2, asked)) == asked);
  const std::string answered = R"({"call":1,"end":{"attempts":1,"failure":"","maybe_paid":false,"reply":{"bytes":5,)"
                               R"("sha256":"a"},"seconds":0.5,"tokens":{"cache_read":0,"cache_written":0,"input":9,)"
                               R"("output":1},"usd":0.5}})";
  CHECK(encode(decode("ModelAnswered", 2, answered)) == answered);
  kernel::ModelAsked ask;
  ask.as = {"gpt-x", "high", true};
  CHECK(std::get<kernel::ModelAsked>(decode("ModelAsked", 2, encode(ask))).as == ask.as);
  kernel::ModelAnswered answer;
  answer.end.origin = {"gpt-x-2026-01-01", "flex", "fp_1"};
  CHECK(std::get<kernel::ModelAnswered>(decode("ModelAnswered", 2, encode(answer))).end.origin == answer.end.origin);
  answer.end.understated = kernel::UnderstatedUse{7, 120};
  const auto read = std::get<kernel::ModelAnswered>(decode("ModelAnswered", 2, encode(answer))).end.understated;
  REQUIRE(read);
  CHECK((read->stated == 7 && read->least == 120));
  answer.end.origin = kernel::ReplyOrigin{};  // A reply that states nothing is no call of an older log.
  CHECK(std::get<kernel::ModelAnswered>(decode("ModelAnswered", 2, encode(answer))).end.origin.has_value());
}

TEST_CASE("an event of version 1 keeps its sentence, and one of version 2 shows the same") {
  const std::string before = R"({"run":1,"why":"exit status 3"})";
  CHECK(encode(decode("RunRequeued", 1, before)) == before);
  nlohmann::json shown = RunRequeued{1, {ReasonCode::exit_status, {{"status", 3}}}};
  put_in_words(shown, kernel::wording_version);
  CHECK(shown.dump() == before);
}

TEST_CASE("a sentence puts each value in its place as the place asks for it") {
  const Reason warm{ReasonCode::all_warm_up, {{"values", 1}}}, two{ReasonCode::all_warm_up, {{"values", 2}}};
  CHECK(newest_words(warm) == "its 1 value is all warm-up");
  CHECK(newest_words(two) == "its 2 values are all warm-up");
  CHECK(newest_words({ReasonCode::guard_above, {{"metric", "`x`"}, {"value", 0.5}, {"bound", 1.0 / 3}}}) ==
        "`x` is 0.5, and at most 0.333333 is allowed");
  CHECK(newest_words({ReasonCode::no_primary_value, {{"metric", "`x`"}}}) == "no value for the primary metric `x`");
  CHECK_THROWS(sentence(warm, wording_version + 1));
}

TEST_CASE("a sentence within another one ends with one full stop, since wording 2") {
  const Reason inner{ReasonCode::constant_difference,
                     {{"metric", "cost"}, {"hypothesis", "H1"}, {"difference", 1e-9}, {"pairs", 6}, {"noise", 1.0}}};
  const Reason outer{ReasonCode::no_verdict, {{"why", std::vector{inner}}}};
  CHECK(sentence(outer, 1).ends_with("a constant was added.."));
  CHECK(sentence(outer, 2).ends_with("a constant was added."));
}

TEST_CASE("no full stop follows a question within a sentence, since wording 6") {
  const Reason inner{ReasonCode::same_on_every_unit, {{"metric", "cost"}, {"unit", "seed"}}};
  const Reason outer{ReasonCode::no_verdict, {{"why", std::vector{inner}}}};
  CHECK(sentence(outer, 5).ends_with("share more than the seed?."));
  CHECK(sentence({ReasonCode::no_verdict, {{"why", std::vector{kernel::as_said("does it use n?")}}}}, 6) ==
        "Not judged: does it use n?");
  CHECK(sentence(outer, 6) ==
        "Not judged: the difference that is tested in cost is exactly the same on every seed, so nothing says how far "
        "other seeds could lie: look whether a constant was added, or whether the arms share more than the seed.");
}

TEST_CASE("a text of the kernel in the exploration graph is stored as its reason, and read as its sentence") {
  kernel::Node node;
  node.id = "N02";
  node.type = kernel::NodeType::dead_end;
  node.fields["hypothesis"] = "Quick is faster.";
  kernel::state_text(node, "title", {kernel::ReasonCode::withdrawn_title, {{"statement", "Quick is faster."}}});
  kernel::state_text(node, "lesson", {kernel::ReasonCode::nothing_from_withdrawn});
  nlohmann::json stored = node;
  CHECK(stored["title"] ==
        nlohmann::json::parse(R"({"code":"withdrawn_title","with":{"statement":"Quick is faster."}})"));
  CHECK(stored["fields"]["hypothesis"] == "Quick is faster.");
  CHECK(stored["fields"]["lesson"]["code"] == "nothing_from_withdrawn");
  const auto read = stored.get<kernel::Node>();
  CHECK(read.title == "Withdrawn: Quick is faster.");
  CHECK(read.fields.at("lesson") == "Nothing is concluded from it; it keeps its slot in the family.");
  CHECK(read.stated == node.stated);
  kernel::put_in_words(stored, kernel::wording_version);
  CHECK(stored["title"] == read.title);
  kernel::put_in_words(node, kernel::codes_only);
  CHECK(node.title == "[withdrawn_title]");
  CHECK(node.fields.at("hypothesis") == "Quick is faster.");
}

TEST_CASE("settled replicates are an object by hypothesis") {
  Design design;
  design.settled = {{"H1", 3}, {"H2", 4}};
  const nlohmann::json written = design;
  CHECK(written.at("settled") == nlohmann::json{{"H1", 3}, {"H2", 4}});
  CHECK(written.get<Design>().settled == design.settled);
}
