// Analysis that asks for more than it was given.
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

TEST_CASE("after the verdicts the analysis may change the direction, while the family has room") {
  kernel::StudySpec spec = thinking_spec();
  spec.design.family = 2;
  int batch = 0;
  Thoughtful t([&](const models::Request& request, int n) {
    if (said_before(request) == 0 && request.system.find("you propose the hypotheses") != std::string::npos) ++batch;
    if (batch == 2 && said_before(request) == 0) {
      json merge = json::parse(quick_takes_less);
      merge["statement"] = "Bubble sort takes more time than quicksort.";
      merge["test"]["treatment"]["algorithm"] = "bubble";
      merge["test"]["control"]["algorithm"] = "quick";
      merge["test"]["direction"] = "greater";
      return calling("propose_hypothesis", merge.dump());
    }
    if (batch == 2) return calling("finish", R"({"summary":"One more."})");
    return proposing(request, n);
  });
  std::vector<std::string> answers;
  t.others = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    if (request.system.find("you interpret the verdicts") == std::string::npos) return obliging(request, n);
    if (said_before(request) == 1) answers.push_back(last_answer(request));
    if (said_before(request) > 0) return calling("finish", R"({"summary":"On."})");
    return calling("change_direction",
                   R"({"title":"The other way round","from":"quicksort","to":"bubble sort","why":"H1 calls for it"})");
  });
  t.world.open(spec);
  t.live();
  const Study study = t.study();
  REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.batch.number == 2);
  CHECK(study.hypotheses.size() == 2);
  CHECK(study.experiments.size() == 2);
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].find("The study goes on") == 0);
  CHECK(answers[1] == "the family is full: what follows is for another study");
  CHECK(std::any_of(study.nodes.begin(), study.nodes.end(),
                    [](const auto& node) { return node.type == kernel::NodeType::pivot; }));
}
