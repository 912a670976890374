#include "tests/sim/replies.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/protocols/exchange.h"
#include "tests/models/protocols/read_streams.h"
#include "tests/sim/core.h"

namespace sim {

using models::Protocol;
using nlohmann::json;

namespace {

std::string words(Dice& dice, int most) {
  static const std::vector<std::string> pieces = {"sort", " ",  "n",  "é",       "漢字", "\n",       "\"", "\\",
                                                  "🙂", ": ", "{}", "data: x", "\r\n", "event: y", "\t", "</s>"};
  std::string text = dice.chance(0.9) ? "It" : "";
  if (!text.empty())
    for (int n = dice.below(most); n > 0; --n) text += dice.one_of(pieces);
  return text;
}

/// The text in pieces that are whole characters, as JSON strings must be.
std::vector<std::string> pieces_of(Dice& dice, const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.size(), at + static_cast<std::size_t>(dice.between(1, 12)));
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

std::string event(const json& data, bool named) {
  return (named ? "event: " + data.value("type", "") + "\n" : "") + "data: " + data.dump() + "\n\n";
}

std::vector<std::string> chat(Dice& dice, const Sent& sent) {
  std::vector<std::string> events;
  const auto say = [&](json delta, json finish = nullptr) {
    events.push_back(event({{"id", "x"},
                            {"model", "m"},
                            {"choices", {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", finish}}}}},
                           false));
  };
  say({{"role", "assistant"}, {"content", ""}});
  for (const std::string& piece : pieces_of(dice, sent.text)) say({{"content", piece}});
  for (std::size_t i = 0; i < sent.calls.size(); ++i) {
    const models::ToolCall& call = sent.calls[i];
    const auto part = [&](json function, bool first) {
      json one = {{"index", i}, {"function", std::move(function)}};
      if (first) one["id"] = call.id;
      say({{"tool_calls", {one}}});
    };
    part({{"name", call.name}, {"arguments", ""}}, true);
    for (const std::string& piece : pieces_of(dice, call.arguments)) part({{"arguments", piece}}, false);
  }
  say(json::object(), sent.calls.empty() ? "stop" : "tool_calls");
  events.push_back(event({{"id", "x"},
                          {"choices", json::array()},
                          {"usage", {{"prompt_tokens", sent.input}, {"completion_tokens", sent.output}}}},
                         false));
  events.push_back("data: [DONE]\n\n");
  return events;
}

std::vector<std::string> responses(Dice& dice, const Sent& sent) {
  json output = json::array();
  std::vector<std::string> events;
  const auto whole = [&](const char* status) {
    return json{{"id", "r"},
                {"model", "m"},
                {"status", status},
                {"output", output},
                {"usage", {{"input_tokens", sent.input}, {"output_tokens", sent.output}}}};
  };
  events.push_back(event({{"type", "response.created"}, {"response", whole("in_progress")}}, true));
  const auto item = [&](json one) {
    events.push_back(
        event({{"type", "response.output_item.done"}, {"output_index", output.size()}, {"item", one}}, true));
    output.push_back(std::move(one));
  };
  if (!sent.text.empty()) {
    for (const std::string& piece : pieces_of(dice, sent.text))
      events.push_back(event({{"type", "response.output_text.delta"}, {"output_index", 0}, {"delta", piece}}, true));
    item({{"id", "m1"},
          {"type", "message"},
          {"role", "assistant"},
          {"content", {{{"type", "output_text"}, {"text", sent.text}, {"annotations", json::array()}}}}});
  }
  for (const models::ToolCall& call : sent.calls)
    item({{"id", "f" + call.id},
          {"type", "function_call"},
          {"status", "completed"},
          {"call_id", call.id},
          {"name", call.name},
          {"arguments", call.arguments}});
  events.push_back(event({{"type", "response.completed"}, {"response", whole("completed")}}, true));
  return events;
}

std::vector<std::string> anthropic(Dice& dice, const Sent& sent) {
  std::vector<std::string> events = {event(
      {{"type", "message_start"},
       {"message", {{"id", "m"}, {"model", "m"}, {"usage", {{"input_tokens", sent.input}, {"output_tokens", 1}}}}}},
      true)};
  int index = 0;
  const auto block = [&](json begin, const std::string& text, const char* type, const char* member) {
    events.push_back(
        event({{"type", "content_block_start"}, {"index", index}, {"content_block", std::move(begin)}}, true));
    for (const std::string& piece : pieces_of(dice, text))
      events.push_back(event(
          {{"type", "content_block_delta"}, {"index", index}, {"delta", {{"type", type}, {member, piece}}}}, true));
    events.push_back(event({{"type", "content_block_stop"}, {"index", index++}}, true));
  };
  if (!sent.text.empty()) block({{"type", "text"}, {"text", ""}}, sent.text, "text_delta", "text");
  for (const models::ToolCall& call : sent.calls)
    block({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", json::object()}}, call.arguments,
          "input_json_delta", "partial_json");
  events.push_back(event({{"type", "message_delta"},
                          {"delta", {{"stop_reason", sent.calls.empty() ? "end_turn" : "tool_use"}}},
                          {"usage", {{"output_tokens", sent.output}}}},
                         true));
  events.push_back(event({{"type", "message_stop"}}, true));
  return events;
}

/// What servers and proxies may add, and what means nothing.
std::string with_noise(Dice& dice, const std::vector<std::string>& events) {
  std::string bytes;
  for (const std::string& one : events) {
    if (dice.chance(0.1)) bytes += ": keep-alive\n\n";
    bytes += one;
  }
  if (!dice.chance(0.3)) return bytes;
  std::string returns;
  for (const char c : bytes) returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return returns;
}

bool same(const models::Reply& read, const Sent& sent) {
  return read.text == sent.text &&
         std::ranges::equal(read.calls, sent.calls, [](const models::ToolCall& a, const models::ToolCall& b) {
           return a.id == b.id && a.name == b.name &&
                  json::parse(a.arguments, nullptr, false) == json::parse(b.arguments);
         });
}

streams::Read read_in_pieces(Dice& dice, Protocol api, const std::string& bytes) {
  static const models::Request request = [] {
    models::Request one;
    one.tools = {{"look", "Looks.", R"({"type":"object"})"}};
    return one;
  }();
  return streams::read(api, bytes, request, static_cast<std::size_t>(dice.spread(9)));
}

std::string damaged(Dice& dice, std::string bytes) {
  for (int n = dice.between(1, 4); n > 0 && !bytes.empty(); --n) {
    const auto at = static_cast<std::size_t>(dice.below(static_cast<int>(bytes.size())));
    const auto count = static_cast<std::size_t>(dice.spread(6));
    switch (dice.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(dice.below(256));
        break;
      case 1:
        bytes.erase(at, count);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, count));
        break;
      default:
        bytes.insert(at, count, dice.chance(0.5) ? '{' : '\n');
    }
  }
  return bytes;
}

const char* name_of(Protocol api) {
  return api == Protocol::openai ? "chat" : api == Protocol::responses ? "responses" : "anthropic";
}

std::string stream_of(Dice& dice, Protocol api, const Sent& sent) {
  return with_noise(dice, api == Protocol::openai      ? chat(dice, sent)
                          : api == Protocol::responses ? responses(dice, sent)
                                                       : anthropic(dice, sent));
}

std::string begin_of(Dice& dice, const std::string& bytes) {
  return bytes.substr(0, static_cast<std::size_t>(dice.below(static_cast<int>(bytes.size()))));
}

/// What is read of these bytes, all of the reply or a part of it.
std::optional<models::Reply> read_of(Dice& dice, Protocol api, const Sent& sent, const std::string& bytes, bool whole) {
  const streams::Read read = read_in_pieces(dice, api, bytes);
  const auto* reply = std::get_if<models::Reply>(&read.outcome);
  if (!sent.text.starts_with(read.heard) || (whole && read.heard != sent.text))
    broken("a reply is heard as it comes", "{}: {}", name_of(api), read.heard);
  if (whole && !reply)
    broken("a whole reply is read", "{}: {}", name_of(api), std::get<models::Failure>(read.outcome).message);
  if (!reply) return std::nullopt;
  if (!same(*reply, sent))
    broken(whole ? "a whole reply is read as it was sent" : "no reply is read that was not sent", "{}, {} bytes: {}",
           name_of(api), bytes.size(), reply->text);
  if (whole && reply->usage.total() != sent.input + sent.output)
    broken("what a reply took is counted", "{}: {} of {}", name_of(api), reply->usage.total(),
           sent.input + sent.output);
  return *reply;
}

constexpr Protocol protocols[] = {Protocol::openai, Protocol::responses, Protocol::anthropic};

}  // namespace

Sent draw_reply(Dice& dice, int most_calls) {
  Sent sent;
  sent.text = words(dice, 40);
  for (int n = dice.below(most_calls + 1); n > 0; --n)
    sent.calls.push_back({fmt::format("call_{}", n), dice.chance(0.5) ? "look" : "read_file",
                          json({{"path", words(dice, 8)}, {"line", dice.below(100)}}).dump()});
  sent.input = dice.between(1, 1000);
  sent.output = dice.between(1, 1000);
  return sent;
}

std::optional<models::Reply> streamed(Dice& dice, const Sent& sent, bool cut) {
  const Protocol api = dice.one_of(protocols);
  const std::string bytes = stream_of(dice, api, sent);
  return read_of(dice, api, sent, cut ? begin_of(dice, bytes) : bytes, !cut);
}

int read_replies(std::uint64_t seed) {
  Dice dice(seed);
  int streams_read = 0;
  for (const Protocol api : protocols) {
    const Sent sent = draw_reply(dice, 3);
    const std::string bytes = stream_of(dice, api, sent);
    read_of(dice, api, sent, bytes, true);
    for (int n = 0; n < 6; ++n) {
      read_of(dice, api, sent, begin_of(dice, bytes), false);
      // Whatever comes, it is an outcome.
      read_in_pieces(dice, api, damaged(dice, bytes));
      streams_read += 2;
    }
    ++streams_read;
  }
  return streams_read;
}

}  // namespace sim
