// What a conversation does when its provider is out of reach, refuses, is retired, or reads less than it was sent.
#include "kernel/domain/journal.h"
#include "kernel/study/model_use.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

namespace {

models::Failure failing(models::Failure::Kind kind, std::string message) {
  models::Failure failure;
  failure.kind = kind;
  failure.message = std::move(message);
  return failure;
}

models::ModelOutcome refusing() {
  models::Reply reply;
  reply.stop = models::Stop::withheld;
  reply.refusal = "cyber: not this topic";
  reply.usage = {100, 1, 0, 0, true};
  return reply;
}

/// Roles other than the one that proposes are obliging; that one is asked by the script.
bool proposes(const models::Request& request) {
  return request.system.find("you propose the hypotheses") != std::string::npos;
}

std::string paused_for(const Thoughtful& t) {
  return kernel::newest_words(t.study().pause_detail);
}

}  // namespace

TEST_CASE("a study waits for a provider that is out of reach, says so, and goes on by itself") {
  int down = 3;
  Thoughtful t([&](const models::Request& request, int n) -> models::ModelOutcome {
    if (said_before(request) == 2 && down-- > 0) return failing(models::Failure::Kind::unreachable, "no connection");
    return proposing(request, n);
  });
  t.world.open(thinking_spec());
  bool said = false;
  t.live([&](const kernel::State& state) {
    const Study* study = state.study("s1");
    if (study && !study->thinking.lines.empty() && !study->thinking.lines[0].waits.empty()) {
      const json shape = kernel::study_shape(*study, "");
      said = said || shape.at("waiting").at(0).at("why") ==
                         "model small is out of reach and is asked again by itself: unreachable: no connection";
    }
    return World::at_rest(state);
  });
  CHECK(said);
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.thinking.lines[0].waits.empty());
  CHECK_FALSE(kernel::study_shape(study, "").contains("waiting"));
  int failed = 0;
  for (const kernel::ModelCall& call : study.thinking.calls) failed += call.state == kernel::CallState::failed;
  CHECK(failed == 3);
}

TEST_CASE("a study gets through an outage of an hour, a full context, a retired model and a refused topic by itself") {
  int failed = 0, summaries = 0;
  bool retired = false;
  Thoughtful t([&](const models::Request& request, int n) -> models::ModelOutcome {
    if (retired) return failing(models::Failure::Kind::no_model, "HTTP 404: the model has been retired");
    if (said_before(request) == 2 && failed < 16) {
      ++failed;
      return failing(models::Failure::Kind::server, "HTTP 503: overloaded");
    }
    if (request.messages.back().text.find("begins anew after your next reply") != std::string::npos) {
      ++summaries;
      return saying("I read sort.py. Next: propose that quick takes less time.");
    }
    if (summaries == 0) return calling("note", json({{"text", std::string(1900, 'n') + std::to_string(n)}}).dump());
    retired = true;
    return failing(models::Failure::Kind::no_model, "HTTP 404: the model has been retired");
  });
  t.others = std::make_shared<fakes::ScriptedModel>([](const models::Request& request, int n) {
    const bool reviews = request.system.find("you review the source") != std::string::npos;
    return reviews ? refusing() : obliging(request, n);
  });
  t.second = std::make_shared<fakes::ScriptedModel>([](const models::Request& request, int n) {
    if (!proposes(request)) return obliging(request, n);
    return said_before(request) == 0 ? calling("propose_hypothesis", quick_takes_less)
                                     : calling("finish", R"({"summary":"I proposed one."})");
  });
  t.context = 16000;
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  INFO(paused_for(t));
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(summaries == 1);
  double waited = 0;
  std::set<std::string> instead;
  for (const kernel::Event& event : t.world.log) {
    if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) waited += answered->end.again_in_s;
    if (const auto* asked = std::get_if<kernel::ModelAsked>(&event.body); asked && !asked->instead.empty())
      instead.insert(newest_words(asked->instead));
  }
  CHECK(failed == 16);  // Asked no more often than that in the hour.
  CHECK(waited >= 3600);
  CHECK(instead == std::set<std::string>{"model small is not served: HTTP 404: the model has been retired",
                                         "model small refused: cyber: not this topic"});
}

