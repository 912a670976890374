#include "models/protocols/exchange.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/protocols/lessons.h"
#include "models/protocols/written_calls.h"

namespace models {

using nlohmann::json;

namespace {

using Stream = std::variant<chat::Stream, responses::Stream, anthropic::Stream>;

Stream stream_for(Protocol api) {
  if (api == Protocol::anthropic) return anthropic::Stream();
  if (api == Protocol::responses) return responses::Stream();
  return chat::Stream();
}

/// OpenAI's own service or Azure's, whose models refuse `max_tokens`.
bool is_openais(const std::string& url) {
  const std::string host = url.substr(0, url.find('/', url.find("://") + 3));
  return host.find("api.openai.com") != host.npos || host.find(".azure.com") != host.npos;
}

/// Keywords of a schema that were refused, wherever they stand.
void drop_keywords(json& value, const std::set<std::string>& without, bool names = false) {
  if (value.is_array())
    for (json& one : value) drop_keywords(one, without);
  if (!value.is_object()) return;
  for (auto it = value.begin(); it != value.end();) {
    if (!names && without.contains(it.key()) && it.key() != "type" && it.key() != "properties") {
      it = value.erase(it);
      continue;
    }
    drop_keywords(it.value(), without, it.key() == "properties");
    ++it;
  }
}

/// The shape in words, for servers that take no schema for an answer, or that may take one.
std::string shape_in_words(const AnswerShape& shape) {
  return "\n\nAnswer with one JSON object that follows this JSON Schema, and with nothing else:\n" + shape.schema;
}

void fit(json& body, const Habits& habits) {
  for (const auto& [name, other] : habits.renamed)
    if (const auto it = body.find(name); it != body.end()) {
      json value = *it;
      body.erase(name);
      body[other] = std::move(value);
    }
  for (const char* name : {"max_tokens", "max_completion_tokens", "max_output_tokens"})
    if (const auto it = body.find(name); it != body.end() && habits.most_output > 0 && *it > habits.most_output)
      *it = habits.most_output;
  static const std::array needed{"model", "messages", "input", "tools", "instructions", "system"};
  for (const std::string& name : habits.without)
    if (std::ranges::find(needed, name) == needed.end()) body.erase(name);
  if (habits.without.contains("effort")) {
    body.erase("reasoning_effort");
    for (const char* name : {"reasoning", "output_config"})
      if (const auto it = body.find(name); it != body.end() && it->is_object()) it->erase("effort");
  }
  for (const char* name : {"reasoning", "output_config"})
    if (const auto it = body.find(name); it != body.end() && it->is_object() && it->empty()) body.erase(it);
  if (!habits.without.empty() && body.contains("tools")) drop_keywords(body["tools"], habits.without);
}

/// Whether an answer's schema is left out because the server refuses it, or sent in a form of which it may read no more
/// than that an object is wanted.
bool may_lack_shape(const json& body) {
  const json& format = part_at(body, "response_format");
  if (format.is_object()) return text_at(format, "type") == "json_object";
  return !part_at(part_at(body, "text"), "format").is_object() &&
         !part_at(part_at(body, "output_config"), "format").is_object();
}

void add_key(const Endpoint& endpoint, HttpRequest& http) {
  if (endpoint.key.empty()) return;
  KeyStyle style = endpoint.key_style;
  if (style == KeyStyle::usual) style = endpoint.api == Protocol::anthropic ? KeyStyle::x_api_key : KeyStyle::bearer;
  if (style == KeyStyle::bearer) http.headers.emplace_back("Authorization", "Bearer " + endpoint.key);
  if (style == KeyStyle::x_api_key) http.headers.emplace_back("x-api-key", endpoint.key);
  if (style == KeyStyle::api_key) http.headers.emplace_back("api-key", endpoint.key);
}

/// A request as it is sent. It borrows the whole conversation, and copies it only in order to change it.
class Fitted {
 public:
  explicit Fitted(const Request& request) : request_(&request) {}
  const Request& get() const { return *request_; }
  Request& own() {
    if (request_ != &own_) own_ = *request_;
    request_ = &own_;
    return own_;
  }

