#include "models/protocols/lessons.h"

#include <catch2/catch.hpp>

#include "models/protocols/exchange.h"
#include "models/protocols/written_calls.h"

using models::Failure;
using models::Habits;
using nlohmann::json;

namespace {

std::string error_of(const std::string& message, const std::string& param = "", const std::string& code = "") {
  json error = {{"message", message}, {"type", "invalid_request_error"}};
  if (!param.empty()) error["param"] = param;
  if (!code.empty()) error["code"] = code;
  return json({{"error", error}}).dump();
}

Habits learnt(const std::string& error, const json& body, int status = 400) {
  Habits habits;
  models::learn(habits, models::server_error(status, error), body);
  return habits;
}

Failure failure(int status, const std::string& body) {
  return models::failure_of(models::server_error(status, body));
}

}  // namespace

TEST_CASE("a parameter that a server names is left out or renamed, and nothing else is") {
  const json body = {{"model", "m"},
                     {"messages", json::array()},
                     {"max_tokens", 32000},
                     {"temperature", 0.5},
                     {"stream_options", {{"include_usage", true}}},
                     {"stream", true}};
  // OpenAI, of its newer models.
  CHECK(learnt(error_of("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                        "'max_completion_tokens' instead.",
                        "max_tokens", "unsupported_parameter"),
               body)
            .renamed == std::map<std::string, std::string>{{"max_tokens", "max_completion_tokens"}});
  CHECK(learnt(error_of("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) "
                        "value is supported.",
                        "temperature", "unsupported_value"),
               body)
            .without == std::set<std::string>{"temperature"});
  // Mistral, by FastAPI.
  CHECK(
      learnt(
          R"({"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],
                 "msg":"Extra inputs are not permitted"}]}})",
          body, 422)
          .without == std::set<std::string>{"stream_options"});
  // Anthropic, of the most tokens of a reply.
  CHECK(learnt(error_of("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-x"),
               body)
            .most_output == 8192);
  CHECK(learnt(error_of("The model is in a bad mood today."), body) == Habits{});
  CHECK(learnt(error_of("Invalid model: 'm'.", "model"), body) == Habits{});
  // The same lesson is learnt once.
  Habits habits;
  const models::ServerError error = models::server_error(400, error_of("no 'temperature'", "temperature"));
  CHECK_FALSE(models::learn(habits, error, body).empty());
  CHECK(models::learn(habits, error, body).empty());
}

TEST_CASE("an effort that a server does not know becomes the nearest that it lists") {
  const json body = {{"model", "m"}, {"reasoning_effort", "xhigh"}};
  const Habits habits =
      learnt(error_of("Unsupported value: 'xhigh' is not supported with this model. Supported values are: 'low', "
                      "'medium', and 'high'.",
                      "reasoning_effort", "unsupported_value"),
             body);
  CHECK(habits.efforts == std::set<std::string>{"low", "medium", "high"});
  models::Request request;
  request.effort = models::Effort::max;
  const models::Endpoint endpoint{models::Protocol::openai, "http://h/v1", "", {}};
  CHECK(models::body_of(endpoint, request, habits)["reasoning_effort"] == "high");
  request.effort = models::Effort::none;
  CHECK(models::body_of(endpoint, request, habits)["reasoning_effort"] == "low");
}

TEST_CASE("a context that is too small is told from other errors, with its limit") {
  const auto context = [](int status, const std::string& body) {
    const Failure f = failure(status, body);
    return f.kind == Failure::Kind::too_long ? f.context : -1;
  };
  CHECK(context(400, error_of("This model's maximum context length is 8192 tokens. However, your messages resulted in "
                              "9001 tokens.",
                              "messages", "context_length_exceeded")) == 8192);
  CHECK(context(400, error_of("prompt is too long: 210413 tokens > 200000 maximum")) == 200000);
  CHECK(context(400, error_of("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease "
                              "input length")) == 200000);
  CHECK(
      context(400, R"({"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try
    increasing it","type":"exceed_context_size_error","n_prompt_tokens":6000,"n_ctx":4096}})") == 4096);
  CHECK(context(400, error_of("The input token count (1100000) exceeds the maximum number of tokens allowed "
                              "(1048576).")) == 1048576);
  CHECK(context(400, error_of("Your input exceeds the context window of this model.", "input",
                              "context_length_exceeded")) == 0);
  CHECK(context(400, error_of("Unsupported parameter: 'max_tokens'")) == -1);
}

