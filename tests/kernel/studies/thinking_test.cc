#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/search/search_driver.h"
#include "tests/kernel/studies/world.h"

using kernel::CallState;
using kernel::Study;

namespace {

/// A study at its first stage, to be told what agents that think do.
struct Asked {
  explicit Asked(kernel::Budget budget = {}) : driver(with(budget), {}) {}

  static kernel::StudySpec with(kernel::Budget budget) {
    kernel::StudySpec spec = synthetic::study(6);
    spec.budget = budget;
    return spec;
  }
  const Study& study() const { return driver.study(); }
  std::string say(kernel::CommandBody body) {
    kernel::Command command{"s1", "hypothesis", std::move(body)};
    const kernel::Decision decision = kernel::decide(driver.state, command, {});
    if (decision.events.empty()) return *kernel::why_not(decision.outcome);
    for (const kernel::Event& event : decision.events) driver.tell(event);
    return "";
  }
  std::string ask(std::int64_t tokens, std::optional<double> usd = 0.5) {
    return say(kernel::AskModel{"hypothesis-1", "small", {"request", 7}, tokens, usd});
  }
  std::string answer(int call, std::int64_t tokens, double usd = 0.1) {
    return say(kernel::ReportReply{call, {{"reply", 5}, {}, {tokens, 0, 0, 0}, usd, false, 1, 0.5}});
  }

  driver::Driver driver;
};

kernel::Budget most(std::optional<double> usd, std::optional<std::int64_t> tokens) {
  kernel::Budget budget;
  budget.usd = usd;
  budget.tokens = tokens;
  return budget;
}

}  // namespace

TEST_CASE("what a call may take is set aside before it is asked, and settled by what it took") {
  Asked s(most(10, 10000));
  CHECK(s.ask(4000) == "there is no open line of work hypothesis-1");
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", "what to test"}).empty());
  CHECK(s.say(kernel::OpenLine{"hypothesis-1", ""}) == "there is a line of work hypothesis-1 already");
  REQUIRE(s.ask(4000).empty());
  kernel::Spending spending = kernel::spending_of(s.study(), {});
  CHECK((spending.tokens.reserved == 4000 && spending.tokens.spent == 0 && spending.usd.reserved == 0.5));
  CHECK(s.ask(1) == "hypothesis-1 waits for a reply already");
  REQUIRE(s.answer(1, 1500).empty());
  spending = kernel::spending_of(s.study(), {});
  CHECK((spending.tokens.reserved == 0 && spending.tokens.spent == 1500 && spending.usd.reserved == 0));
  CHECK(spending.usd.spent == 0.1);
  CHECK(s.study().accounts.front().role == "hypothesis");
  CHECK(s.study().accounts.front().branch == "hypothesis-1");
  CHECK(s.study().accounts.front().calls == 1);
  CHECK(s.answer(1, 1) == "call 1 waits for no reply");
  CHECK(s.answer(7, 1) == "call 7 waits for no reply");
}

TEST_CASE("a call that could go beyond the budget is not asked: the study pauses, and goes on where it was") {
  Asked s(most({}, 5000));
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  REQUIRE(s.ask(4000).empty());
  REQUIRE(s.answer(1, 3000).empty());
  REQUIRE(s.ask(2001).empty());
  CHECK(s.study().state == kernel::StudyState::paused);
  CHECK(s.study().pause_reason == kernel::PauseReason::budget);
  CHECK(kernel::newest_words(s.study().pause_detail) == "tokens: 3000 of 5000 spent, and the next call may take 2001");
  CHECK(s.study().thinking.calls.size() == 1);
  CHECK(s.ask(1) == "the study is not worked on");
  REQUIRE(s.say(kernel::Resume{"boot", 0, most({}, 6000)}).empty());
  REQUIRE(s.ask(2001).empty());
  CHECK(s.study().thinking.calls.size() == 2);
}

