#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/models/protocols/read_streams.h"

using models::Failure;
using models::Protocol;
using models::Request;
using models::Stop;
using nlohmann::json;
using streams::failure;
using streams::read;
using streams::reply;

namespace {

std::string sse_of(const json& data) {
  return "event: " + data["type"].get<std::string>() + "\ndata: " + data.dump() + "\n\n";
}

std::string message_start() {
  return sse_of({{"type", "message_start"},
                 {"message",
                  {{"id", "msg_1"},
                   {"model", "m-1"},
                   {"usage",
                    {{"input_tokens", 20},
                     {"cache_read_input_tokens", 100},
                     {"cache_creation_input_tokens", 30},
                     {"output_tokens", 1}}}}}});
}

std::string content_block(int index, const json& begin, const std::vector<json>& deltas) {
  std::string bytes = sse_of({{"type", "content_block_start"}, {"index", index}, {"content_block", begin}});
  for (const json& delta : deltas)
    bytes += sse_of({{"type", "content_block_delta"}, {"index", index}, {"delta", delta}});
  return bytes + sse_of({{"type", "content_block_stop"}, {"index", index}});
}

std::string message_end(const char* reason) {
  return sse_of({{"type", "message_delta"}, {"delta", {{"stop_reason", reason}}}, {"usage", {{"output_tokens", 9}}}}) +
         sse_of({{"type", "message_stop"}});
}

json text_delta(const char* words) {
  return {{"type", "text_delta"}, {"text", words}};
}
json input_delta(const char* part) {
  return {{"type", "input_json_delta"}, {"partial_json", part}};
}

}  // namespace

TEST_CASE("a conversation is written as messages want it, with what stays the same marked to be kept") {
  Request request;
  request.model = "m";
  request.system = "Be brief.";
  request.tools = {{"look", "Looks.", R"({"type":"object"})"}};
  request.messages.resize(3);
  request.messages[0].text = "What is it?";
  request.messages[1].by = models::Speaker::assistant;
  request.messages[1].text = "Let me see.";
  request.messages[1].calls = {{"c1", "look", R"({"at":"a"})"}, {"c2", "look", "[1]"}};
  request.messages[2].answers = {{"c1", "a cat", {{"image/png", "PNG"}}, false}, {"c2", "", {}, true}};
  const models::HttpRequest http =
      models::to_http({Protocol::anthropic, "https://api.anthropic.com", "secret", {}}, request);
  CHECK(http.url == "https://api.anthropic.com/v1/messages");
  CHECK(models::to_http({Protocol::anthropic, "http://h/v1", "", {}}, request).url == "http://h/v1/messages");
  CHECK(http.headers.back() == std::pair<std::string, std::string>("x-api-key", "secret"));
  CHECK(json::parse(http.body) == json::parse(R"({
    "model": "m", "max_tokens": 4096, "stream": true,
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {}},
               "cache_control": {"type": "ephemeral"}}],
    "messages": [
      {"role": "user", "content": [{"type": "text", "text": "What is it?", "cache_control": {"type": "ephemeral"}}]},
      {"role": "assistant", "content": [{"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "a"}},
        {"type": "tool_use", "id": "c2", "name": "look", "input": {}}]},
      {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a cat"},
          {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "UE5H"}}]},
        {"type": "tool_result", "tool_use_id": "c2", "content": [], "is_error": true,
         "cache_control": {"type": "ephemeral"}}]}]})"));
}

TEST_CASE("a streamed message is the same wherever its bytes are cut") {
  const std::string bytes =
      message_start() +
      content_block(0, {{"type", "thinking"}, {"thinking", ""}}, {{{"type", "thinking_delta"}, {"thinking", "hm"}}}) +
      content_block(1, {{"type", "text"}, {"text", ""}}, {text_delta("Grüß"), text_delta(" dich")}) +
      sse_of({{"type", "ping"}}) +
      content_block(2, {{"type", "tool_use"}, {"id", "c1"}, {"name", "look"}, {"input", json::object()}},
                    {input_delta(""), input_delta("{\"at\":"), input_delta("\"a\"}")}) +
      content_block(3, {{"type", "tool_use"}, {"id", "c2"}, {"name", "stop"}, {"input", json::object()}}, {}) +
      message_end("tool_use");
  for (std::size_t piece = 1; piece < bytes.size(); piece += piece < 20 ? 1 : 41) {
    const auto got = read(Protocol::anthropic, bytes, {}, piece);
    const models::Reply r = reply(got);
    REQUIRE(r.text == "Grüß dich");
    REQUIRE(got.heard == r.text);
    REQUIRE(r.calls.size() == 2);
    CHECK(r.calls[0].arguments == "{\"at\":\"a\"}");
    CHECK(r.calls[1].arguments == "{}");
    CHECK(r.stop == Stop::tools);
    CHECK((r.usage.input == 20 && r.usage.cache_read == 100 && r.usage.cache_written == 30 && r.usage.output == 9));
    CHECK((r.id == "msg_1" && r.model == "m-1"));
  }
}

TEST_CASE("an answer's shape is asked for by its schema, and never by a tool that must be called") {
  Request request;
  request.shape = {"verdict", R"({"type":"object"})"};
  const json body = json::parse(models::to_http({Protocol::anthropic, "https://h", "", {}}, request).body);
  CHECK_FALSE(body.contains("tool_choice"));
  CHECK_FALSE(body.contains("tools"));
  CHECK(body["output_config"] == json({{"format", {{"type", "json_schema"}, {"schema", {{"type", "object"}}}}}}));
  models::Habits refuses;
  refuses.without = {"output_config"};
  const json told = json::parse(models::to_http({Protocol::anthropic, "https://h", "", {}}, request, refuses).body);
  CHECK_FALSE(told.contains("output_config"));
  CHECK(told["system"][0]["text"].get<std::string>().find(R"({"type":"object"})") != std::string::npos);
}

