#include "models/protocols/anthropic.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "models/protocols/content.h"
#include "models/protocols/lessons.h"
#include "models/protocols/wire_schema.h"

namespace models::anthropic {

using nlohmann::json;

namespace {

json cache_mark(const Request& request) {
  json mark = {{"type", "ephemeral"}};
  if (request.long_cache) mark["ttl"] = "1h";
  return mark;
}

void add_images(json& parts, const std::vector<Image>& images) {
  for (const Image& image : images)
    parts.push_back(
        {{"type", "image"},
         {"source", {{"type", "base64"}, {"media_type", image.media_type}, {"data", kernel::base64(image.bytes)}}}});
}

void add_text(json& parts, const std::string& text) {
  if (!text.empty()) parts.push_back({{"type", "text"}, {"text", text}});  // An empty block is refused.
}

json call_block(const ToolCall& call, const std::string& extra) {
  json input = own_json(call.arguments);
  // The service accepts only objects; the tool has already answered that the arguments were malformed.
  if (!input.is_object()) input = json::object();
  json block = {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}};
  merge_members(block, extra);
  return block;
}

json content_of(const Message& message) {
  json parts = json::array();
  for (const ToolAnswer& answer : message.answers) {
    json content = json::array();
    add_text(content, answer.text);
    add_images(content, answer.images);
    json one = {{"type", "tool_result"}, {"tool_use_id", answer.call}, {"content", std::move(content)}};
    if (answer.failed) one["is_error"] = true;
    parts.push_back(std::move(one));
  }
  add_images(parts, message.images);
  for (const Part& part : message.opaque.parts) {
    if (part.kind == Part::Kind::opaque) parts.push_back(verbatim(part.text));
    if (part.kind == Part::Kind::text) add_text(parts, part.text);
    if (part.kind == Part::Kind::call && part.call < message.calls.size())
      parts.push_back(call_block(message.calls[part.call], part.extra));
  }
  if (!message.opaque.parts.empty()) return parts;
  add_text(parts, message.text);
  for (const ToolCall& call : message.calls) parts.push_back(call_block(call, ""));
  return parts;
}

/// The end of the last two turns of the user, where the next requests go on from.
void mark_turns(json& list, const json& mark) {
  int marked = 0;
  for (auto turn = list.rbegin(); turn != list.rend() && marked < 2; ++turn) {
    json& content = (*turn)["content"];
    if ((*turn)["role"] != "user" || content.empty() || !content.back().is_object()) continue;
    content.back()["cache_control"] = mark;
    ++marked;
  }
}

TokenUsage usage_of(const json& usage, TokenUsage so_far) {
  if (!usage.is_object()) return so_far;
  const auto update = [&](const char* key, std::int64_t& into) {
    if (!usage.contains(key)) return;
    into = count_at(usage, key);
    so_far.known = true;
  };
  update("input_tokens", so_far.input);
  update("output_tokens", so_far.output);
  update("cache_read_input_tokens", so_far.cache_read);
  update("cache_creation_input_tokens", so_far.cache_written);
  if (const json& by_lifetime = part_at(usage, "cache_creation"); by_lifetime.is_object())
    so_far.cache_written_long = count_at(by_lifetime, "ephemeral_1h_input_tokens");
  if (const json& details = part_at(usage, "output_tokens_details"); details.is_object())
    so_far.thought = count_at(details, "thinking_tokens");
  return so_far;
}

Stop stop_of(const std::string& reason, bool calls) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return Stop::length;
  if (reason == "refusal") return Stop::withheld;
  return calls ? Stop::tools : Stop::end;
}

/// "category: explanation", as far as they are stated.
std::string refusal_of(const json& details) {
  const std::string category = text_at(details, "category"), explanation = text_at(details, "explanation");
  return category + (category.empty() || explanation.empty() ? "" : ": ") + explanation;
}