 private:
  const Request* request_;
  Request own_;
};

/// Leaves out what another model or protocol returned.
void leave_out_foreign(Fitted& fitted, const std::string& source) {
  const auto is_foreign = [&](const Message& message) {
    return !message.opaque.empty() && message.opaque.from != source;
  };
  if (std::ranges::none_of(fitted.get().messages, is_foreign)) return;
  for (Message& message : fitted.own().messages)
    if (is_foreign(message)) message.opaque = {};
}

json written(const Endpoint& endpoint, const Request& request, const Habits& habits) {
  if (!request.texts.empty()) return chat::embeddings_body(request);
  switch (endpoint.api) {
    case Protocol::anthropic:
      return anthropic::body_of(request, habits);
    case Protocol::responses:
      return responses::body_of(request, habits);
    case Protocol::openai:
      break;
  }
  return chat::body_of(request, habits, is_openais(endpoint.base_url));
}

}  // namespace

std::string opaque_source(Protocol api, const std::string& model) {
  static constexpr std::array names{"openai", "responses", "anthropic"};
  return fmt::format("{}:{}", names.at(static_cast<std::size_t>(api)), model);
}

json body_of(const Endpoint& endpoint, const Request& request, const Habits& habits) {
  Fitted fitted(request);
  leave_out_foreign(fitted, opaque_source(endpoint.api, request.model));
  json body = written(endpoint, fitted.get(), habits);
  fit(body, habits);
  if (request.shape && may_lack_shape(body)) {
    fitted.own().system += shape_in_words(*request.shape);
    body = written(endpoint, fitted.get(), habits);
    fit(body, habits);
  }
  merge_members(body, request.extra);
  return body;
}

std::string path_of(const Endpoint& endpoint) {
  if (endpoint.api == Protocol::responses) return "/responses";
  if (endpoint.api == Protocol::openai) return "/chat/completions";
  const std::string address = endpoint.base_url.substr(0, endpoint.base_url.find('?'));
  return address.ends_with("/v1") ? "/messages" : "/v1/messages";
}

std::string url_at(const Endpoint& endpoint, std::string_view path) {
  std::string url = endpoint.base_url;
  return url.insert(std::min(url.find('?'), url.size()), path);
}

HttpRequest http_at(const Endpoint& endpoint, std::string url) {
  HttpRequest http;
  http.url = std::move(url);
  if (endpoint.api == Protocol::anthropic) http.headers.emplace_back("anthropic-version", "2023-06-01");
  add_key(endpoint, http);
  for (const auto& header : endpoint.headers) http.headers.push_back(header);
  http.limits = endpoint.limits;
  return http;
}

HttpRequest to_http(const Endpoint& endpoint, const Request& request, const Habits& habits) {
  HttpRequest http = http_at(endpoint, url_at(endpoint, request.texts.empty() ? path_of(endpoint) : "/embeddings"));
  http.headers.insert(http.headers.begin(), {"Content-Type", "application/json"});
  http.body = json_text(body_of(endpoint, request, habits));
  return http;
}

ReplyReader::ReplyReader(Protocol api, const Request& request, std::function<void(std::string_view)> on_text)
    : request_(request),
      api_(api),
      on_text_(std::move(on_text)),
      stream_(stream_for(api)),
      sse_([this](std::string_view, std::string_view data) {
        std::visit([&](auto& stream) { stream.event(data, on_text_); }, stream_);
      }) {}

void ReplyReader::feed(int status, std::string_view content_type, std::string_view bytes) {
  if (status / 100 == 2 && content_type.starts_with("text/event-stream")) {
    streamed_ = true;
    sse_.feed(bytes);
  } else {
    whole_ += bytes;
  }
}

bool ReplyReader::done() const {
  return streamed_ && std::visit([](const auto& stream) { return stream.done(); }, stream_);
}

ModelOutcome ReplyReader::refused(const HttpEnd& end) const {
  Failure failure = failure_of(server_error(end.status, whole_));
  failure.retry_after_s = end.retry_after_s;
  constexpr std::size_t most_detail = 4000;
  if (failure.kind == Failure::Kind::refused) failure.detail = whole_.substr(0, most_detail);
  return failure;
}

ModelOutcome ReplyReader::outcome(const HttpEnd& end) && {
  const bool is_stream = streamed_ || (end.status / 100 == 2 && end.content_type.starts_with("text/event-stream"));
  if (done() || (is_stream && !end.failure)) {
    ModelOutcome outcome = std::visit([](auto& stream) { return std::move(stream).result(); }, stream_);
    if (auto* failure = std::get_if<Failure>(&outcome); failure && failure->status == 0) failure->status = end.status;
    return outcome;
  }
  if (end.failure) {
    Failure failure = *end.failure;
    failure.status = end.status;
    return failure;
  }
  if (end.status / 100 != 2) return refused(end);
  if (!request_.texts.empty()) return chat::read_embeddings(whole_, request_.texts.size());
  switch (api_) {
    case Protocol::anthropic:
      return anthropic::read_whole(whole_);
    case Protocol::responses:
      return responses::read_whole(whole_);
    case Protocol::openai:
      break;
  }
  return chat::read_whole(whole_);
}

ModelOutcome ReplyReader::end(const HttpEnd& end) && {
  ModelOutcome result = std::move(*this).outcome(end);
  if (auto* reply = std::get_if<Reply>(&result)) {
    take_thinking(*reply);
    take_written_calls(*reply, request_);
    if (!reply->opaque.empty()) reply->opaque.from = opaque_source(api_, request_.model);
  }
  return result;
}

}  // namespace models