TEST_CASE("what became of a question to a model is a value: its call, a person to wait for, or a pause") {
  kernel::StudySpec spec = Asked::with(most({}, 5000));
  kernel::GateSpec gate;
  gate.on = kernel::GateOn::spend;
  gate.above.tokens = 1000;
  spec.gates = {gate};
  driver::Driver driver(spec, {});
  const auto outcome_of = [&driver](kernel::CommandBody body) {
    const kernel::Decision decision = kernel::decide(driver.state, {"s1", "hypothesis", std::move(body)}, {});
    for (const kernel::Event& event : decision.events) driver.tell(event);
    return decision.outcome;
  };
  const auto asking = [](std::int64_t tokens) { return kernel::AskModel{"l", "small", {"request", 7}, tokens, {}}; };
  CHECK(std::holds_alternative<kernel::Rejection>(outcome_of(asking(1))));
  CHECK_FALSE(std::get<kernel::Done>(outcome_of(kernel::OpenLine{"l", ""})).call);
  CHECK(std::get<kernel::Done>(outcome_of(asking(1000))).call == 1);
  outcome_of(kernel::ReportReply{1, {{"reply", 5}, {}, {1000, 0, 0, 0}, 0, false, 1, 0}});
  CHECK(std::holds_alternative<kernel::Waits>(outcome_of(asking(1))));
  CHECK(driver.study().waiting_gate());
  CHECK(*kernel::why_not(outcome_of(asking(1))) == "s1-g1 waits for a person");
  outcome_of(kernel::DecideGate{"s1-g1", true});
  CHECK(std::holds_alternative<kernel::Paused>(outcome_of(asking(4001))));
  CHECK(driver.study().state == kernel::StudyState::paused);
  CHECK(std::holds_alternative<kernel::Paused>(outcome_of(asking(1))));
}

