// Agents that ask: a person for leave or for an answer, the machine for a run, the kernel to record what is required.
#include <future>
#include <thread>

#include <fmt/format.h>

#include "kernel/decide/decide.h"
#include "kernel/decide/preconditions.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

namespace {

kernel::StudySpec gated(std::vector<std::string> tools, std::optional<double> wait_s = {},
                        std::optional<bool> unanswered = {}) {
  kernel::StudySpec spec = thinking_spec();
  kernel::GateSpec gate;
  gate.on = kernel::GateOn::tool;
  gate.tools = std::move(tools);
  gate.wait_s = wait_s;
  gate.unanswered = unanswered;
  spec.gates = {gate};
  return spec;
}

/// Until a gate waits and nobody works on what waits for it.
bool at_a_gate(const kernel::State& state) {
  const Study* study = state.study("s1");
  return study && std::any_of(study->gates.begin(), study->gates.end(), [](const auto& g) { return !g.decided; }) &&
         study->thinking.under_way == 0;
}

}  // namespace

TEST_CASE("a question waits for a person, across kernels, and the answer reaches the model") {
  std::vector<std::string> answers;
  Thoughtful t(first_calling({{"ask_person", R"({"question":"Which sizes matter to you?"})"}}, &answers));
  t.world.open(thinking_spec());
  t.live(at_a_gate);
  Study study = t.study();
  REQUIRE(study.gates.size() == 1);
  CHECK(kernel::newest_words(study.gates[0].gate.what) == "Which sizes matter to you?");
  CHECK(study.gates[0].gate.on == kernel::GateOn::question);
  CHECK(study.waiting_gate() == nullptr);
  const std::size_t asked = t.model->asked().size();
  t.world.take_up();
  t.world.say(kernel::DecideGate{"s1-g1", true});
  t.world.say(kernel::DecideGate{"s1-g1", true, kernel::as_said("only the large ones")});
  t.live();
  CHECK(t.world.answers == std::vector<std::string>{"the agent waits for an answer in words (--why)", ""});
  study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0] == "The person says: only the large ones");
  CHECK(asked == 1);  // Nothing was asked again.
  CHECK(t.model->asked().size() == 3);
}

TEST_CASE("who waits for a person does nothing meanwhile") {
  Thoughtful t(first_calling({{"ask_person", R"({"question":"Which sizes matter to you?"})"}}));
  t.world.open(thinking_spec());
  std::promise<void> asked;
  std::thread later([&] {
    asked.get_future().wait();
    // The kernel's thread has many turns in which it could find something to do.
    for (int turn = 0; turn < 50; ++turn) {
      std::promise<void> looked;
      t.world.inbox.post(kernel::Inspect{"s1", [&](const Study*) { looked.set_value(); }});
      looked.get_future().wait();
    }
    t.world.inbox.post(kernel::Leave{});
  });
  bool waits = false;
  t.live([&](const kernel::State& state) {
    if (const Study* study = state.study("s1"); study && !study->gates.empty() && !std::exchange(waits, true))
      asked.set_value();
    return false;
  });
  later.join();
  CHECK(t.study().gates.size() == 1);
  CHECK(t.casts <= 3);
}

TEST_CASE("a gate stands before a tool: refused, approved, and approved with other arguments") {
  for (const char* decision : {"approve", "reject", "edit"}) {
    std::vector<std::string> answers;
    Thoughtful t(first_calling({{"note", R"({"text":"mine"})"}}, &answers));
    t.world.open(gated({"no*"}));
    t.live(at_a_gate);
    CHECK(kernel::newest_words(t.study().gates[0].gate.what) == "let hypothesis use `note`");
    CHECK(t.study().gates[0].gate.arguments == R"({"text":"mine"})");
    CHECK(t.study().thinking.notes.empty());
    t.world.take_up();
    const bool edits = std::string(decision) == "edit", approves = edits || std::string(decision) == "approve";
    t.world.say(kernel::DecideGate{"s1-g1", approves, kernel::as_said(approves ? "" : "not now"),
                                   edits ? R"({"text":"yours"})" : ""});
    t.live();
    const Study study = t.study();
    INFO(decision);
    CHECK(study.outcome == kernel::StudyOutcome::concluded);
    CHECK(answers == std::vector<std::string>{approves ? "Noted." : "A person refused that: not now"});
    CHECK(study.thinking.notes == (approves ? std::vector<std::string>{edits ? "hypothesis: yours" : "hypothesis: mine"}
                                            : std::vector<std::string>{}));
    // What was really used stands in the conversation.
    CHECK(t.model->asked()[1].messages[1].calls[0].arguments == (edits ? R"({"text":"yours"})" : R"({"text":"mine"})"));
  }
}

