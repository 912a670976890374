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

Request conversation() {
  Request request;
  request.model = "m";
  request.system = "Be brief.";
  request.max_output = 100;
  request.temperature = 0.5;
  request.tools = {{"look", "Looks.", R"({"type":"object","properties":{"at":{"type":"string"}}})"}};
  request.messages.resize(3);
  request.messages[0].text = "What is it?";
  request.messages[0].images = {{"image/png", "PNG"}};
  request.messages[1].by = models::Speaker::assistant;
  request.messages[1].calls = {{"c1", "look", R"({"at":"a"})"}, {"c2", "look", "{broken"}};
  request.messages[2].answers = {{"c1", "a cat", {{"image/jpeg", "J"}}, false}, {"c2", "no JSON", {}, true}};
  return request;
}

std::string chunk_of(const json& data) {
  return "data: " + data.dump() + "\n\n";
}

json delta(json content, const json& finish = nullptr) {
  return {{"id", "x"},
          {"model", "m-1"},
          {"choices", {{{"index", 0}, {"delta", std::move(content)}, {"finish_reason", finish}}}}};
}

json call_part(const json& index, const char* id, const char* name, const char* arguments) {
  json one = {{"function", json::object()}};
  if (!index.is_null()) one["index"] = index;
  if (id[0]) one["id"] = id;
  if (name[0]) one["function"]["name"] = name;
  if (arguments[0]) one["function"]["arguments"] = arguments;
  return {{"tool_calls", {one}}};
}

}  // namespace

