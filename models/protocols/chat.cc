#include "models/protocols/chat.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "models/protocols/content.h"
#include "models/protocols/lessons.h"
#include "models/protocols/wire_schema.h"

namespace models::chat {

using nlohmann::json;

namespace {

/// Members of a message in which models return their thinking and what belongs to it, under the names in use.
constexpr std::array of_thinking{"reasoning_content", "reasoning", "reasoning_details", "extra_content"};

void add_images(json& parts, const std::vector<Image>& images) {
  for (const Image& image : images) {
    const std::string url = "data:" + image.media_type + ";base64," + kernel::base64(image.bytes);
    parts.push_back({{"type", "image_url"}, {"image_url", {{"url", url}}}});
  }
}

json user_content(const std::string& text, const std::vector<Image>& images) {
  if (images.empty()) return text;
  json parts = json::array();
  if (!text.empty()) parts.push_back({{"type", "text"}, {"text", text}});
  add_images(parts, images);
  return parts;
}

/// The text, or the parts of it with what stood between them.
json assistant_content(const Message& message) {
  if (std::ranges::none_of(message.opaque.parts, [](const Part& part) { return part.kind == Part::Kind::opaque; }))
    return message.text;
  json parts = json::array();
  for (const Part& part : message.opaque.parts) {
    if (part.kind == Part::Kind::text && !part.text.empty()) parts.push_back({{"type", "text"}, {"text", part.text}});
    if (part.kind == Part::Kind::opaque) parts.push_back(verbatim(part.text));
  }
  return parts;
}

void add_message(json& list, const Message& message, const Habits& habits) {
  if (message.by == Speaker::assistant) {
    json one = {{"role", "assistant"}, {"content", assistant_content(message)}};
    merge_members(one, message.opaque.extra);
    for (std::size_t i = 0; i < message.calls.size(); ++i) {
      const ToolCall& call = message.calls[i];
      json made = {
          {"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
      merge_members(made, extra_of_call(message.opaque, i));
      one["tool_calls"].push_back(std::move(made));
    }
    for (const std::string& name : habits.without)
      if (name != "content" && name != "role") one.erase(name);
    list.push_back(std::move(one));
    return;
  }
  json seen = json::array();  // A tool's answer is only text here, so its pictures follow in the user's message.
  for (const ToolAnswer& answer : message.answers) {
    list.push_back({{"role", "tool"}, {"tool_call_id", answer.call}, {"content", answer.text}});
    add_images(seen, answer.images);
  }
  if (!seen.empty()) list.push_back({{"role", "user"}, {"content", std::move(seen)}});
  if (!message.text.empty() || !message.images.empty())
    list.push_back({{"role", "user"}, {"content", user_content(message.text, message.images)}});
}

TokenUsage usage_of(const json& usage) {
  TokenUsage u;
  if (!usage.is_object()) return u;
  u.known = usage.contains("prompt_tokens") || usage.contains("completion_tokens");
  const json& details = part_at(usage, "prompt_tokens_details");
  // DeepSeek states its hits beside the total.
  u.cache_read = std::max(count_at(details, "cached_tokens"), count_at(usage, "prompt_cache_hit_tokens"));
  u.cache_written = count_at(details, "cache_write_tokens");
  u.input = std::max<std::int64_t>(0, count_at(usage, "prompt_tokens") - u.cache_read - u.cache_written);
  u.output = count_at(usage, "completion_tokens");
  u.thought = count_at(part_at(usage, "completion_tokens_details"), "reasoning_tokens");
  if (const auto cost = usage.find("cost"); cost != usage.end() && cost->is_number() && cost->get<double>() >= 0)
    u.usd = cost->get<double>();
  return u;
}

Stop stop_of(const std::string& reason, bool calls) {
  if (reason == "length") return Stop::length;
  if (reason == "content_filter") return Stop::withheld;
  return calls ? Stop::tools : Stop::end;
}

/// Gives an id to calls without one, because an answer refers to it.
void name_calls(Reply& reply) {
  for (std::size_t i = 0; i < reply.calls.size(); ++i)
    if (reply.calls[i].id.empty()) reply.calls[i].id = "call_" + std::to_string(i + 1);
}

Failure said_error(std::string_view body, bool began) {
  Failure failure = failure_of(server_error(0, body));
  // An error without a status in the middle of a stream is the server's.
  if (failure.kind == Failure::Kind::refused && failure.status == 0) failure.kind = Failure::Kind::server;
  failure.began = began;
  return failure;
}

std::string arguments_of(const json& function) {
  const auto it = function.is_object() ? function.find("arguments") : function.end();
  if (!function.is_object() || it == function.end()) return "";
  return it->is_structured() ? it->dump() : text_at(function, "arguments");
}

/// Members of a call that are not of the protocol, such as a thought signature.
OrderedJson further_members(const OrderedJson& call) {
  OrderedJson further = OrderedJson::object();
  if (!call.is_object()) return further;
  static const std::array known{"id", "type", "function", "index"};
  for (const auto& [name, value] : call.items())
    if (std::ranges::find(known, name) == known.end() && !value.is_null()) further[name] = value;
  return further;
}

/// Takes the members of a message, or of a piece of one, that hold thinking. Pieces of texts and of lists are joined.
void take_thinking_of(const OrderedJson& message, OrderedJson& into) {
  if (!message.is_object()) return;
  for (const char* name : of_thinking) {
    const auto it = message.find(name);
    if (it == message.end() || it->is_null()) continue;
    OrderedJson& known = into[name];
    if (it->is_string())
      known = (known.is_string() ? known.get<std::string>() : "") + it->get<std::string>();
    else if (it->is_array())
      join_details(known, *it);
    else
      known = *it;
  }
}

/// The content, whose parts may hold more than text.
void take_content(const OrderedJson& content, Reply& reply, const std::function<void(std::string_view)>& on_text) {
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    reply.text += text;
    if (!reply.opaque.parts.empty()) add_text_part(reply.opaque, text);
    if (on_text) on_text(text);
  };
  if (content.is_string()) return add(content.get<std::string>());
  if (!content.is_array()) return;
  for (const OrderedJson& part : content) {
    if (!part.is_object()) continue;
    const auto text = part.find("text");
    if (text != part.end() && text->is_string()) {
      add(text->get<std::string>());
      continue;
    }
    if (reply.opaque.parts.empty() && !reply.text.empty()) add_text_part(reply.opaque, reply.text);
    add_opaque_part(reply.opaque, part);
  }
}

void show_thoughts(const OrderedJson& extra, Reply& reply) {
  for (const char* name : {"reasoning", "reasoning_content"})
    if (const auto it = extra.find(name); it != extra.end() && it->is_string() && reply.thoughts.empty())
      reply.thoughts = it->get<std::string>();
}

/// Puts what came beside text and calls where it is kept.
void close(Reply& reply, const OrderedJson& extra, const std::vector<OrderedJson>& of_calls) {
  if (!extra.empty()) reply.opaque.extra = ordered_text(extra);
  show_thoughts(extra, reply);
  const bool any = std::ranges::any_of(of_calls, [](const OrderedJson& one) { return !one.empty(); });
  if (!any && reply.opaque.parts.empty()) return;
  if (reply.opaque.parts.empty() && !reply.text.empty()) add_text_part(reply.opaque, reply.text);
  for (std::size_t i = 0; i < reply.calls.size(); ++i)
    add_call_part(reply.opaque, i, i < of_calls.size() && !of_calls[i].empty() ? ordered_text(of_calls[i]) : "");
}

/// Gemini ends a turn like this if it wrote a call that it cannot read itself.
bool is_broken_call(const std::string& finish) {
  return finish == "malformed_function_call" || finish == "MALFORMED_FUNCTION_CALL" ||
         finish.find("MALFORMED_FUNCTION_CALL") != finish.npos;
}

}  // namespace

json body_of(const Request& request, const Habits& habits, bool own_api) {
  json messages = json::array();
  if (!request.system.empty()) messages.push_back({{"role", "system"}, {"content", request.system}});
  for (const Message& message : request.messages) add_message(messages, message, habits);
  json body = {{"model", request.model}, {"messages", std::move(messages)}};
  if (request.stream) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  body[own_api ? "max_completion_tokens" : "max_tokens"] = request.max_output;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (const std::string effort = effort_name(request.effort, habits); !effort.empty())
    body["reasoning_effort"] = effort;
  for (const Tool& tool : request.tools)
    body["tools"].push_back(
        {{"type", "function"},
         {"function",
          {{"name", tool.name}, {"description", tool.description}, {"parameters", wire_schema(tool.parameters)}}}});
  if (request.shape) {
    const json schema = own_json(request.shape->schema);
    if (habits.without.contains("json_schema"))
      body["response_format"] = {{"type", "json_object"}, {"schema", schema}};
    else
      body["response_format"] = {
          {"type", "json_schema"},
          {"json_schema", {{"name", request.shape->name}, {"schema", schema}, {"strict", is_strict(schema)}}}};
  }
  return body;
}

json embeddings_body(const Request& request) {
  return {{"model", request.model}, {"input", request.texts}};
}

ModelOutcome read_whole(std::string_view body) {
  const json whole = lenient_json(body);
  if (!whole.is_object()) return garbled("the reply is no JSON object", true);
  if (whole.contains("error") && !whole["error"].is_null()) return said_error(body, false);
  const json& choices = part_at(whole, "choices");
  if (!choices.is_array() || choices.empty()) return garbled("the reply has no `choices`", true);
  const json& message = part_at(choices.front(), "message");
  OrderedJson as_it_came = lenient_ordered(body);
  OrderedJson in_order = take_at(as_it_came, "choices");
  in_order = take_at(in_order, std::size_t{0});
  OrderedJson ordered = take_at(in_order, "message");
  const std::string finish = text_at(choices.front(), "finish_reason");
  if (is_broken_call(finish)) return garbled("the model wrote a call that its provider cannot read", true);
  Reply reply;
  reply.id = text_at(whole, "id");
  reply.model = text_at(whole, "model");
  reply.tier = text_at(whole, "service_tier");
  reply.fingerprint = text_at(whole, "system_fingerprint");
  if (ordered.is_object() && ordered.contains("content")) take_content(ordered["content"], reply, {});
  std::vector<OrderedJson> of_calls;
  OrderedJson calls = take_at(ordered, "tool_calls");
  std::size_t place = 0;
  for (const json& call : part_at(message, "tool_calls")) {
    const json& function = part_at(call, "function");
    reply.calls.push_back({text_at(call, "id"), text_at(function, "name"), arguments_of(function)});
    of_calls.push_back(further_members(take_at(calls, place++)));
  }
  name_calls(reply);
  OrderedJson extra = OrderedJson::object();
  take_thinking_of(ordered, extra);
  close(reply, extra, of_calls);
  reply.stop = stop_of(finish, !reply.calls.empty());
  if (const std::string refusal = text_at(message, "refusal"); !refusal.empty()) {
    reply.text += refusal;
    reply.refusal = refusal;
    reply.stop = Stop::withheld;
  }
  reply.usage = usage_of(part_at(whole, "usage"));
  return reply;
}

ModelOutcome read_embeddings(std::string_view body, std::size_t texts) {
  const json whole = lenient_json(body);
  if (whole.is_object() && whole.contains("error") && !whole["error"].is_null()) return said_error(body, false);
  const json& data = part_at(whole, "data");
  if (!data.is_array() || data.size() != texts) return garbled("the reply has not one vector per text", true);
  std::vector<std::vector<float>> vectors(texts);
  for (std::size_t i = 0; i < texts; ++i) {
    const json& one = data[i];
    const auto at = one.is_object() && one.contains("index") ? static_cast<std::size_t>(count_at(one, "index")) : i;
    const json& numbers = part_at(one, "embedding");
    if (at >= texts || !numbers.is_array() || numbers.empty() || !vectors[at].empty())
      return garbled("the reply's vectors are not one for each text", true);
    for (const json& number : numbers) {
      if (!number.is_number()) return garbled("a vector holds something that is no number", true);
      vectors[at].push_back(number.get<float>());
    }
  }
  for (const auto& vector : vectors)
    if (vector.size() != vectors.front().size()) return garbled("the vectors are of different lengths", true);
  Reply reply;
  reply.vectors = std::move(vectors);
  reply.usage = usage_of(part_at(whole, "usage"));
  reply.model = text_at(whole, "model");
  return reply;
}

void Stream::event(std::string_view data, const std::function<void(std::string_view)>& on_text) {
  if (done()) return;
  if (data == "[DONE]") {
    done_ = true;
    return;
  }
  const json chunk = lenient_json(data);
  if (!chunk.is_object()) {
    failed_ = garbled("an event of the stream is no JSON object", began_);
    return;
  }
  if (chunk.contains("error") && !chunk["error"].is_null()) {
    failed_ = said_error(data, began_);
    return;
  }
  began_ = true;
  for (const auto& [key, into] : {std::pair{"id", &reply_.id},
                                  {"model", &reply_.model},
                                  {"service_tier", &reply_.tier},
                                  {"system_fingerprint", &reply_.fingerprint}})
    if (into->empty()) *into = text_at(chunk, key);
  if (const TokenUsage usage = usage_of(part_at(chunk, "usage")); usage.known) reply_.usage = usage;
  const json& choices = part_at(chunk, "choices");
  if (choices.is_array() && !choices.empty()) choice(choices.front(), data, on_text);
}

void Stream::choice(const json& one, std::string_view data, const std::function<void(std::string_view)>& on_text) {
  const json& delta = part_at(one, "delta");
  // Most pieces are a few words of text; the others are read again with the order of their members.
  const auto content = delta.is_object() ? delta.find("content") : delta.end();
  const bool plain =
      !delta.is_object() || (!delta.contains("tool_calls") && (content == delta.end() || !content->is_array()) &&
                             std::ranges::none_of(of_thinking, [&](const char* name) { return delta.contains(name); }));
  if (plain) {
    if (const std::string text = text_at(delta, "content"); !text.empty())
      take_content(OrderedJson(text), reply_, on_text);
  } else {
    OrderedJson whole = lenient_ordered(data);
    OrderedJson choices = take_at(whole, "choices");
    OrderedJson first = take_at(choices, std::size_t{0});
    OrderedJson ordered = take_at(first, "delta");
    if (ordered.contains("content")) take_content(ordered["content"], reply_, on_text);
    take_thinking_of(ordered, extra_);
    OrderedJson calls = take_at(ordered, "tool_calls");
    std::size_t place = 0;
    for (const json& piece : part_at(delta, "tool_calls")) call(piece, take_at(calls, place++));
  }
  if (const std::string refusal = text_at(delta, "refusal"); !refusal.empty()) {
    reply_.text += refusal;
    refusal_ += refusal;
    finish_ = "content_filter";
    if (on_text) on_text(refusal);
  }
  if (const std::string reason = text_at(one, "finish_reason"); !reason.empty() && finish_.empty()) finish_ = reason;
}

/// Some servers give no index, or the same index to all; then a new id begins a new call.
void Stream::call(const json& part, const OrderedJson& as_it_came) {
  const std::string id = text_at(part, "id");
  const json& function = part_at(part, "function");
  const std::string name = text_at(function, "name");
  const bool indexed = part.is_object() && part.contains("index");
  const std::int64_t index = indexed ? count_at(part, "index") : static_cast<std::int64_t>(calls_.size());
  Open* open = nullptr;
  for (Open& known : calls_)
    if (id.empty() ? (!indexed || known.index == index) : known.call.id == id) open = &known;
  if (!open && !id.empty() && name.empty())
    for (Open& known : calls_)
      if (known.index == index) open = &known;
  if (!open) {
    calls_.push_back({index, {id, "", ""}});
    open = &calls_.back();
  }
  // Some servers repeat the name in each piece.
  if (open->call.name != name) open->call.name += name;
  open->call.arguments += arguments_of(function);
  const OrderedJson further = further_members(as_it_came);
  for (const auto& [member, value] : further.items()) open->extra[member] = value;
}

ModelOutcome Stream::result() && {
  if (failed_) return std::move(*failed_);
  // Without the end mark, a stream is complete if the model reported its end.
  if (!done_ && finish_.empty()) return cut_off(began_);
  if (!began_) return garbled("the stream held no reply", false);
  if (is_broken_call(finish_)) return garbled("the model wrote a call that its provider cannot read", true);
  std::vector<OrderedJson> of_calls;
  for (Open& open : calls_) {
    reply_.calls.push_back(std::move(open.call));
    of_calls.push_back(std::move(open.extra));
  }
  name_calls(reply_);
  close(reply_, extra_, of_calls);
  reply_.refusal = std::move(refusal_);
  reply_.stop = stop_of(finish_, !reply_.calls.empty());
  return std::move(reply_);
}

}  // namespace models::chat