TEST_CASE("who refuses is replaced by the role's other model, with the reason on the record") {
  Thoughtful t([](const models::Request& request, int n) -> models::ModelOutcome {
    return said_before(request) == 2 ? refusing() : proposing(request, n);
  });
  t.second = std::make_shared<fakes::ScriptedModel>(proposing);
  t.world.open(thinking_spec());
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  // The other model continues the conversation without the refused turn.
  REQUIRE(t.second->asked().size() == 3);
  CHECK(said_before(t.second->asked()[0]) == 2);
  bool recorded = false;
  for (const kernel::Event& event : t.world.log)
    if (const auto* asked = std::get_if<kernel::ModelAsked>(&event.body); asked && !asked->instead.empty()) {
      CHECK(asked->model == "second");
      CHECK(newest_words(asked->instead) == "model small refused: cyber: not this topic");
      recorded = true;
    }
  CHECK(recorded);
}

TEST_CASE("without another model a refusal and a retired model pause the study, and say what to do") {
  bool mended = false;
  Thoughtful refused([&](const models::Request& request, int n) -> models::ModelOutcome {
    return said_before(request) == 1 && !mended ? refusing() : proposing(request, n);
  });
  refused.world.open(thinking_spec());
  refused.live();
  CHECK(paused_for(refused) ==
        "hypothesis-1: model small refuses to go on: cyber: not this topic. Name a `fallback` for the role in the "
        "configuration, or another model, and resume");
  mended = true;
  refused.world.take_up();
  refused.live();
  CHECK(refused.study().outcome == kernel::StudyOutcome::concluded);

  Thoughtful retired([](const models::Request&, int) -> models::ModelOutcome {
    return failing(models::Failure::Kind::no_model, "HTTP 404: the model has been retired");
  });
  retired.world.open(thinking_spec());
  retired.live();
  CHECK(paused_for(retired).find("model small is not served: HTTP 404: the model has been retired") !=
        std::string::npos);
  retired.second = std::make_shared<fakes::ScriptedModel>(proposing);
  retired.world.take_up();
  retired.live();
  CHECK(retired.study().outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("a conversation that fills the context begins anew with what its model wrote, and keeps its changes") {
  int summaries = 0;
  Thoughtful t([&](const models::Request& request, int n) -> models::ModelOutcome {
    if (!proposes(request)) return proposing(request, n);
    if (request.messages.back().text.find("begins anew after your next reply") != std::string::npos) {
      ++summaries;
      return saying("I read sort.py. Next: propose that quick takes less time.");
    }
    const bool anew = request.messages[0].text.find("Next: propose that quick takes less time.") != std::string::npos;
    if (!anew) return calling("note", json({{"text", std::string(1900, 'n') + std::to_string(n)}}).dump());
    return said_before(request) == 0 ? calling("propose_hypothesis", quick_takes_less)
                                     : calling("finish", R"({"summary":"I proposed one."})");
  });
  t.context = 16000;
  t.world.open(thinking_spec());
  t.live();
  CHECK(summaries == 1);
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
  // Nothing that was said is ever rewritten: each request continues the one before, but for the new beginning.
  const std::vector<models::Request> asked = t.model->asked();
  int beginnings = 0;
  for (std::size_t i = 1; i < asked.size(); ++i) {
    if (!proposes(asked[i])) continue;
    const auto& before = asked[i - 1].messages;
    const auto& now = asked[i].messages;
    if (now.size() < before.size()) {
      ++beginnings;
      continue;
    }
    for (std::size_t m = 0; m + 1 < before.size(); ++m) CHECK(before[m].text == now[m].text);
  }
  CHECK(beginnings == 1);
}

TEST_CASE("a prompt that is too long teaches the limit, and is asked again within it") {
  Thoughtful t([](const models::Request& request, int n) -> models::ModelOutcome {
    if (!proposes(request)) return proposing(request, n);
    if (request.messages.back().text.find("begins anew after your next reply") != std::string::npos)
      return saying("Propose now.");
    const bool anew = request.messages[0].text.find("Propose now.") != std::string::npos;
    if (!anew && agents::estimated_tokens(request) > 14000) {
      models::Failure failure = failing(models::Failure::Kind::too_long, "HTTP 400: maximum context length is 16000");
      failure.context = 16000;
      return failure;
    }
    if (!anew) return calling("note", json({{"text", std::string(1900, 'n') + std::to_string(n)}}).dump());
    return said_before(request) == 0 ? calling("propose_hypothesis", quick_takes_less)
                                     : calling("finish", R"({"summary":"I proposed one."})");
  });
  t.world.open(thinking_spec());
  t.live();
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("where not even the task fits into the context, the study pauses and says so, however small that is") {
  for (const std::int64_t context : {700, 2048}) {
    Thoughtful t([&](const models::Request&, int) -> models::ModelOutcome {
      models::Failure failure = failing(models::Failure::Kind::too_long, "HTTP 400: too long");
      failure.context = context;
      return failure;
    });
    t.world.open(thinking_spec());
    t.live();
    CHECK(t.model->asked().size() == 1);
    CHECK(paused_for(t).starts_with("hypothesis-1: not even the task fits into the context of model small, "));
    CHECK(paused_for(t).find(std::to_string(context) + " tokens: raise it at the server, or name another model") !=
          std::string::npos);
  }
}

TEST_CASE("a provider that states too few tokens is found once, and what was set aside is charged") {
  Thoughtful t([](const models::Request& request, int n) -> models::ModelOutcome {
    models::ModelOutcome outcome = proposing(request, n);
    auto& reply = std::get<models::Reply>(outcome);
    reply.usage = {3, 4, 0, 0, false};  // As models::finish_reading leaves it.
    if (said_before(request) == 0) reply.usage = {1000, 4, 0, 0, true};
    if (said_before(request) == 1) reply.usage = {};  // States nothing, which is no finding.
    return outcome;
  });
  t.world.open(thinking_spec());
  t.live();
  const Study study = t.study();
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  std::int64_t charged = 0, least = 0;
  for (const kernel::Event& event : t.world.log)
    if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body); answered && answered->end.understated) {
      CHECK(answered->end.understated->stated == 7);
      CHECK(answered->end.tokens.total() > answered->end.understated->least);
      charged += answered->end.tokens.total();
      least += answered->end.understated->least;
    }
  const std::vector<kernel::Reason> found = understated_uses(study);
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == kernel::ReasonCode::use_understated);
  CHECK(std::get<std::int64_t>(found[0].values.at("understated")) == 3);
  CHECK(std::get<std::int64_t>(found[0].values.at("stated")) == 21);
  CHECK(std::get<std::int64_t>(found[0].values.at("least")) == least);
  CHECK(std::get<std::int64_t>(found[0].values.at("charged")) == charged);
}

