// The client and a real model: llama.cpp behind its Python server at $ETUDE_LOCAL_MODEL, with a model `plain`, whose
// chat template knows no tools, and a model `tools`, whose calls are written by a grammar. Hidden, since
// tests/e2e/families/local_model_test.py starts that server and runs these.
#include <atomic>
#include <cstdlib>
#include <future>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "models/service/service.h"

using models::ModelOutcome;
using models::Reply;
using models::Request;
using nlohmann::json;

namespace {

struct Answered {
  Reply reply;
  int pieces = 0;
  std::vector<std::string> learnt{};
};

/// Fails the test if no reply came.
Answered ask(models::Service& service, Request request) {
  const char* address = std::getenv("ETUDE_LOCAL_MODEL");
  REQUIRE(address);
  models::Model model;
  model.name = request.model;
  model.endpoint.base_url = address;
  model.endpoint.limits = {60, 1200, 1200, 1800};
  Answered answered;
  std::promise<ModelOutcome> ended;
  models::Asking asking;
  asking.on_text = [&](std::string_view) { ++answered.pieces; };
  asking.on_learnt = [&](std::string what) { answered.learnt.push_back(std::move(what)); };
  asking.on_end = [&](ModelOutcome outcome) { ended.set_value(std::move(outcome)); };
  service.ask(model, std::move(request), std::move(asking));
  ModelOutcome outcome = ended.get_future().get();
  if (const auto* failure = std::get_if<models::Failure>(&outcome))
    FAIL(models::name(failure->kind) << ": " << failure->message);
  answered.reply = std::get<Reply>(std::move(outcome));
  return answered;
}

Request say(const char* model, const char* text, bool stream) {
  Request request;
  request.model = model;
  request.system = "Be brief.";
  request.messages.resize(1);
  request.messages[0].text = text;
  request.max_output = 48;
  request.temperature = 0;
  request.stream = stream;
  return request;
}

}  // namespace

TEST_CASE("a real model answers as it is streamed, and as a whole", "[.local]") {
  models::Service service;
  const Answered streamed = ask(service, say("plain", "What is the capital of France?", true));
  CHECK(streamed.pieces > 3);
  CHECK(streamed.reply.text.find("Paris") != std::string::npos);
  CHECK_FALSE(streamed.reply.usage.known);  // This server states no tokens of a stream.
  const Answered whole = ask(service, say("plain", "What is the capital of France?", false));
  CHECK(whole.pieces == 0);
  CHECK(whole.reply.text.find("Paris") != std::string::npos);
  CHECK((whole.reply.usage.known && whole.reply.usage.input > 10 && whole.reply.usage.output > 3));
}

TEST_CASE("a real model calls a tool by a grammar", "[.local]") {
  models::Service service;
  const auto [model, choice, stream] = GENERATE(table<const char*, const char*, bool>(
      {{"plain", R"({"tool_choice":{"type":"function","function":{"name":"weather"}}})", true},
       {"plain", R"({"tool_choice":{"type":"function","function":{"name":"weather"}}})", false},
       {"tools", R"({"tool_choice":"auto"})", false}}));
  CAPTURE(model, choice, stream);
  Request request = say(model, "How warm is it in Oslo? Call the tool `weather`.", stream);
  request.tools = {{"weather", "Says the weather of a city.",
                    R"({"type":"object","properties":{"unit":{"enum":["celsius","kelvin"]},"days":{"type":"integer"}},
                        "required":["unit","days"]})"}};
  request.extra = choice;
  const Reply reply = ask(service, request).reply;
  REQUIRE_FALSE(reply.calls.empty());
  CHECK(reply.stop == models::Stop::tools);
  const models::ToolCall& call = reply.calls.front();
  CHECK(call.name == "weather");
  CHECK_FALSE(call.id.empty());
  const json arguments = json::parse(call.arguments, nullptr, false);
  CAPTURE(call.arguments);
  REQUIRE(arguments.is_object());
  CHECK((arguments["unit"] == "celsius" || arguments["unit"] == "kelvin"));
  CHECK(arguments["days"].is_number_integer());
}

TEST_CASE("a real model answers in a shape that its server takes in another form", "[.local]") {
  models::Service service;
  Request request = say("plain", "Is the sky green?", false);
  request.shape = {"verdict", R"({"type":"object","properties":{"verdict":{"enum":["yes","no","unknown"]}},
                                  "required":["verdict"],"additionalProperties":false})"};
  const Answered first = ask(service, request), second = ask(service, request);
  CHECK(first.learnt.size() == 1);
  CHECK(second.learnt.empty());
  for (const Answered& one : {first, second}) {
    const json answer = json::parse(one.reply.text, nullptr, false);
    CAPTURE(one.reply.text, one.learnt);
    REQUIRE(answer.is_object());
    CHECK((answer["verdict"] == "yes" || answer["verdict"] == "no" || answer["verdict"] == "unknown"));
  }
}