TEST_CASE("an unknown price is never zero") {
  Asked free, limited(most(1, {}));
  for (Asked* s : {&free, &limited}) REQUIRE(s->say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  CHECK(free.ask(10, std::nullopt).empty());
  CHECK(limited.ask(10, std::nullopt) == "the price of model small is not known, and the study has a budget in usd");
  REQUIRE(limited.ask(10, 2).empty());
  CHECK(kernel::newest_words(limited.study().pause_detail) == "usd: 0 of 1 spent, and the next call may take 2");
}

TEST_CASE("calls are charged to their model and role, and one without a price is said to have none") {
  Asked s;
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  kernel::AskModel ask{"hypothesis-1", "small", {"request", 7}, 4000, 0.5};
  ask.asked_for = "gpt-x";
  ask.effort = "high";
  REQUIRE(s.say(ask).empty());
  kernel::CallEnd end{{"reply", 5}, {}, {100, 20, 300, 0}, 0.1};
  end.origin = {"gpt-x-2026-01-01", "flex", "fp_1"};
  REQUIRE(s.say(kernel::ReportReply{1, end}).empty());
  REQUIRE(s.study().models.size() == 1);
  const kernel::ModelUse& use = s.study().models.front();
  CHECK((use.role == "hypothesis" && use.model == "small" && use.calls == 1 && use.unpriced == 0));
  CHECK((use.prompt_tokens == 400 && use.cached_tokens == 300 && use.output_tokens == 20 && use.usd == 0.1));
  REQUIRE(use.answers.size() == 1);
  CHECK(use.answers[0].as == kernel::AskedAs{"gpt-x", "high", false});
  CHECK(use.answers[0].origin == *end.origin);
  ask.usd.reset();
  REQUIRE(s.say(ask).empty());
  REQUIRE(s.answer(2, 10, 0).empty());
  CHECK(s.study().models.front().unpriced == 1);
}

TEST_CASE("replies are recorded once, also of a study that was paused meanwhile, and tools answer each call once") {
  Asked s;
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  REQUIRE(s.ask(10).empty());
  const kernel::ReportTool tool{1, {"c1", "read_file", {"text", 4}, false}};
  CHECK(s.say(tool) == "call 1 has no reply");
  REQUIRE(s.say(kernel::Pause{kernel::PauseReason::person}).empty());
  REQUIRE(s.answer(1, 5).empty());
  REQUIRE(s.say(tool).empty());
  CHECK(s.say(tool) == "the tool call c1 was answered already");
  CHECK(s.study().thinking.calls[0].tools.front().tool == "read_file");
  REQUIRE(s.say(kernel::CloseLine{"hypothesis-1", kernel::as_said("done")}).empty());
  CHECK(s.study().thinking.line("hypothesis-1")->ending == kernel::as_said("done"));
  CHECK(s.say(kernel::CloseLine{"hypothesis-1", kernel::as_said("again")}) ==
        "there is no open line of work hypothesis-1");
}

TEST_CASE("a call without a reply may have been paid for") {
  Asked s;
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  REQUIRE(s.ask(100, 0.5).empty());
  REQUIRE(s.say(kernel::ReportReply{
                    1, {{}, {kernel::ReasonCode::kernel_ended_before_reply}, {100, 0, 0, 0}, 0.5, true, 1, 0}})
              .empty());
  CHECK(s.study().thinking.calls[0].state == CallState::failed);
  CHECK(kernel::spending_of(s.study(), {}).usd.spent == 0.5);
  REQUIRE(s.ask(100, 0.5).empty());
}

TEST_CASE("what an agent that thinks does comes through the inbox, two commands of one tool in one commit") {
  World world([](const kernel::JobSpec& job) { return honest(job); });
  kernel::LoopParts parts = world.parts();
  int asked = 0;
  parts.agent = [&](kernel::Role role, const Study& study) -> kernel::RoleAnswer {
    if (role != kernel::Role::hypothesis) return agents::builtin_turn(role, study);
    if (!study.hypotheses.empty()) {
      kernel::StudyRequirement required;
      required.text = "It sorts.";
      required.file = "sort.py";
      required.from = required.to = 1;
      return std::vector<kernel::Command>{{"s1", "hypothesis", kernel::BindRequirement{required}},
                                          {"s1", "reviewer", kernel::JudgeRequirement{"R1", true, "it does"}},
                                          {"s1", "hypothesis", kernel::CloseProposals{1}}};
    }
    if (++asked > 1) return {{}, true};
    world.inbox.post(kernel::CommandRequest{{"s1", "hypothesis", kernel::OpenLine{"hypothesis-1", ""}}, {}});
    world.inbox.post(
        kernel::CommandRequest{{"s1", "hypothesis", kernel::AskModel{"hypothesis-1", "small", {"r", 1}, 10, {}}}, {}});
    world.inbox.post(kernel::CommandRequest{
        {"s1", "hypothesis", kernel::ReportReply{1, {{"reply", 5}, {}, {}, 0, false, 1, 0}}}, {}});
    kernel::CommandRequest proposal{{"s1", "hypothesis", kernel::ProposeHypothesis{quick_is_faster()}},
                                    [&](const kernel::CommandOutcome& outcome) {
                                      const std::string* why = kernel::why_not(outcome);
                                      world.answers.push_back(why ? *why : "");
                                    }};
    proposal.then = {{"s1", "hypothesis", kernel::ReportTool{1, {"c1", "propose_hypothesis", {"ok", 2}, false}}}};
    world.inbox.post(proposal);
    world.inbox.post(proposal);
    world.inbox.post(kernel::Inspect{"s1", [&](const Study* seen) { CHECK(seen->hypotheses.size() == 1); }});
    return {{}, true};
  };
  kernel::Loop loop(parts);
  world.open(small_spec());
  loop.run(World::at_rest);
  const Study study = *world.replayed().study("s1");
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.thinking.calls[0].tools.size() == 1);
  // What was done is said once it is stored.
  CHECK(world.answers == std::vector<std::string>{"hypothesis H1 exists already", ""});
}

TEST_CASE("a fork of a study that waits for a reply waits for none") {
  Asked s;
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  REQUIRE(s.ask(100, 0.5).empty());
  std::vector<kernel::Event> told = s.driver.log;
  for (kernel::Event& event : told) event.study = "s2";
  std::get<kernel::StudyOpened>(told.front().body).id = "s2";
  const kernel::Decision decision =
      kernel::decide(s.driver.state, {"s2", "person", kernel::ForkStudy{"s1", 3, "head", told, 0}}, {});
  kernel::State forked;
  for (const kernel::Event& event : decision.events) kernel::apply(forked, event);
  const Study& fork = *forked.study("s2");
  CHECK(fork.thinking.under_way == 0);
  CHECK(fork.thinking.calls[0].state == CallState::failed);
  CHECK(kernel::spending_of(fork, {}).usd.spent == 0.5);
  CHECK(s.study().thinking.under_way == 1);
}