TEST_CASE("a conversation is written as chat completions want it") {
  const models::HttpRequest http =
      models::to_http({Protocol::openai, "http://127.0.0.1:1/v1", "secret", {}}, conversation());
  CHECK(http.url == "http://127.0.0.1:1/v1/chat/completions");
  CHECK(http.headers.back() == std::pair<std::string, std::string>("Authorization", "Bearer secret"));
  CHECK(http.body.find("secret") == std::string::npos);
  CHECK(json::parse(http.body) == json::parse(R"({
    "model": "m", "max_tokens": 100, "stream": true, "stream_options": {"include_usage": true}, "temperature": 0.5,
    "tools": [{"type": "function", "function": {"name": "look", "description": "Looks.",
               "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}}],
    "messages": [
      {"role": "system", "content": "Be brief."},
      {"role": "user", "content": [{"type": "text", "text": "What is it?"},
                                   {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}}]},
      {"role": "assistant", "content": "", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"at\":\"a\"}"}},
        {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{broken"}}]},
      {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
      {"role": "tool", "tool_call_id": "c2", "content": "no JSON"},
      {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,Sg=="}}]}]})"));
}

TEST_CASE("an answer's shape is asked for by its schema, and OpenAI's own models by the newer limit") {
  Request request;
  request.shape = {"verdict", R"({"type":"object"})"};
  const models::HttpRequest http = models::to_http({Protocol::openai, "https://api.openai.com/v1", "", {}}, request);
  const json body = json::parse(http.body);
  CHECK(http.headers.size() == 1);
  CHECK(body["max_completion_tokens"] == 4096);
  CHECK_FALSE(body.contains("max_tokens"));
  CHECK(body["response_format"]["json_schema"] ==
        json({{"name", "verdict"}, {"schema", {{"type", "object"}}}, {"strict", false}}));
}

TEST_CASE("a streamed reply is the same wherever its bytes are cut") {
  const std::string bytes =
      chunk_of(delta({{"role", "assistant"}, {"content", ""}})) + chunk_of(delta({{"content", "Grüß"}})) +
      ": ping\n\n" + chunk_of(delta({{"content", " dich"}})) + chunk_of(delta(call_part(0, "c1", "look", ""))) +
      chunk_of(delta(call_part(1, "c2", "find", "{\"q\""))) + chunk_of(delta(call_part(0, "", "", "{\"at\":"))) +
      chunk_of(delta(call_part(1, "", "", ":1}"))) + chunk_of(delta(call_part(0, "", "", "\"a\"}"))) +
      chunk_of(delta(json::object(), "tool_calls")) +
      chunk_of(
          {{"choices", json::array()},
           {"usage",
            {{"prompt_tokens", 120}, {"completion_tokens", 7}, {"prompt_tokens_details", {{"cached_tokens", 100}}}}}}) +
      "data: [DONE]\n\n";
  for (std::size_t piece = 1; piece < bytes.size(); piece += piece < 20 ? 1 : 37) {
    const auto got = read(Protocol::openai, bytes, {}, piece);
    const models::Reply r = reply(got);
    REQUIRE(r.text == "Grüß dich");
    REQUIRE(got.heard == r.text);
    REQUIRE(r.calls.size() == 2);
    CHECK(r.calls[0].arguments == "{\"at\":\"a\"}");
    CHECK(r.calls[1].name == "find");
    CHECK(r.calls[1].arguments == "{\"q\":1}");
    CHECK(r.stop == Stop::tools);
    CHECK((r.usage.known && r.usage.input == 20 && r.usage.cache_read == 100 && r.usage.output == 7));
    CHECK((r.id == "x" && r.model == "m-1"));
  }
}

TEST_CASE("calls of servers that give them no index, no id, or one index to all") {
  const auto calls = [](const std::string& bytes) {
    return reply(read(Protocol::openai, bytes + chunk_of(delta(json::object(), "stop")) + "data: [DONE]\n\n")).calls;
  };
  const auto same_index =
      calls(chunk_of(delta(call_part(0, "a", "look", "{}"))) + chunk_of(delta(call_part(0, "b", "find", "{}"))));
  REQUIRE(same_index.size() == 2);
  CHECK(same_index[1].name == "find");
  const auto no_index =
      calls(chunk_of(delta(call_part(nullptr, "a", "look", "{"))) + chunk_of(delta(call_part(nullptr, "", "", "}"))));
  REQUIRE(no_index.size() == 1);
  CHECK(no_index[0].arguments == "{}");
  const auto no_id =
      calls(chunk_of(delta(call_part(0, "", "look", "{}"))) + chunk_of(delta(call_part(1, "", "find", "{}"))));
  REQUIRE(no_id.size() == 2);
  CHECK(no_id[0].id == "call_1");
  CHECK(no_id[1].id == "call_2");
  const auto id_again =
      calls(chunk_of(delta(call_part(0, "a", "look", "{"))) + chunk_of(delta(call_part(0, "a", "", "}"))));
  REQUIRE(id_again.size() == 1);
  CHECK(id_again[0].arguments == "{}");
}

TEST_CASE("a reply ends as the model says, with or without the end mark, and not before") {
  CHECK(reply(read(Protocol::openai, chunk_of(delta({{"content", "a"}}, "length")) + "data: [DONE]\n\n")).stop ==
        Stop::length);
  CHECK(reply(read(Protocol::openai, chunk_of(delta({{"content", "a"}}, "stop")))).text == "a");
  CHECK(reply(read(Protocol::openai, chunk_of(delta({{"refusal", "No."}})) + "data: [DONE]\n\n")).stop ==
        Stop::withheld);
  const Failure broke = failure(read(Protocol::openai, chunk_of(delta({{"content", "a"}}))));
  CHECK(broke.kind == Failure::Kind::cut_off);
  CHECK(broke.began);
  CHECK_FALSE(failure(read(Protocol::openai, "")).began);
  CHECK(failure(read(Protocol::openai, "data: [DONE]\n\n")).kind == Failure::Kind::garbled);
  CHECK(failure(read(Protocol::openai, chunk_of(delta({{"content", "a"}})) + "data: {oops\n\n")).kind ==
        Failure::Kind::garbled);
  const Failure said = failure(
      read(Protocol::openai, chunk_of(delta({{"content", "a"}})) + chunk_of({{"error", {{"message", "overloaded"}}}})));
  CHECK(said.kind == Failure::Kind::server);
  CHECK(said.message == "overloaded");
}

TEST_CASE("a reply that is not streamed, and errors in every form that servers give them") {
  const auto whole = [](const std::string& body, int status = 200) {
    return read(Protocol::openai, body, {}, 0, "application/json", status);
  };
  const models::Reply r = reply(whole(R"({"id":"i","choices":[{"message":{"content":"hi","tool_calls":
      [{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
      "usage":{"prompt_tokens":3,"completion_tokens":2}})"));
  CHECK(r.text == "hi");
  CHECK(r.stop == Stop::tools);
  CHECK(r.usage.total() == 5);
  CHECK_FALSE(reply(whole(R"({"choices":[{"message":{"content":"hi"}}]})")).usage.known);
  for (const char* body : {"", "[]", "null", R"({"choices":[]})", R"({"choices":{"a":1}})", "\xff\xfe", "{"})
    CHECK(failure(whole(body)).kind == Failure::Kind::garbled);

  const auto said = [&](const char* body, int status) { return failure(whole(body, status)); };
  CHECK(said(R"({"error":{"message":"no such model","code":404}})", 404).message == "HTTP 404: no such model");
  CHECK(said(R"({"error":"no such model"})", 400).message == "HTTP 400: no such model");
  CHECK(said(R"({"detail":"no"})", 422).kind == Failure::Kind::refused);
  CHECK(said("<html>\n<b>Bad\tgateway", 502).message == "HTTP 502: <html> <b>Bad gateway");
  CHECK(said("", 401).kind == Failure::Kind::unauthorised);
  CHECK(said("", 429).kind == Failure::Kind::busy);
  CHECK(said("", 302).kind == Failure::Kind::refused);
}

TEST_CASE("bytes that are no UTF-8 are replaced, and wrong types read as absent") {
  const std::string bad = R"(data: {"choices":[{"delta":{"content":"a)"
                          "\xff"
                          R"(b"},"finish_reason":"stop"}]})"
                          "\n\n";
  CHECK(reply(read(Protocol::openai, bad)).text ==
        "a\xef\xbf\xbd"
        "b");
  const models::Reply odd = reply(read(
      Protocol::openai,
      R"(data: {"id":7,"model":[],"usage":{"prompt_tokens":-4,"completion_tokens":"x"},"choices":[{"delta":{"content":5,
data: "tool_calls":{"a":{"index":"z","function":3}}},"finish_reason":"stop"}]})"
      "\n\n"));
  CHECK(odd.text.empty());
  CHECK((odd.usage.known && odd.usage.total() == 0));
  CHECK(read(Protocol::openai, std::string(200000, '[')).outcome.index() == 1);
  CHECK(failure(read(Protocol::openai, "data: " + std::string(200000, '[') + "\n\n")).kind == Failure::Kind::garbled);
}