Failure said_error(std::string_view body, bool began) {
  Failure failure = failure_of(server_error(0, body));
  const std::string type = text_at(part_at(lenient_json(body), "error"), "type");
  if (type == "rate_limit_error")
    failure.kind = Failure::Kind::busy;
  else if (failure.kind == Failure::Kind::refused && type != "invalid_request_error")
    failure.kind = Failure::Kind::server;
  failure.message = error_text(lenient_json(body));
  failure.began = began;
  return failure;
}

std::string text_of(const OrderedJson& block, const char* key) {
  const auto it = block.find(key);
  return it != block.end() && it->is_string() ? it->get<std::string>() : "";
}

/// Takes a block of content. `arguments`: those of a tool, if they came in pieces.
void take_block(const OrderedJson& block, const std::string& arguments, Reply& reply) {
  if (!block.is_object()) return;
  const std::string type = text_of(block, "type");
  if (type == "text") {
    reply.text += text_of(block, "text");
    add_text_part(reply.opaque, text_of(block, "text"));
  } else if (type == "tool_use") {
    const bool whole = arguments.empty() && block.contains("input");
    OrderedJson extra = OrderedJson::object();
    for (const auto& [name, value] : block.items())
      if (name != "type" && name != "id" && name != "name" && name != "input" && !value.is_null()) extra[name] = value;
    add_call_part(reply.opaque, reply.calls.size(), extra.empty() ? "" : ordered_text(extra));
    reply.calls.push_back({text_of(block, "id"), text_of(block, "name"),
                           whole               ? ordered_text(block["input"])
                           : arguments.empty() ? "{}"
                                               : arguments});
  } else {
    add_opaque_part(reply.opaque, block);
    if (type == "thinking") reply.thoughts += text_of(block, "thinking");
  }
}

/// Parts are kept only if their order or what stands between them matters.
void drop_plain_parts(Reply& reply) {
  bool call_before = false, ordered = true, plain = true;
  for (const Part& part : reply.opaque.parts) {
    plain = plain && part.kind != Part::Kind::opaque && part.extra.empty();
    ordered = ordered && !(part.kind == Part::Kind::text && call_before);
    call_before = call_before || part.kind == Part::Kind::call;
  }
  if (plain && ordered) reply.opaque.parts.clear();
}

/// How long a model of the budgeted kind may think, in tokens.
int budget_of(Effort effort, int max_output) {
  const int asked = effort == Effort::max      ? 32000
                    : effort == Effort::high   ? 16000
                    : effort == Effort::medium ? 8000
                                               : 2000;
  return std::max(1024, std::min(asked, max_output / 2));
}

void add_thinking(json& body, const Request& request, const Habits& habits) {
  if (request.effort == Effort::unset) return;
  if (request.effort == Effort::none) {
    body["thinking"] = {{"type", "disabled"}};
    return;
  }
  if (habits.without.contains("adaptive")) {
    body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget_of(request.effort, request.max_output)}};
    return;
  }
  body["thinking"] = {{"type", "adaptive"}};
  static constexpr const char* names[] = {"", "", "low", "low", "medium", "high", "max"};
  body["output_config"]["effort"] = names[static_cast<int>(request.effort)];
}

}  // namespace

