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

const models::Endpoint endpoint{Protocol::responses, "https://api.openai.com/v1", "secret", {}};

std::string event(json data) {
  return "event: " + data["type"].get<std::string>() + "\ndata: " + data.dump() + "\n\n";
}

const json reasoning = {{"id", "rs_1"},
                        {"type", "reasoning"},
                        {"summary", {{{"type", "summary_text"}, {"text", "Hm."}}}},
                        {"encrypted_content", "gAAAA+/=="}};
const json call = {{"id", "fc_1"},        {"type", "function_call"}, {"status", "completed"},
                   {"call_id", "call_1"}, {"name", "look"},          {"arguments", "{\"at\":1}"}};
const json words = {{"id", "msg_1"},
                    {"type", "message"},
                    {"role", "assistant"},
                    {"phase", "commentary"},
                    {"content", {{{"type", "output_text"}, {"text", "I look."}, {"annotations", json::array()}}}}};

json response(json output, const char* status = "completed") {
  return {{"id", "resp_1"},
          {"model", "gpt-6"},
          {"status", status},
          {"service_tier", "default"},
          {"output", std::move(output)},
          {"usage",
           {{"input_tokens", 100},
            {"input_tokens_details", {{"cached_tokens", 60}}},
            {"output_tokens", 30},
            {"output_tokens_details", {{"reasoning_tokens", 20}}}}}};
}

std::string stream() {
  return event({{"type", "response.created"}, {"response", response(json::array(), "in_progress")}}) +
         event({{"type", "response.output_item.done"}, {"output_index", 0}, {"item", reasoning}}) +
         event({{"type", "response.output_text.delta"}, {"output_index", 1}, {"delta", "I "}}) +
         event({{"type", "response.output_text.delta"}, {"output_index", 1}, {"delta", "look."}}) +
         event({{"type", "response.output_item.done"}, {"output_index", 1}, {"item", words}}) +
         event({{"type", "response.output_item.done"}, {"output_index", 2}, {"item", call}}) +
         event({{"type", "response.completed"}, {"response", response({reasoning, words, call})}});
}

}  // namespace

TEST_CASE("a conversation is written as the Responses API wants it, and nothing is stored there") {
  Request request;
  request.model = "gpt-6";
  request.system = "Be brief.";
  request.max_output = 100;
  request.effort = models::Effort::max;
  request.tools = {{"look", "Looks.", R"({"type":"object","properties":{"at":{"type":"string","maxLength":9}}})"}};
  request.messages.resize(1);
  request.messages[0].text = "What is it?";
  const models::HttpRequest http = models::to_http(endpoint, request);
  CHECK(http.url == "https://api.openai.com/v1/responses");
  CHECK(json::parse(http.body) == json::parse(R"({
    "model": "gpt-6", "instructions": "Be brief.", "store": false, "include": ["reasoning.encrypted_content"],
    "max_output_tokens": 100, "stream": true, "reasoning": {"effort": "xhigh"},
    "tools": [{"type": "function", "name": "look", "description": "Looks.", "strict": false,
      "parameters": {"type": "object", "properties": {"at": {"type": "string", "description": "At most 9 characters."}}}}],
    "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is it?"}]}]})"));
}

TEST_CASE("a reply's items are read, streamed and whole, and go back as they came") {
  Request request;
  request.model = "gpt-6";
  const std::string bytes = stream(), whole = response({reasoning, words, call}).dump();
  for (const bool streamed : {true, false})
    for (const std::size_t piece : {std::size_t{11}, std::size_t{100000}}) {
      const auto got = streamed ? read(Protocol::responses, bytes, request, piece)
                                : read(Protocol::responses, whole, request, piece, "application/json");
      const models::Reply r = reply(got);
      REQUIRE(r.text == "I look.");
      CHECK(got.heard == (streamed ? "I look." : ""));
      CHECK(r.thoughts == "Hm.");
      REQUIRE(r.calls.size() == 1);
      CHECK((r.calls[0].id == "call_1" && r.calls[0].arguments == "{\"at\":1}"));
      CHECK(r.stop == Stop::tools);
      CHECK((r.usage.input == 40 && r.usage.cache_read == 60 && r.usage.output == 30 && r.usage.thought == 20));
      CHECK((r.model == "gpt-6" && r.tier == "default"));
      Request next = request;
      next.messages.resize(2);
      next.messages[0].by = models::Speaker::assistant;
      next.messages[0].text = r.text;
      next.messages[0].calls = r.calls;
      next.messages[0].opaque = r.opaque;
      next.messages[1].answers = {{"call_1", "a cat", {}, false}};
      const json input = json::parse(models::to_http(endpoint, next).body)["input"];
      REQUIRE(input.size() == 4);
      CHECK(input[0] == reasoning);
      CHECK(input[1]["phase"] == "commentary");
      CHECK(input[2] == call);
      CHECK(input[3] == json({{"type", "function_call_output"}, {"call_id", "call_1"}, {"output", "a cat"}}));
    }
}

TEST_CASE("why a response is incomplete, refused or failed is told apart") {
  const auto ended = [](json last) { return reply(read(Protocol::responses, event(std::move(last)))).stop; };
  json cut = response({words}, "incomplete");
  cut["incomplete_details"] = {{"reason", "max_output_tokens"}};
  CHECK(ended({{"type", "response.incomplete"}, {"response", cut}}) == Stop::length);
  cut["incomplete_details"] = {{"reason", "content_filter"}};
  CHECK(ended({{"type", "response.incomplete"}, {"response", cut}}) == Stop::withheld);
  json refusal = words;
  refusal["content"] = {{{"type", "refusal"}, {"refusal", "I can't."}}};
  const models::Reply refused =
      reply(read(Protocol::responses, event({{"type", "response.completed"}, {"response", response({refusal})}})));
  CHECK((refused.stop == Stop::withheld && refused.refusal == "I can't."));
  const Failure limited = failure(
      read(Protocol::responses,
           event({{"type", "response.failed"},
                  {"response", {{"error", {{"code", "server_error"}, {"message", "The server had an error"}}}}}})));
  CHECK(limited.kind == Failure::Kind::server);
  CHECK(limited.message.find("The server had an error") != std::string::npos);
  CHECK(failure(read(Protocol::responses, event({{"type", "response.created"}}))).kind == Failure::Kind::cut_off);
  CHECK(failure(read(Protocol::responses, "data: {]\n\n")).kind == Failure::Kind::garbled);
  for (const char* odd : {"[]", "{}", "7", R"({"output":7})", R"({"output":[7,{"type":"message","content":7}]})"})
    reply(read(Protocol::responses, odd, {}, 0, "application/json"));
}