TEST_CASE("vectors come in the order of their texts, or not at all") {
  const auto vectors = [](const char* body, std::size_t texts) {
    const auto got = models::chat::read_embeddings(body, texts);
    const auto* reply = std::get_if<models::Reply>(&got);
    return reply ? reply->vectors : std::vector<std::vector<float>>();
  };
  const auto two = vectors(R"({"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]})", 2);
  REQUIRE(two.size() == 2);
  CHECK(two[0] == std::vector<float>{1, 2});
  CHECK(vectors(R"({"data":[{"embedding":[1]}]})", 2).empty());
  CHECK(vectors(R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})", 2).empty());
  CHECK(vectors(R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]})", 2).empty());
  CHECK(vectors(R"({"data":[{"index":9,"embedding":["x"]}]})", 1).empty());
}

TEST_CASE("what comes beside calls goes back byte for byte, and only to the model that sent it") {
  const std::string signature = "CiQBEXAMPLE+/==";
  Request request;
  request.model = "m";
  const std::string bytes = chunk_of(delta({{"reasoning_content", "Hm"}})) +
                            chunk_of(delta({{"reasoning_content", ", so."}})) +
                            chunk_of(delta({{"reasoning_details",
                                             {{{"type", "reasoning.text"}, {"index", 0}, {"text", "a"}},
                                              {{"type", "reasoning.encrypted"}, {"index", 1}, {"data", "QUJD"}}}}})) +
                            chunk_of(delta({{"content", "Look: "}})) +
                            chunk_of(delta({{"tool_calls",
                                             {{{"index", 0},
                                               {"id", "c1"},
                                               {"function", {{"name", "look"}, {"arguments", "{}"}}},
                                               {"extra_content", {{"google", {{"thought_signature", signature}}}}}}}}},
                                           "tool_calls")) +
                            "data: [DONE]\n\n";
  for (std::size_t piece : {std::size_t{7}, bytes.size()}) {
    const models::Reply r = reply(read(Protocol::openai, bytes, request, piece));
    CHECK(r.thoughts == "Hm, so.");
    CHECK(r.text == "Look: ");
    Request next = request;
    next.messages.resize(1);
    next.messages[0].by = models::Speaker::assistant;
    next.messages[0].text = r.text;
    next.messages[0].calls = r.calls;
    next.messages[0].opaque = r.opaque;
    const models::Endpoint endpoint{Protocol::openai, "http://h/v1", "", {}};
    const json said = json::parse(models::to_http(endpoint, next).body)["messages"][0];
    CHECK(said["content"] == "Look: ");
    CHECK(said["reasoning_content"] == "Hm, so.");
    CHECK(said["reasoning_details"].size() == 2);
    CHECK(said["tool_calls"][0]["extra_content"]["google"]["thought_signature"] == signature);
    next.model = "another";
    const json other = json::parse(models::to_http(endpoint, next).body)["messages"][0];
    CHECK_FALSE(other.contains("reasoning_content"));
    CHECK_FALSE(other["tool_calls"][0].contains("extra_content"));
  }
}