TEST_CASE("what a person must mend is told from what passes") {
  using Kind = Failure::Kind;
  CHECK(failure(429, error_of("You exceeded your current quota", "", "insufficient_quota")).kind == Kind::unpaid);
  CHECK(failure(429, error_of("Rate limit reached", "", "rate_limit_exceeded")).kind == Kind::busy);
  CHECK(failure(404, error_of("The model `gpt-x` does not exist", "", "model_not_found")).kind == Kind::no_model);
  CHECK(failure(404, R"({"type":"error","error":{"type":"not_found_error","message":"model: claude-2"}})").kind ==
        Kind::no_model);
  CHECK(failure(404, "404 page not found").kind == Kind::refused);
  CHECK(failure(400, error_of("The response was filtered", "prompt", "content_filter")).kind == Kind::withheld);
  CHECK(failure(400, error_of("Failed to call a function.", "", "tool_use_failed")).kind == Kind::garbled);
  CHECK(failure(529, error_of("Overloaded")).kind == Kind::server);
}

TEST_CASE("a wrong request is told from a fault of the server, whose status it has") {
  // llama-cpp-python 0.3.36, whose server answers each request that Pydantic refuses with a status of 500.
  const std::string refusal = json({{"error",
                                     {{"message",
                                       "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', "
                                       "'response_format', 'type'), 'msg': \"Input should be 'text' or "
                                       "'json_object'\", 'input': 'json_schema'}"},
                                      {"type", "internal_server_error"}}}})
                                  .dump();
  CHECK(failure(500, refusal).kind == Failure::Kind::refused);
  CHECK(failure(500, error_of("the disk is full; 1 validation error")).kind == Failure::Kind::server);

  models::Request request;
  request.system = "Be brief.";
  request.shape = {"verdict", R"({"type":"object"})"};
  const models::Endpoint endpoint{models::Protocol::openai, "http://h/v1", "", {}};
  Habits habits;
  const auto learn = [&](const std::string& error) {
    return models::learn(habits, models::server_error(500, error), models::body_of(endpoint, request, habits));
  };
  const auto system = [&] {
    return models::body_of(endpoint, request, habits)["messages"][0]["content"].get<std::string>();
  };
  CHECK(system() == "Be brief.");
  CHECK(learn(refusal) == "it takes the shape of an answer as `json_object` instead of `json_schema`");
  CHECK(models::body_of(endpoint, request, habits)["response_format"] ==
        json({{"type", "json_object"}, {"schema", {{"type", "object"}}}}));
  // Some servers read no schema there, so that it is said in words, too.
  CHECK(system().ends_with(R"({"type":"object"})"));
  CHECK(learn(refusal) == "it refuses `response_format`, which is left out");
  CHECK_FALSE(models::body_of(endpoint, request, habits).contains("response_format"));
  CHECK(system().ends_with(R"({"type":"object"})"));
  CHECK(learn(refusal).empty());
}