TEST_CASE("what cannot be followed is refused before a person is asked, and nobody waits beyond his time") {
  std::vector<std::string> answers;
  Thoughtful t(first_calling({{"note", R"({"text":3})"}, {"note", R"({"text":"late"})"}}, &answers));
  t.world.clock.tick_ms = 50;
  t.world.open(gated({"note"}, 2, false));
  t.live();
  const Study study = t.study();
  REQUIRE(study.gates.size() == 1);
  CHECK(study.gates[0].by == "kernel");
  CHECK(answers.at(0).find("the arguments do not match the schema") == 0);
  CHECK(answers.at(1) == "A person refused that: no decision came in time");
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("a gate that pauses pauses, and goes on when it is decided") {
  Thoughtful t(first_calling({{"note", R"({"text":"mine"})"}}));
  kernel::StudySpec spec = gated({"*"});
  spec.gates[0].tools = {"note"};
  spec.gates[0].pause = true;
  t.world.open(spec);
  t.live();
  CHECK(t.study().pause_reason == kernel::PauseReason::gate);
  t.world.take_up();
  t.world.say(kernel::DecideGate{"s1-g1", true});
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  CHECK(t.study().thinking.notes.size() == 1);
}

TEST_CASE("a gate on spending holds the call that would go beyond it") {
  Thoughtful t(proposing);
  kernel::StudySpec spec = thinking_spec();
  kernel::GateSpec gate;
  gate.on = kernel::GateOn::spend;
  gate.above.tokens = 1;
  spec.gates = {gate};
  t.world.open(spec);
  t.live([](const kernel::State& s) { return s.study("s1") && s.study("s1")->waiting_gate(); });
  CHECK(t.model->asked().empty());
  t.world.take_up();
  t.world.say(kernel::DecideGate{"s1-g1", true});
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  CHECK(t.study().gates.size() == 1);
}

TEST_CASE("nothing of an agent is registered before another confirmed from the source what the question requires") {
  const std::string bound =
      R"({"of":"method","text":"Each algorithm sorts the same numbers.","file":"sort.py","from_line":1})";
  std::vector<std::string> answers;
  Thoughtful t(first_calling(
      {{"bind_requirement", R"({"of":"method","text":"It sorts the numbers.","file":"other.py","from_line":1})"},
       {"bind_requirement",
        R"({"of":"method","text":"It sorts the numbers.","file":"sort.py","from_line":2,"to_line":9})"},
       {"bind_requirement", bound},
       {"bind_requirement", R"({"of":"question","text":"Is quicksort faster at all?","hypotheses":["H7"]})"},
       {"bind_requirement", R"({"of":"question","text":"Is quicksort faster at all?"})"}},
      &answers));
  bool content = false;
  t.others = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    if (request.system.find("you review the source") == std::string::npos) return obliging(request, n);
    if (said_before(request) > 0) return calling("finish", R"({"summary":"I looked."})");
    CHECK(request.messages[0].text.find("bound to sort.py:1-1") != std::string::npos);
    CHECK(request.messages[0].text.find("Quicksort takes less") == std::string::npos);
    return fakes::reading_first("sort.py", "judge_requirement",
                                json({{"id", "R1"}, {"met", content}, {"why", "line 1 of sort.py says so"}}).dump());
  });
  t.world.open(thinking_spec());
  t.live();
  Study study = t.study();
  CHECK(answers.at(0).find("there is no file other.py") == 0);
  CHECK(answers.at(1) == "say from_line and to_line: sort.py has 2 lines");
  CHECK(answers.at(3) == "there is no hypothesis H7");
  // What a model proposes is not all that another has to say of what it requires.
  REQUIRE(study.thinking.requirements.size() == 3);
  CHECK(study.thinking.requirements[2].by == "engineer");
  CHECK(study.state == kernel::StudyState::paused);
  CHECK(kernel::newest_words(study.pause_detail)
            .find("requirement R1 is not met (Each algorithm sorts the same numbers.)") != std::string::npos);
  CHECK(study.experiments.empty());
  CHECK(kernel::unmet(study, "").size() == 1);
  CHECK(kernel::answer_to(study, study.thinking.requirements[1]) == "not answered");

  // A person who knows better has the last word.
  t.world.take_up();
  t.world.say(kernel::JudgeRequirement{"R1", true, "both get the same list: main.py line 3"});
  t.world.say(kernel::JudgeRequirement{"R3", true, "so does that"});
  t.world.say(kernel::Resume{});
  t.live();
  study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.thinking.requirements[0].judge == "person");
  CHECK(study.experiments.size() == 1);
}

TEST_CASE("nothing is registered before the requirements are drawn up and judged") {
  Thoughtful t(proposing);
  t.others = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    const std::size_t before = said_before(request);
    if (request.system.find("you say what the question requires") != std::string::npos) {
      if (before >= 3) return calling("finish", R"({"summary":"These matter."})");
      return calling("bind_requirement", json({{"of", "method"},
                                               {"text", fmt::format("Requirement {} is met.", before + 1)},
                                               {"file", "sort.py"},
                                               {"from_line", 1}})
                                             .dump());
    }
    if (request.system.find("you review the source") == std::string::npos) return obliging(request, n);
    if (before >= 3) return calling("finish", R"({"summary":"I looked."})");
    return fakes::reading_first(
        "sort.py", "judge_requirement",
        json({{"id", fmt::format("R{}", before + 1)}, {"met", true}, {"why", "sort.py does"}}).dump());
  });
  t.world.open(thinking_spec());
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  std::vector<std::string> order;
  for (const kernel::Event& event : t.world.log) {
    if (const auto* ended = std::get_if<kernel::LineEnded>(&event.body)) order.push_back(ended->line);
    if (const auto* opened = std::get_if<kernel::LineOpened>(&event.body)) order.push_back("> " + opened->line);
    if (std::holds_alternative<kernel::ExperimentRegistered>(event.body)) order.push_back("registered");
  }
  CHECK(order == std::vector<std::string>{"> hypothesis-1", "hypothesis-1", "> engineer-1", "engineer-1",
                                          "> reviewer-1", "reviewer-1", "registered", "> analysis-1", "analysis-1",
                                          "> writeup-1", "writeup-1"});
}