TEST_CASE("content in parts is text, and its other parts go back in their place") {
  Request request;
  request.model = "m";
  const json message = {{"content",
                         {{{"type", "thinking"}, {"thinking", {{{"type", "text"}, {"text", "hm"}}}}},
                          {{"type", "text"}, {"text", "Yes."}}}}};
  const std::string body = json({{"choices", {{{"message", message}, {"finish_reason", "stop"}}}}}).dump();
  const models::Reply r = reply(read(Protocol::openai, body, request, 0, "application/json"));
  CHECK(r.text == "Yes.");
  request.messages.resize(1);
  request.messages[0].by = models::Speaker::assistant;
  request.messages[0].text = r.text;
  request.messages[0].opaque = r.opaque;
  const json said = json::parse(models::to_http({Protocol::openai, "http://h", "", {}}, request).body)["messages"][0];
  CHECK(said["content"] == message["content"]);
}

TEST_CASE("arguments as an object, and a name in every piece, are read") {
  const json whole = {
      {"choices",
       {{{"message",
          {{"content", nullptr},
           {"tool_calls", {{{"id", "c"}, {"function", {{"name", "look"}, {"arguments", {{"at", 1}}}}}}}}}},
         {"finish_reason", "tool_calls"}}}}};
  const models::Reply r = reply(read(Protocol::openai, whole.dump(), {}, 0, "application/json"));
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].arguments == R"({"at":1})");
  const std::string bytes = chunk_of(delta(call_part(0, "c", "look", "{\"a\":"))) +
                            chunk_of(delta(call_part(0, "c", "look", "1}"), "tool_calls")) + "data: [DONE]\n\n";
  CHECK(reply(read(Protocol::openai, bytes)).calls.at(0).name == "look");
  CHECK(reply(read(Protocol::openai, bytes)).calls.at(0).arguments == "{\"a\":1}");
}
