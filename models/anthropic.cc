#include "models/anthropic.h"

#include <utility>

#include "base/digest.h"

namespace models::anthropic {

using nlohmann::json;

namespace {

const json kept_in_cache = {{"type", "ephemeral"}};

void add_images(json& parts, const std::vector<Image>& images) {
  for (const Image& image : images)
    parts.push_back(
        {{"type", "image"},
         {"source", {{"type", "base64"}, {"media_type", image.media_type}, {"data", kernel::base64(image.bytes)}}}});
}

void add_text(json& parts, const std::string& text) {
  if (!text.empty()) parts.push_back({{"type", "text"}, {"text", text}});  // An empty block is refused.
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
  add_text(parts, message.text);
  for (const ToolCall& call : message.calls) {
    json input = own_json(call.arguments);
    // The service accepts only objects; the tool has already answered that the arguments were malformed.
    if (!input.is_object()) input = json::object();
    parts.push_back({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}});
  }
  return parts;
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
  return so_far;
}

Stop stop_of(const std::string& reason, bool calls) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return Stop::length;
  if (reason == "refusal") return Stop::withheld;
  return calls ? Stop::tools : Stop::end;
}

Failure said_error(const json& event, bool began) {
  const std::string type = text_at(part_at(event, "error"), "type");
  return {.kind = type == "rate_limit_error"        ? Failure::Kind::busy
                  : type == "invalid_request_error" ? Failure::Kind::refused
                                                    : Failure::Kind::server,
          .message = error_text(event),
          .began = began};
}

/// Takes the answer out of the arguments of the tool that stands for its shape.
void unwrap_shape(Reply& reply, const std::string& shape) {
  if (shape.empty()) return;
  std::erase_if(reply.calls, [&](const ToolCall& call) {
    if (call.name != shape) return false;
    reply.text = call.arguments;
    return true;
  });
}

}  // namespace

HttpRequest messages(const Endpoint& endpoint, const Request& request) {
  json body = {{"model", request.model}, {"max_tokens", request.max_output}, {"stream", true}};
  if (request.temperature) body["temperature"] = *request.temperature;
  if (!request.system.empty())
    body["system"] = json::array({{{"type", "text"}, {"text", request.system}, {"cache_control", kept_in_cache}}});
  json& list = body["messages"] = json::array();
  for (const Message& message : request.messages)
    list.push_back(
        {{"role", message.by == Speaker::assistant ? "assistant" : "user"}, {"content", content_of(message)}});
  // The next request begins with the conversation up to here.
  if (!list.empty() && !list.back()["content"].empty()) list.back()["content"].back()["cache_control"] = kept_in_cache;
  for (const Tool& tool : request.tools)
    body["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"input_schema", own_json(tool.parameters)}});
  if (request.shape) {
    body["tools"].push_back({{"name", request.shape->name},
                             {"description", "Give your answer by calling this."},
                             {"input_schema", own_json(request.shape->schema)}});
    body["tool_choice"] = {{"type", "tool"}, {"name", request.shape->name}};
  }
  HttpRequest http;
  const bool versioned = endpoint.base_url.ends_with("/v1");
  http.url = endpoint.base_url + (versioned ? "/messages" : "/v1/messages");
  http.headers = {{"Content-Type", "application/json"}, {"anthropic-version", "2023-06-01"}};
  if (!endpoint.key.empty()) http.headers.emplace_back("x-api-key", endpoint.key);
  http.body = json_text(body);
  http.limits = endpoint.limits;
  return http;
}

ModelOutcome read_whole(std::string_view body, const Request& request) {
  const json whole = lenient_json(body);
  if (!whole.is_object()) return garbled("the reply is no JSON object", true);
  if (text_at(whole, "type") == "error" || whole.contains("error")) return said_error(whole, false);
  const json& content = part_at(whole, "content");
  if (!content.is_array()) return garbled("the reply has no `content`", true);
  Reply reply;
  reply.id = text_at(whole, "id");
  reply.model = text_at(whole, "model");
  for (const json& block : content) {
    const std::string type = text_at(block, "type");
    if (type == "text") reply.text += text_at(block, "text");
    if (type == "tool_use")
      reply.calls.push_back({text_at(block, "id"), text_at(block, "name"), part_at(block, "input").dump()});
  }
  if (request.shape) unwrap_shape(reply, request.shape->name);
  reply.usage = usage_of(part_at(whole, "usage"), {});
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
    failed_ = said_error(event, began_);
  } else if (type == "message_start") {
    began_ = true;
    const json& message = part_at(event, "message");
    reply_.id = text_at(message, "id");
    reply_.model = text_at(message, "model");
    reply_.usage = usage_of(part_at(message, "usage"), reply_.usage);
  } else if (type == "content_block_start" || type == "content_block_delta") {
    block(event, on_text);
  } else if (type == "message_delta") {
    stop_ = text_at(part_at(event, "delta"), "stop_reason");
    reply_.usage = usage_of(part_at(event, "usage"), reply_.usage);
  } else if (type == "message_stop") {
    done_ = true;
  }  // Pings, ends of blocks and unknown events are ignored.
}

void Stream::block(const json& event, const std::function<void(std::string_view)>& on_text) {
  Block& block = blocks_[count_at(event, "index")];
  const json& start = part_at(event, "content_block");
  if (!start.is_null()) {
    block.type = text_at(start, "type");
    block.id = text_at(start, "id");
    block.name = text_at(start, "name");
    block.text = text_at(start, "text");
  }
  const json& delta = part_at(event, "delta");
  const std::string type = text_at(delta, "type");
  if (type == "input_json_delta") {
    block.text += text_at(delta, "partial_json");
  } else if (type == "text_delta") {
    if (block.type.empty()) block.type = "text";
    const std::string text = text_at(delta, "text");
    block.text += text;
    if (on_text && !text.empty()) on_text(text);
  }
}

ModelOutcome Stream::result() && {
  if (failed_) return std::move(*failed_);
  if (!done_ && stop_.empty()) return cut_off(began_);
  if (!began_) return garbled("the stream held no reply", false);
  for (auto& [index, block] : blocks_) {
    if (block.type == "text") reply_.text += block.text;
    if (block.type == "tool_use")
      reply_.calls.push_back({block.id, block.name, block.text.empty() ? "{}" : std::move(block.text)});
  }
  unwrap_shape(reply_, shape_);
  reply_.stop = stop_of(stop_, !reply_.calls.empty());
  return std::move(reply_);
}

}  // namespace models::anthropic
