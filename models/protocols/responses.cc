#include "models/protocols/responses.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "models/protocols/content.h"
#include "models/protocols/lessons.h"
#include "models/protocols/wire_schema.h"

namespace models::responses {

using nlohmann::json;

namespace {

void add_images(json& parts, const std::vector<Image>& images) {
  for (const Image& image : images)
    parts.push_back({{"type", "input_image"},
                     {"image_url", "data:" + image.media_type + ";base64," + kernel::base64(image.bytes)}});
}

json call_item(const ToolCall& call, const std::string& extra) {
  json item = {{"type", "function_call"}, {"call_id", call.id}, {"name", call.name}, {"arguments", call.arguments}};
  merge_members(item, extra);
  return item;
}

json text_item(const std::string& text, const std::string& extra) {
  json item = {{"type", "message"}, {"role", "assistant"}, {"content", {{{"type", "output_text"}, {"text", text}}}}};
  merge_members(item, extra);
  return item;
}

void add_turn(json& list, const Message& message) {
  for (const Part& part : message.opaque.parts) {
    if (part.kind == Part::Kind::opaque) list.push_back(verbatim(part.text));
    if (part.kind == Part::Kind::text && !part.text.empty()) list.push_back(text_item(part.text, part.extra));
    if (part.kind == Part::Kind::call && part.call < message.calls.size())
      list.push_back(call_item(message.calls[part.call], part.extra));
  }
  if (!message.opaque.parts.empty()) return;
  if (!message.text.empty()) list.push_back(text_item(message.text, ""));
  for (const ToolCall& call : message.calls) list.push_back(call_item(call, ""));
}

void add_message(json& list, const Message& message) {
  if (message.by == Speaker::assistant) return add_turn(list, message);
  json content = json::array();
  for (const ToolAnswer& answer : message.answers) {
    list.push_back({{"type", "function_call_output"}, {"call_id", answer.call}, {"output", answer.text}});
    add_images(content, answer.images);
  }
  if (!message.text.empty()) content.push_back({{"type", "input_text"}, {"text", message.text}});
  add_images(content, message.images);
  if (!content.empty()) list.push_back({{"type", "message"}, {"role", "user"}, {"content", std::move(content)}});
}

TokenUsage usage_of(const json& usage) {
  TokenUsage u;
  if (!usage.is_object()) return u;
  u.known = usage.contains("input_tokens") || usage.contains("output_tokens");
  u.cache_read = count_at(part_at(usage, "input_tokens_details"), "cached_tokens");
  u.input = std::max<std::int64_t>(0, count_at(usage, "input_tokens") - u.cache_read);
  u.output = count_at(usage, "output_tokens");
  u.thought = count_at(part_at(usage, "output_tokens_details"), "reasoning_tokens");
  return u;
}

template <std::size_t N>
std::string further_members(const OrderedJson& item, const std::array<const char*, N>& known) {
  OrderedJson further = OrderedJson::object();
  for (const auto& [name, value] : item.items())
    if (std::ranges::find(known, name) == known.end() && !value.is_null()) further[name] = value;
  return further.empty() ? "" : ordered_text(further);
}

void take_message(const OrderedJson& item, Reply& reply) {
  std::string text;
  const auto content = item.find("content");
  if (content != item.end() && content->is_array())
    for (const OrderedJson& part : *content) {
      if (!part.is_object()) continue;
      const std::string type = part.value("type", OrderedJson()).is_string() ? part["type"].get<std::string>() : "";
      const char* key = type == "refusal" ? "refusal" : "text";
      const auto words = part.find(key);
      if (words == part.end() || !words->is_string()) continue;
      text += words->get<std::string>();
      if (type == "refusal") reply.refusal += words->get<std::string>();
    }
  reply.text += text;
  static constexpr std::array known{"type", "role", "content"};
  reply.opaque.parts.push_back({Part::Kind::text, std::move(text), 0, further_members(item, known)});
}

void take_call(const OrderedJson& item, Reply& reply) {
  const json plain = json::parse(ordered_text(item));
  std::string arguments = text_at(plain, "arguments");
  if (const json& object = part_at(plain, "arguments"); !object.is_null()) arguments = object.dump();
  static constexpr std::array known{"type", "call_id", "name", "arguments"};
  add_call_part(reply.opaque, reply.calls.size(), further_members(item, known));
  std::string id = text_at(plain, "call_id");
  if (id.empty()) id = "call_" + std::to_string(reply.calls.size() + 1);
  reply.calls.push_back({std::move(id), text_at(plain, "name"), std::move(arguments)});
}

void take_item(const OrderedJson& item, Reply& reply) {
  if (!item.is_object()) return;
  const std::string type = item.contains("type") && item["type"].is_string() ? item["type"].get<std::string>() : "";
  if (type == "message") return take_message(item, reply);
  if (type == "function_call") return take_call(item, reply);
  add_opaque_part(reply.opaque, item);
  if (type != "reasoning" || !item.contains("summary") || !item["summary"].is_array()) return;
  for (const OrderedJson& piece : item["summary"])
    if (piece.is_object() && piece.contains("text") && piece["text"].is_string())
      reply.thoughts += (reply.thoughts.empty() ? "" : "\n\n") + piece["text"].get<std::string>();
}

Stop stop_of(const json& response, const Reply& reply) {
  const std::string why = text_at(part_at(response, "incomplete_details"), "reason");
  if (why == "max_output_tokens") return Stop::length;
  if (why == "content_filter" || !reply.refusal.empty()) return Stop::withheld;
  return reply.calls.empty() ? Stop::end : Stop::tools;
}

ModelOutcome failed(std::string_view body, bool began) {
  Failure failure = failure_of(server_error(0, body));
  if (failure.kind == Failure::Kind::refused && failure.status == 0) failure.kind = Failure::Kind::server;
  failure.began = began;
  return failure;
}

/// A response without its items, which are taken from `items` if there are any.
ModelOutcome reply_of(const OrderedJson& response, const std::map<std::int64_t, std::string>& items) {
  const json plain = json::parse(ordered_text(response));
  const std::string status = text_at(plain, "status");
  if (status == "failed" || !part_at(plain, "error").is_null()) return failed(plain.dump(), false);
  Reply reply;
  reply.id = text_at(plain, "id");
  reply.model = text_at(plain, "model");
  reply.tier = text_at(plain, "service_tier");
  if (!items.empty())
    for (const auto& [index, item] : items) take_item(lenient_ordered(item), reply);
  else if (response.contains("output") && response["output"].is_array())
    for (const OrderedJson& item : response["output"]) take_item(item, reply);
  else
    return garbled("the reply has no `output`", true);
  reply.usage = usage_of(part_at(plain, "usage"));
  reply.stop = stop_of(plain, reply);
  return reply;
}

}  // namespace

json body_of(const Request& request, const Habits& habits) {
  json input = json::array();
  for (const Message& message : request.messages) add_message(input, message);
  json body = {{"model", request.model},
               {"input", std::move(input)},
               {"store", false},
               {"include", {"reasoning.encrypted_content"}},
               {"max_output_tokens", request.max_output}};
  if (!request.system.empty()) body["instructions"] = request.system;
  if (request.stream) body["stream"] = true;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (const std::string effort = effort_name(request.effort, habits); !effort.empty())
    body["reasoning"] = {{"effort", effort}};
  for (const Tool& tool : request.tools)
    body["tools"].push_back({{"type", "function"},
                             {"name", tool.name},
                             {"description", tool.description},
                             {"parameters", wire_schema(tool.parameters)},
                             {"strict", false}});
  if (request.shape) {
    const json schema = own_json(request.shape->schema);
    body["text"]["format"] = {
        {"type", "json_schema"}, {"name", request.shape->name}, {"schema", schema}, {"strict", is_strict(schema)}};
  }
  return body;
}

ModelOutcome read_whole(std::string_view body) {
  const OrderedJson whole = lenient_ordered(body);
  if (!whole.is_object()) return garbled("the reply is no JSON object", true);
  return reply_of(whole, {});
}

void Stream::event(std::string_view data, const std::function<void(std::string_view)>& on_text) {
  if (done() || data == "[DONE]") return;
  const json event = lenient_json(data);
  if (!event.is_object()) {
    failed_ = garbled("an event of the stream is no JSON object", began_);
    return;
  }
  const std::string type = text_at(event, "type");
  if (type == "error" || type == "response.failed" || (type.empty() && event.contains("error"))) {
    const json& response = part_at(event, "response");
    failed_ = std::get<Failure>(failed(response.is_null() ? std::string(data) : response.dump(), began_));
    return;
  }
  began_ = began_ || type.starts_with("response.");
  if (type == "response.output_text.delta" || type == "response.refusal.delta") {
    if (const std::string text = text_at(event, "delta"); !text.empty() && on_text) on_text(text);
  } else if (type == "response.output_item.done") {
    const OrderedJson ordered = lenient_ordered(data);
    if (ordered.contains("item")) items_[count_at(event, "output_index")] = ordered_text(ordered["item"]);
  } else if (type == "response.completed" || type == "response.incomplete") {
    const OrderedJson ordered = lenient_ordered(data);
    if (ordered.contains("response")) whole_ = ordered_text(ordered["response"]);
    done_ = true;
  }  // Beginnings, pieces of arguments, and unknown events are ignored.
}

ModelOutcome Stream::result() && {
  if (failed_) return std::move(*failed_);
  if (!done_) return cut_off(began_);
  const OrderedJson whole = lenient_ordered(whole_);
  if (!whole.is_object()) return garbled("the stream's end holds no response", true);
  return reply_of(whole, items_);
}

}  // namespace models::responses
