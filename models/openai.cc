#include "models/openai.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"

namespace models::openai {

using nlohmann::json;

namespace {

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

void add_message(json& list, const Message& message) {
  if (message.by == Speaker::assistant) {
    json one = {{"role", "assistant"}, {"content", message.text}};
    for (const ToolCall& call : message.calls)
      one["tool_calls"].push_back(
          {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
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

HttpRequest post(const Endpoint& endpoint, const char* path, const json& body) {
  HttpRequest request;
  request.url = endpoint.base_url + path;
  request.headers = {{"Content-Type", "application/json"}};
  if (!endpoint.key.empty()) request.headers.emplace_back("Authorization", "Bearer " + endpoint.key);
  request.body = json_text(body);
  request.limits = endpoint.limits;
  return request;
}

TokenUsage usage_of(const json& usage) {
  TokenUsage u;
  if (!usage.is_object()) return u;
  u.known = usage.contains("prompt_tokens") || usage.contains("completion_tokens");
  u.cache_read = count_at(part_at(usage, "prompt_tokens_details"), "cached_tokens");
  u.input = std::max<std::int64_t>(0, count_at(usage, "prompt_tokens") - u.cache_read);
  u.output = count_at(usage, "completion_tokens");
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

Failure said_error(const json& body, bool began) {
  const bool busy = count_at(part_at(body, "error"), "code") == 429;
  return {.kind = busy ? Failure::Kind::busy : Failure::Kind::server, .message = error_text(body), .began = began};
}

}  // namespace

HttpRequest chat(const Endpoint& endpoint, const Request& request) {
  json messages = json::array();
  if (!request.system.empty()) messages.push_back({{"role", "system"}, {"content", request.system}});
  for (const Message& message : request.messages) add_message(messages, message);
  json body = {{"model", request.model},
               {"messages", std::move(messages)},
               {"stream", true},
               {"stream_options", {{"include_usage", true}}}};
  // OpenAI's newer models refuse the old name, and other servers know only the old one.
  const bool own = endpoint.base_url.find("://api.openai.com") != std::string::npos;
  body[own ? "max_completion_tokens" : "max_tokens"] = request.max_output;
  if (request.temperature) body["temperature"] = *request.temperature;
  for (const Tool& tool : request.tools)
    body["tools"].push_back(
        {{"type", "function"},
         {"function",
          {{"name", tool.name}, {"description", tool.description}, {"parameters", own_json(tool.parameters)}}}});
  if (request.shape)
    body["response_format"] = {
        {"type", "json_schema"},
        {"json_schema",
         {{"name", request.shape->name}, {"schema", own_json(request.shape->schema)}, {"strict", true}}}};
  return post(endpoint, "/chat/completions", body);
}

HttpRequest embeddings(const Endpoint& endpoint, const std::string& model, const std::vector<std::string>& texts) {
  return post(endpoint, "/embeddings", {{"model", model}, {"input", texts}});
}

ModelOutcome read_whole(std::string_view body) {
  const json whole = lenient_json(body);
  if (!whole.is_object()) return garbled("the reply is no JSON object", true);
  if (whole.contains("error") && !whole["error"].is_null()) return said_error(whole, false);
  const json& choices = part_at(whole, "choices");
  if (!choices.is_array() || choices.empty()) return garbled("the reply has no `choices`", true);
  const json& message = part_at(choices.front(), "message");
  Reply reply;
  reply.id = text_at(whole, "id");
  reply.model = text_at(whole, "model");
  reply.text = text_at(message, "content");
  for (const json& call : part_at(message, "tool_calls")) {
    const json& function = part_at(call, "function");
    reply.calls.push_back({text_at(call, "id"), text_at(function, "name"), text_at(function, "arguments")});
  }
  name_calls(reply);
  reply.stop = stop_of(text_at(choices.front(), "finish_reason"), !reply.calls.empty());
  if (const std::string refusal = text_at(message, "refusal"); !refusal.empty()) {
    reply.text += refusal;
    reply.stop = Stop::withheld;
  }
  reply.usage = usage_of(part_at(whole, "usage"));
  return reply;
}

ModelOutcome read_embeddings(std::string_view body, std::size_t texts) {
  const json whole = lenient_json(body);
  if (whole.is_object() && whole.contains("error") && !whole["error"].is_null()) return said_error(whole, false);
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
    failed_ = said_error(chunk, began_);
    return;
  }
  began_ = true;
  if (reply_.id.empty()) reply_.id = text_at(chunk, "id");
  if (reply_.model.empty()) reply_.model = text_at(chunk, "model");
  if (const TokenUsage usage = usage_of(part_at(chunk, "usage")); usage.known) reply_.usage = usage;
  const json& choices = part_at(chunk, "choices");
  if (choices.is_array() && !choices.empty()) choice(choices.front(), on_text);
}

void Stream::choice(const json& one, const std::function<void(std::string_view)>& on_text) {
  const json& delta = part_at(one, "delta");
  for (const char* key : {"content", "refusal"}) {
    const std::string text = text_at(delta, key);
    if (text.empty()) continue;
    reply_.text += text;
    if (key[0] == 'r') finish_ = "content_filter";
    if (on_text) on_text(text);
  }
  for (const json& part : part_at(delta, "tool_calls")) call(part);
  if (const std::string reason = text_at(one, "finish_reason"); !reason.empty() && finish_.empty()) finish_ = reason;
}

/// Some servers give no index, or the same index to all; then a new id begins a new call.
void Stream::call(const json& part) {
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
  open->call.name += name;
  open->call.arguments += text_at(function, "arguments");
}

ModelOutcome Stream::result() && {
  if (failed_) return std::move(*failed_);
  // Without the end mark, a stream is complete if the model reported its end.
  if (!done_ && finish_.empty()) return cut_off(began_);
  if (!began_) return garbled("the stream held no reply", false);
  for (Open& open : calls_) reply_.calls.push_back(std::move(open.call));
  name_calls(reply_);
  reply_.stop = stop_of(finish_, !reply_.calls.empty());
  return std::move(reply_);
}

}  // namespace models::openai