json body_of(const Request& request, const Habits& habits) {
  json body = {{"model", request.model}, {"max_tokens", request.max_output}};
  if (request.stream) body["stream"] = true;
  if (request.temperature) body["temperature"] = *request.temperature;
  const json mark = cache_mark(request);
  if (!request.system.empty())
    body["system"] = json::array({{{"type", "text"}, {"text", request.system}, {"cache_control", mark}}});
  json& list = body["messages"] = json::array();
  for (const Message& message : request.messages)
    list.push_back(
        {{"role", message.by == Speaker::assistant ? "assistant" : "user"}, {"content", content_of(message)}});
  mark_turns(list, mark);
  for (const Tool& tool : request.tools)
    body["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"input_schema", wire_schema(tool.parameters)}});
  if (body.contains("tools")) body["tools"].back()["cache_control"] = mark;
  add_thinking(body, request, habits);
  if (request.shape)
    body["output_config"]["format"] = {{"type", "json_schema"}, {"schema", own_json(request.shape->schema)}};
  return body;
}

ModelOutcome read_whole(std::string_view body) {
  const json whole = lenient_json(body);
  if (!whole.is_object()) return garbled("the reply is no JSON object", true);
  if (text_at(whole, "type") == "error" || whole.contains("error")) return said_error(body, false);
  if (!part_at(whole, "content").is_array()) return garbled("the reply has no `content`", true);
  Reply reply;
  reply.id = text_at(whole, "id");
  reply.model = text_at(whole, "model");
  OrderedJson as_it_came = lenient_ordered(body);
  const OrderedJson content = take_at(as_it_came, "content");
  for (const OrderedJson& block : content) take_block(block, "", reply);
  drop_plain_parts(reply);
  reply.usage = usage_of(part_at(whole, "usage"), {});
  reply.tier = text_at(part_at(whole, "usage"), "service_tier");
  reply.refusal = refusal_of(part_at(whole, "stop_details"));
  reply.stop = stop_of(text_at(whole, "stop_reason"), !reply.calls.empty());
  return reply;
}

void Stream::event(std::string_view data, const std::function<void(std::string_view)>& on_text) {
  if (done()) return;
  const json event = lenient_json(data);
  if (!event.is_object()) {
    failed_ = garbled("an event of the stream is no JSON object", began_);
    return;
  }
  const std::string type = text_at(event, "type");
  if (type == "error") {
    failed_ = said_error(data, began_);
  } else if (type == "message_start") {
    began_ = true;
    const json& message = part_at(event, "message");
    reply_.id = text_at(message, "id");
    reply_.model = text_at(message, "model");
    reply_.usage = usage_of(part_at(message, "usage"), reply_.usage);
    reply_.tier = text_at(part_at(message, "usage"), "service_tier");
  } else if (type == "content_block_start" || type == "content_block_delta") {
    block(event, data, on_text);
  } else if (type == "message_delta") {
    const json& delta = part_at(event, "delta");
    stop_ = text_at(delta, "stop_reason");
    reply_.refusal = refusal_of(part_at(delta, "stop_details"));
    reply_.usage = usage_of(part_at(event, "usage"), reply_.usage);
  } else if (type == "message_stop") {
    done_ = true;
  }  // Pings, ends of blocks and unknown events are ignored.
}

void Stream::block(const json& event, std::string_view data, const std::function<void(std::string_view)>& on_text) {
  Block& block = blocks_[count_at(event, "index")];
  if (part_at(event, "content_block").is_object()) {
    OrderedJson whole = lenient_ordered(data);
    block.start = take_at(whole, "content_block");
  }
  const json& delta = part_at(event, "delta");
  const std::string type = text_at(delta, "type");
  if (type == "input_json_delta") {
    block.arguments += text_at(delta, "partial_json");
    return;
  }
  for (const char* key : {"text", "thinking", "signature"}) {
    const std::string piece = text_at(delta, key);
    if (piece.empty()) continue;
    if (!block.start.contains("type")) block.start["type"] = "text";
    block.start[key] = text_of(block.start, key) + piece;
    if (type == "text_delta" && on_text) on_text(piece);
  }
}

ModelOutcome Stream::result() && {
  if (failed_) return std::move(*failed_);
  if (!done_ && stop_.empty()) return cut_off(began_);
  if (!began_) return garbled("the stream held no reply", false);
  for (auto& [index, block] : blocks_) take_block(block.start, block.arguments, reply_);
  drop_plain_parts(reply_);
  reply_.stop = stop_of(stop_, !reply_.calls.empty());
  return std::move(reply_);
}

}  // namespace models::anthropic