TEST_CASE("a server that cuts the prompt is not asked again until its context is raised") {
  Thoughtful t([](const models::Request& request, int n) -> models::ModelOutcome {
    models::ModelOutcome outcome = proposing(request, n);
    models::Request texts = request;
    texts.tools.clear();
    std::get<models::Reply>(outcome).usage.input = agents::estimated_tokens(texts) / 5;
    return outcome;
  });
  kernel::StudySpec spec = thinking_spec();
  spec.question += std::string(8000, '?');  // Longer than the tools, which some servers do not count.
  t.world.open(spec);
  t.live();
  CHECK(paused_for(t).find("it cuts what does not fit into its context. Raise that (Ollama: OLLAMA_CONTEXT_LENGTH") !=
        std::string::npos);
  CHECK(t.model->asked().size() == 1);
}

TEST_CASE("a server whose count of tokens stays the same whatever is added cuts the prompt") {
  Thoughtful t([](const models::Request& request, int n) -> models::ModelOutcome {
    if (!proposes(request)) return proposing(request, n);
    models::ModelOutcome outcome = calling("note", json({{"text", std::string(300, 'n') + std::to_string(n)}}).dump());
    std::get<models::Reply>(outcome).usage = {2048, 50, 0, 0, true};
    return outcome;
  });
  t.world.open(thinking_spec());
  t.live();
  CHECK(paused_for(t).find("read 2048 tokens of a prompt of at least ") != std::string::npos);
  CHECK(t.model->asked().size() < 8);
}

TEST_CASE("a call that was cut off at the limit is called that, and a reply that only thought, too") {
  std::vector<std::string> told;
  Thoughtful t([&](const models::Request& request, int n) -> models::ModelOutcome {
    if (!proposes(request)) return proposing(request, n);
    const std::size_t before = said_before(request);
    if (before == 1) told.push_back(last_answer(request));
    if (before == 2) told.push_back(request.messages.back().text);
    models::Reply reply;
    reply.stop = models::Stop::length;
    reply.usage = {5000 + 500 * static_cast<std::int64_t>(before), 100, 0, 0, true};
    if (before == 0) reply.calls = {{"c1", "note", "{\"text\": \"half of"}};
    if (before < 2) return reply;
    return before == 2 ? calling("propose_hypothesis", quick_takes_less)
                       : calling("finish", R"({"summary":"I proposed one."})");
  });
  t.world.open(thinking_spec());
  t.live();
  REQUIRE(told.size() == 2);
  CHECK(told[0].find("was cut off at its limit of 100 tokens in the middle of this call") != std::string::npos);
  CHECK(told[1].find("cut off while you still thought") != std::string::npos);
  CHECK(t.study().outcome == kernel::StudyOutcome::concluded);
}
