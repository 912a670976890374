// What a conversation makes of its briefing: lines that were read, ids, addresses, mended calls.
#include "agents/thinking/calls/role_model.h"
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

namespace {

bool is(const models::Request& request, const char* role) {
  return request.system.find(role) != std::string::npos;
}

}  // namespace

TEST_CASE("what the task quotes counts as read: a reviewer judges without opening the file again") {
  Thoughtful t(proposing);
  std::vector<std::string> answers;
  t.others = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    if (said_before(request) == 1) answers.push_back(last_answer(request));
    if (!is(request, "you review the source") || said_before(request) > 0) return obliging(request, n);
    CHECK(request.messages[0].text.find("    1  def quick(a):\n") != std::string::npos);
    for (const models::Tool& tool : request.tools) CHECK(tool.name != "read_file");
    return calling("judge_requirement", R"({"id":"R1","met":true,"why":"sort.py sorts by what it is told."})");
  });
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(answers.at(0) == "Recorded as R1, bound to lines 1 to 2 of that file.");
  CHECK(study.thinking.requirements.at(0).judged == kernel::Judgement::met);
  int shown = 0;
  for (const kernel::ModelCall& call : study.thinking.calls)
    if (!call.shown.empty()) {
      ++shown;
      CHECK(call.shown[0].file == "sort.py");
      CHECK(call.shown[0].to == 2);
    }
  CHECK(shown == 3);  // Once in each line that reads code: proposing, requirements, review.
}

TEST_CASE("results come with their addresses, and nothing of what has no verdict") {
  std::vector<std::string> before;
  Thoughtful t(first_calling({{"read_results", "{}"}}, &before));
  std::string results;
  t.others = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    if (!is(request, "you write this study up")) return obliging(request, n);
    if (said_before(request) == 0) return calling("read_results", "{}");
    if (said_before(request) == 1) results = last_answer(request);
    return obliging(request, n);
  });
  t.world.open(thinking_spec());
  t.live();
  REQUIRE(t.study().outcome == kernel::StudyOutcome::concluded);
  CHECK(before.at(0) == "There are no hypotheses yet.");
  CHECK(results.find("  {{H1.verdict}} is supported\n") != std::string::npos);
  CHECK(results.find("  {{H1.effect}} is -") != std::string::npos);
  CHECK(results.find("  {{E01.time_ms.algorithm=quick.mean}} is ") != std::string::npos);
  CHECK(results.find("{{runs.total}} is ") != std::string::npos);
}

TEST_CASE("a test of the wrong shape comes back as it should be, and one in a text is taken") {
  std::vector<std::string> answers;
  json wrong = json::parse(quick_takes_less), text = wrong;
  wrong["test"]["treatment"] = "quick";
  text["test"] = wrong["test"].dump();
  json fits = json::parse(quick_takes_less);
  fits["test"] = fits["test"].dump();
  Thoughtful t(first_calling({{"propose_hypothesis", wrong.dump()},
                              {"propose_hypothesis", text.dump()},
                              {"propose_hypothesis", R"({"statement":"It is faster.","mechanism":"it is","confidence":1,
                                                         "test":"time_ms"})"},
                              {"propose_hypothesis", fits.dump()}},
                             &answers));
  t.world.open(thinking_spec());
  t.live([](const kernel::State& state) { return state.study("s1") && state.study("s1")->proposals_closed; });
  REQUIRE(answers.size() == 4);
  for (const std::size_t i : {0u, 1u}) {
    INFO(answers[i]);
    CHECK(answers[i].find("the arguments do not match the schema: [test][treatment]") == 0);
    CHECK(answers[i].find(R"("treatment":{"algorithm":"quick"})") != std::string::npos);
  }
  CHECK(answers[2].find(R"(write `"test": {"metric": "time_ms", "treatment": {"algorithm": "quick"})") !=
        std::string::npos);
  CHECK(answers[3] == "Proposed as H1.");
}

TEST_CASE("a replay does not mind another clock, and minds everything else") {
  const auto request_with = [](const std::string& left, const std::string& file) {
    agents::Remembered remembered;
    remembered.request.system = "rules";
    remembered.request.messages.resize(1);
    remembered.request.messages[0].text = "# The study\n\n## Budget\n\n" + left + "\n\n## Notes\n\n" + file;
    return remembered;
  };
  const models::Reply said = std::get<models::Reply>(saying("Yes."));
  const agents::RecordedCall call{1, agents::to_journal(request_with("- time: 9 of 10 s left", "a")),
                                  agents::to_journal(said)};
  agents::ReplayModel model("s1", "hypothesis-1", {call}, [](const std::string&) { return std::string(); });
  const auto answer = [&](const agents::Remembered& now) {
    std::string text;
    model.ask(now.request, {}, [&](models::ModelOutcome outcome, agents::Attempts) {
      const auto* failure = std::get_if<models::Failure>(&outcome);
      text = failure ? failure->message : std::get<models::Reply>(outcome).text;
    });
    return text;
  };
  CHECK(answer(request_with("- time: 3 of 10 s left\n- money: 1 of 2 USD left", "a")) == "Yes.");
  CHECK(answer(request_with("- time: 9 of 10 s left", "b")).find("differs: message 1") != std::string::npos);
}