TEST_CASE("a call in a batch outlives the program that waits for it, and nobody waits for its end to pause") {
  Asked s;
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  CHECK(s.say(kernel::ReportBatch{1, "b1", "http://h", 3600000}) == "call 1 waits for no reply");
  REQUIRE(s.ask(100, 0.5).empty());
  CHECK(s.study().thinking.awaited() == 1);
  REQUIRE(s.say(kernel::ReportBatch{1, "b1", "http://h", 3600000}).empty());
  const kernel::ModelCall* call = s.study().thinking.call(1);
  REQUIRE(call->in_batch());
  CHECK((call->batch->id == "b1" && call->batch->service == "http://h"));
  CHECK(s.study().thinking.awaited() == 0);
  CHECK_FALSE(s.study().at_rest());
  REQUIRE(s.say(kernel::Pause{kernel::PauseReason::interrupted, {}}).empty());
  CHECK(s.study().at_rest());
  // A later kernel takes it up, so the program that ended has not lost it.
  CHECK(kernel::decide(s.driver.state, {"s1", "kernel", kernel::GiveUpCalls{"", {}}}, {}).events.empty());
  CHECK(kernel::spending_of(s.study(), {}).usd.reserved == 0.5);
  REQUIRE(s.say(kernel::Resume{"boot", 0, {}}).empty());
  CHECK(s.ask(1) == "hypothesis-1 waits for a reply already");
  REQUIRE(s.answer(1, 80, 0.05).empty());
  CHECK(s.study().thinking.call(1)->state == CallState::answered);
  CHECK(kernel::spending_of(s.study(), {}).usd.spent == 0.05);
}

TEST_CASE("a call that is asked at once after its batch is lost with its program like any other") {
  Asked s;
  REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
  REQUIRE(s.ask(100, 0.5).empty());
  REQUIRE(s.say(kernel::ReportBatch{1, "b1", "http://h", 3600000}).empty());
  REQUIRE(s.say(kernel::ReportBatch{1, "", "", 0}).empty());
  CHECK_FALSE(s.study().thinking.call(1)->in_batch());
  REQUIRE(s.say(kernel::GiveUpCalls{"", {kernel::ReasonCode::kernel_ended_before_reply}}).empty());
  CHECK(s.study().thinking.call(1)->state == CallState::failed);
}

TEST_CASE("what ends for good waits for no batch: a line that is closed, a study that is cancelled, a fork") {
  const auto in_batch = [](Asked& s) {
    REQUIRE(s.say(kernel::OpenLine{"hypothesis-1", ""}).empty());
    REQUIRE(s.ask(100, 0.5).empty());
    REQUIRE(s.say(kernel::ReportBatch{1, "b1", "http://h", 3600000}).empty());
  };
  Asked closed;
  in_batch(closed);
  REQUIRE(closed.say(kernel::CloseLine{"hypothesis-1", {kernel::ReasonCode::line_code_amended}}).empty());
  CHECK(closed.study().thinking.call(1)->state == CallState::failed);
  CHECK(closed.study().thinking.under_way == 0);

  Asked cancelled;
  in_batch(cancelled);
  REQUIRE(cancelled.say(kernel::Cancel{"enough"}).empty());
  CHECK(cancelled.study().thinking.call(1)->state == CallState::failed);
  CHECK(kernel::spending_of(cancelled.study(), {}).usd.spent == 0.5);

  Asked forked;
  in_batch(forked);
  std::vector<kernel::Event> told = forked.driver.log;
  for (kernel::Event& event : told) event.study = "s2";
  std::get<kernel::StudyOpened>(told.front().body).id = "s2";
  kernel::State fork;
  for (const kernel::Event& event :
       kernel::decide(forked.driver.state, {"s2", "person", kernel::ForkStudy{"s1", 3, "head", told, 0}}, {}).events)
    kernel::apply(fork, event);
  CHECK(fork.study("s2")->thinking.under_way == 0);
  CHECK(forked.study().thinking.call(1)->in_batch());
}