TEST_CASE("a call that a text holds is a quotation in whatever form the model writes it") {
  const std::vector<models::Tool> tools{{"write", "", "{}"}, {"look", "", "{}"}};
  const auto made = [&](const std::string& shown, const std::string& text) {
    models::Request request;
    request.tools = tools;
    request.messages.resize(1);
    request.messages[0].answers = {{"1", shown}};
    models::Reply reply;
    reply.text = text;
    models::take_written_calls(reply, request);
    return reply.calls.size();
  };
  const std::string quoted =
      R"({"arguments": {"text": "a \"b\" {c}", "at": [1, {"from": 2, "to": 3}]}, "name": "write"})";
  const std::string call = R"({"name":"write","arguments":{"at":[1,{"to":3,"from":2}],"text":"a \u0022b\u0022 {c}"}})";
  const std::string other = R"({"name":"write","arguments":{"at":[1,{"to":3,"from":3}],"text":"a \"b\" {c}"}})";
  const std::string by_lines =
      "    1  {\"arguments\": {\n    2    \"text\": \"a \\\"b\\\" {c}\", \"at\": [\n    3      1, {\"from\": 2,\n"
      "   14      \"to\": 3}]},\n   15    \"name\": \"write\"}\n";
  const std::string in_a_log = nlohmann::json({{"role", "assistant"}, {"content", quoted}}).dump();
  const std::string of_an_api = R"({"tool_calls": [{"function": {"name": "write", "arguments": )" +
                                nlohmann::json(nlohmann::json::parse(quoted)["arguments"].dump()).dump() + "}}]}";
  for (const std::string& shown : {"def f(): { " + quoted + " }", by_lines, in_a_log, of_an_api}) {
    CAPTURE(shown);
    CHECK(made(shown, call) == 0);
    CHECK(made(shown, "<tool_call>" + call + "</tool_call>") == 0);
    CHECK(made(shown, "[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {}}, " + call + "]") == 0);
    CHECK(made(shown, other) == 1);
  }
  // Braces without an end, however many, hold no call.
  CHECK(made(std::string(20000, '{') + "\"write\"" + std::string(20000, '{'), call) == 1);
  CHECK(made(R"({"name": "write"} {"arguments": {"at": 1}})", R"({"name": "write", "arguments": {"at": 1}})") == 1);
}

TEST_CASE("thinking and calls that are written as text are read") {
  const std::vector<models::Tool> tools{{"look", "", "{}"}};
  models::Request request;
  request.tools = tools;
  const auto of = [&](const char* text) {
    models::Reply reply;
    reply.text = text;
    models::take_thinking(reply);
    models::take_written_calls(reply, request);
    return reply;
  };
  CHECK(of("<think>hm</think>\n\nYes.").text == "Yes.");
  CHECK(of("<think>hm</think>\n\nYes.").thoughts == "hm");
  CHECK(of("hm</think>Yes.").text == "Yes.");
  CHECK(of("<think>without end").text.empty());
  for (const char* text : {"<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": 1}}\n</tool_call>",
                           "I see. <tool_call>{\"name\": \"look\", \"arguments\": {\"at\": 1}}</tool_call>",
                           "[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {\"at\": 1}}]",
                           "```json\n{\"name\": \"look\", \"parameters\": {\"at\": 1}}\n```"}) {
    CAPTURE(text);
    const models::Reply reply = of(text);
    REQUIRE(reply.calls.size() == 1);
    CHECK(reply.calls[0].arguments == "{\"at\":1}");
    CHECK(reply.stop == models::Stop::tools);
  }
  CHECK(of("{\"name\": \"jump\", \"arguments\": {}}").calls.empty());
  CHECK(of("<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call> is what it says.").calls.empty());
  // What stands in a file that a tool showed is a quotation, however it is spaced.
  models::Message shown;
  shown.answers.push_back(
      {"1", "    7  <tool_call>{\"name\": \"look\",\n    8    \"arguments\": {\"at\": 1}}</tool_call>\n"});
  request.messages.push_back(shown);
  CHECK(of("The file says: <tool_call>{\"name\": \"look\",\n  \"arguments\": {\"at\": 1}}</tool_call>").calls.empty());
  CHECK(of("{\"name\":\"look\",\"arguments\":{\"at\":1}}").calls.empty());
  CHECK(of("{\"name\":\"look\",\"arguments\":{\"at\":2}}").calls.size() == 1);
  CHECK(models::looks_like_a_call("call look(1)", tools));
  CHECK_FALSE(models::looks_like_a_call("I look around.", tools));
}
