// Agents that order: runs to see something, and the registration of what they propose.
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

TEST_CASE("a scratch run shows how the code behaves, and is never evidence") {
  std::vector<std::string> answers;
  std::string command;
  int cpus = 0;
  Thoughtful t(first_calling({{"run_scratch", R"({"command":"echo {hi} && false","timeout":7})"},
                              {"run_scratch", R"({"command":"nvidia-smi","gpus":2})"}},
                             &answers),
               honest_but([&](const kernel::JobSpec& job) {
                 command = job.command.words.at(2);
                 cpus = job.resources.cpus;
                 CHECK(job.resources.timeout_s == 7);
                 kernel::ReportEnd end;
                 end.outcome.end = kernel::JobEnd::exited;
                 end.outcome.exit = 3;
                 return end;
               }));
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(command == "echo {{hi}} && false");  // Braces of its own.
  CHECK(cpus == thinking_spec().resources.cpus);
  CHECK(answers.at(0) == "It failed: exit status 3.");
  CHECK(answers.at(1) == "the study's runs have 0 GPUs each, and no more");
  CHECK(count(study, kernel::Purpose::scratch) == 1);
  CHECK_FALSE(study.runs[0].evidence());
  CHECK(study.runs[0].label == "hypothesis-1");
}

TEST_CASE("the study's own command runs at a setting, on a seed of no experiment, and is never evidence") {
  std::vector<std::string> answers;
  std::vector<kernel::JobSpec> jobs;
  Thoughtful t(first_calling({{"request_runs", R"({"settings":{"algorithm":"quick"},"timeout":9})"},
                              {"request_runs", R"({"settings":{"algorithm":"slow"}})"},
                              {"request_runs", R"({"settings":{"speed":1}})"},
                              {"request_runs", R"({"settings":{"algorithm":"quick"}})"}},
                             &answers),
               [&](const kernel::JobSpec& job) {
                 if (jobs.size() < 2) jobs.push_back(job);
                 return honest(job);
               });
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  REQUIRE(answers.size() == 4);
  CHECK(answers[0].starts_with("It ended with exit status 0.\ntime_ms = "));
  CHECK(answers[1] == "factor algorithm has no level slow, but bubble, quick");
  CHECK(answers[2] == "there is no factor speed, but algorithm, n");
  CHECK(jobs[0].command.words == study.spec.run.words);
  CHECK(jobs[0].values.at("algorithm") == "quick");
  CHECK(jobs[0].resources.timeout_s == 9);
  CHECK(jobs[0].seed != jobs[1].seed);
  CHECK(count(study, kernel::Purpose::scratch) == 2);
  for (const kernel::Run& run : study.runs)
    if (run.purpose != kernel::Purpose::scratch) CHECK((run.seed != jobs[0].seed && run.seed != jobs[1].seed));
  CHECK_FALSE(study.runs[0].evidence());
}

TEST_CASE("all runs of one reply are ordered, and a reply calls no more than 16 tools") {
  std::vector<models::ToolAnswer> answers;
  Thoughtful t([&](const models::Request& request, int n) -> models::ModelOutcome {
    if (request.system.find("you propose the hypotheses") == std::string::npos) return proposing(request, n);
    if (said_before(request) == 1) answers = request.messages.back().answers;
    if (said_before(request) == 1) return calling("propose_hypothesis", quick_takes_less);
    if (said_before(request) > 1) return calling("finish", R"({"summary":"I proposed one."})");
    models::ModelOutcome outcome = calling("request_runs", R"({"settings":{"algorithm":"quick"}})");
    auto& calls = std::get<models::Reply>(outcome).calls;
    for (int i = 2; i <= 20; ++i) calls.push_back({fmt::format("c{}", i), calls[0].name, calls[0].arguments});
    return outcome;
  });
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(count(study, kernel::Purpose::scratch) == 16);
  REQUIRE(answers.size() == 20);
  CHECK_FALSE(answers[15].failed);
  CHECK(answers[16].failed);
  CHECK(answers[16].text == "a reply calls at most 16 tools: call this one again in the next reply");
  const auto& tools = study.thinking.calls[0].tools;
  CHECK(std::ranges::count_if(tools, [](const kernel::ToolReturn& one) {
          return one.why.code == kernel::ReasonCode::tool_calls_in_reply;
        }) == 4);
}

TEST_CASE("what cannot be registered is refused while it can still be proposed otherwise") {
  std::vector<std::string> answers;
  Thoughtful t([&](const models::Request& request, int n) {
    if (request.system.find("you propose the hypotheses") == std::string::npos) return proposing(request, n);
    if (said_before(request) > 0) answers.push_back(last_answer(request));
    if (said_before(request) == 1) return calling("propose_hypothesis", quick_takes_less);
    return calling("register_experiment", R"({"summary":"One contrast."})");
  });
  kernel::StudySpec spec = thinking_spec();
  spec.budget.runs = 5;
  t.world.open(spec);
  t.live([&](const kernel::State&) { return answers.size() >= 3; });
  CHECK(answers[0] == "no hypothesis has been proposed");
  CHECK(answers[2].find("the budget allows 5") != std::string::npos);

  answers.clear();
  Thoughtful enough(first_calling({}), honest);
  enough.model = std::make_shared<fakes::ScriptedModel>([&](const models::Request& request, int n) {
    if (request.system.find("you propose the hypotheses") == std::string::npos) return proposing(request, n);
    if (said_before(request) == 0) return calling("propose_hypothesis", quick_takes_less);
    return calling("register_experiment", R"({"summary":"One contrast."})");
  });
  enough.world.open(thinking_spec());
  enough.live();
  CHECK(enough.study().outcome == kernel::StudyOutcome::concluded);
  CHECK(enough.study().thinking.lines.front().ended);
  CHECK(enough.study().hypothesis("H1")->result->verdict == kernel::Verdict::supported);
}

TEST_CASE("a scratch run that a kernel left is answered by the next one, and runs once") {
  int runs = 0;
  for (int at = 2; at <= 12; ++at) {
    runs = 0;
    std::vector<std::string> answers;
    Thoughtful t(first_calling({{"run_scratch", R"({"command":"true"})"}}, &answers),
                 honest_but([&](const kernel::JobSpec&) {
                   ++runs;
                   return fakes::FakeExecutor::succeeded({});
                 }));
    t.world.open(thinking_spec());
    t.world.fail_at_commit = at;
    CHECK_THROWS(t.live());
    t.world.inbox.take(1);
    t.world.take_up();
    t.live();
    INFO("killed at commit " << at);
    CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
    CHECK(answers == std::vector<std::string>{"It ended with exit status 0."});
    CHECK(count(t.study(), kernel::Purpose::scratch) == 1);
  }
}