TEST_CASE("who drew a requirement does not judge it, and nothing unbound is met") {
  Thoughtful t(proposing);
  t.world.open(thinking_spec());
  t.live();
  Study study = t.study();
  kernel::State state;
  const auto refused = [&](const char* actor, kernel::CommandBody body) {
    Study open = study;
    open.state = kernel::StudyState::running;
    open.outcome.reset();
    state.studies.insert_or_assign("s1", std::move(open));
    const auto decision = kernel::decide(state, {"s1", actor, std::move(body)}, {});
    const std::string* why = kernel::why_not(decision.outcome);
    return why ? *why : "";
  };
  REQUIRE(study.thinking.requirements.size() == 1);
  CHECK(study.thinking.requirements[0].judged == kernel::Judgement::met);
  CHECK(refused("engineer", kernel::JudgeRequirement{"R1", true, "it is"}) ==
        "who drew a requirement does not judge it");
  CHECK(refused("reviewer", kernel::JudgeRequirement{"R7", true, "it is"}) == "there is no requirement R7");
  CHECK(refused("reviewer", kernel::JudgeRequirement{"R1", true, "it is", study.workspace.hash}).empty());
  CHECK(refused("reviewer", kernel::JudgeRequirement{"R1", true, "it is", kernel::WorkspaceHash("of before")}) ==
        "this is not the code that you read: it was amended since, or belongs to another version");
  // A log in which an agent judged its own requirement, or easier words replaced it, was not written by a kernel.
  const kernel::RequirementJudged judged{"R1", true, "it is"};
  CHECK_FALSE(kernel::cannot_follow(study, judged, "reviewer"));
  CHECK(kernel::cannot_follow(study, judged, "engineer")->reason == "who drew a requirement does not judge it");
  kernel::RequirementBound easier{study.thinking.requirements[0]};
  CHECK_FALSE(kernel::cannot_follow(study, easier, "engineer"));
  easier.requirement.text = "Something easier.";
  CHECK(kernel::cannot_follow(study, easier, "engineer")->reason == "R1 is bound anew, and demands something else");
  study.thinking.requirements[0].file.clear();
  CHECK(refused("reviewer", kernel::JudgeRequirement{"R1", true, "it is"}) ==
        "R1 is bound to no code: it cannot be met");
  CHECK(refused("person", kernel::JudgeRequirement{"R1", true, "I wrote it elsewhere"}).empty());
  CHECK(refused("person", kernel::JudgeRequirement{"R1", true, ""}) == "say what in the source shows it");
  kernel::StudyRequirement other = study.thinking.requirements[0];
  other.text = "Something easier.";
  other.unmet = "nobody did it";
  CHECK(refused("engineer", kernel::BindRequirement{other}).empty());
  other.text.clear();  // What is required stays as it was drawn.
  CHECK(refused("engineer", kernel::BindRequirement{other}).empty());
  study.thinking.requirements[0].judge = "person";
  study.thinking.requirements[0].why = "I know it";
  CHECK(refused("reviewer", kernel::JudgeRequirement{"R1", false, "no"}) == "a person has judged it: I know it");
}

TEST_CASE("a write-up's sections hold no number of their own, and what has a verdict may be said") {
  std::vector<std::string> answers;
  Thoughtful t(proposing);
  t.others = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    if (request.system.find("you write this study up") == std::string::npos) return obliging(request, n);
    const std::size_t before = said_before(request);
    if (before > 0) answers.push_back(last_answer(request));
    if (before == 0) return calling("write_section", R"({"name":"summary","text":"Quicksort is 50 times faster."})");
    if (before == 1)
      return calling("write_section",
                     R"({"name":"summary","text":"H1 is {{H1.verdict}}: the effect is {{H1.effect}}."})");
    return calling("finish", R"({"summary":"Written."})");
  });
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].find("section summary does not pass") == 0);
  CHECK(answers[1] == "Written.");
  REQUIRE(study.thinking.sections.size() == 1);
  const kernel::Section& section = study.thinking.sections[0];
  CHECK(section.by == "writeup");
  CHECK(section.text.find("H1 is supported: the effect is ") == 0);
  CHECK(section.written.at("summary") == "H1 is {{H1.verdict}}: the effect is {{H1.effect}}.");
}