TEST_CASE("thinking comes back as it came, in its place, to the model that thought it") {
  const std::string signature = "EqQBCkYIARgCKkBzaWduYXR1cmU+/==";
  const std::string bytes =
      message_start() +
      content_block(0, {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}},
                    {{{"type", "thinking_delta"}, {"thinking", "sk-a-key-"}},
                     {{"type", "thinking_delta"}, {"thinking", "and more"}},
                     {{"type", "signature_delta"}, {"signature", signature}}}) +
      content_block(1, {{"type", "tool_use"}, {"id", "c1"}, {"name", "look"}, {"input", json::object()}}, {}) +
      content_block(2, {{"type", "redacted_thinking"}, {"data", "b3BhcXVl"}}, {}) +
      content_block(3, {{"type", "text"}, {"text", ""}}, {text_delta("So.")}) + message_end("tool_use");
  Request request;
  request.model = "thinker";
  models::Reply r = reply(read(Protocol::anthropic, bytes, request));
  CHECK(r.thoughts == "sk-a-key-and more");
  request.messages.resize(1);
  models::Message& said = request.messages[0];
  said.by = models::Speaker::assistant;
  said.text = r.text;
  said.calls = r.calls;
  said.opaque = r.opaque;
  const models::Endpoint endpoint{Protocol::anthropic, "https://h", "", {}};
  const json content = json::parse(models::to_http(endpoint, request).body)["messages"][0]["content"];
  CHECK(content == json::array({{{"type", "thinking"}, {"thinking", "sk-a-key-and more"}, {"signature", signature}},
                                {{"type", "tool_use"}, {"id", "c1"}, {"name", "look"}, {"input", json::object()}},
                                {{"type", "redacted_thinking"}, {"data", "b3BhcXVl"}},
                                {{"type", "text"}, {"text", "So."}}}));
  request.model = "another";
  const json dropped = json::parse(models::to_http(endpoint, request).body)["messages"][0]["content"];
  CHECK(dropped == json::array({{{"type", "text"}, {"text", "So."}},
                                {{"type", "tool_use"}, {"id", "c1"}, {"name", "look"}, {"input", json::object()}}}));
}

TEST_CASE("effort is adaptive thinking, and a budget for models that know no other") {
  Request request;
  request.effort = models::Effort::high;
  request.max_output = 20000;
  const models::Endpoint endpoint{Protocol::anthropic, "https://h", "", {}};
  const auto body = [&](const models::Habits& habits) {
    return json::parse(models::to_http(endpoint, request, habits).body);
  };
  CHECK(body({})["thinking"] == json({{"type", "adaptive"}}));
  CHECK(body({})["output_config"] == json({{"effort", "high"}}));
  models::Habits older;
  older.without = {"adaptive"};
  CHECK(body(older)["thinking"] == json({{"type", "enabled"}, {"budget_tokens", 10000}}));
  request.effort = models::Effort::none;
  CHECK(body({})["thinking"] == json({{"type", "disabled"}}));
}

TEST_CASE("a refusal says its category") {
  const std::string end = sse_of({{"type", "message_delta"},
                                  {"delta",
                                   {{"stop_reason", "refusal"},
                                    {"stop_details", {{"category", "cyber"}, {"explanation", "No exploits."}}}}}}) +
                          sse_of({{"type", "message_stop"}});
  const models::Reply r = reply(read(Protocol::anthropic, message_start() + end));
  CHECK(r.stop == Stop::withheld);
  CHECK(r.refusal == "cyber: No exploits.");
}

TEST_CASE("what breaks a message is told apart") {
  const std::string half = message_start() + content_block(0, {{"type", "text"}, {"text", ""}}, {text_delta("a")});
  CHECK(failure(read(Protocol::anthropic, half)).kind == Failure::Kind::cut_off);
  CHECK(failure(read(Protocol::anthropic, "")).kind == Failure::Kind::cut_off);
  CHECK(failure(read(Protocol::anthropic, half + "data: {]\n\n")).kind == Failure::Kind::garbled);
  CHECK(failure(read(Protocol::anthropic, sse_of({{"type", "message_stop"}}))).kind == Failure::Kind::garbled);
  const auto said = [&](const char* type) {
    return failure(
        read(Protocol::anthropic, half + sse_of({{"type", "error"}, {"error", {{"type", type}, {"message", "m"}}}})));
  };
  CHECK(said("overloaded_error").kind == Failure::Kind::server);
  CHECK(said("overloaded_error").began);
  CHECK(said("rate_limit_error").kind == Failure::Kind::busy);
  CHECK(said("invalid_request_error").kind == Failure::Kind::refused);
  CHECK(reply(read(Protocol::anthropic, half + message_end("max_tokens"))).stop == Stop::length);
  CHECK(reply(read(Protocol::anthropic, half + message_end("refusal"))).stop == Stop::withheld);
  const std::string body = R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})";
  const Failure key = failure(read(Protocol::anthropic, body, {}, 0, "application/json", 401));
  CHECK(key.kind == Failure::Kind::unauthorised);
  CHECK(key.message == "HTTP 401: invalid x-api-key");
}
