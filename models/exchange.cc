#include "models/exchange.h"

#include <utility>

#include <fmt/format.h>

namespace models {

namespace {

using Stream = std::variant<openai::Stream, anthropic::Stream>;

Stream stream_for(Protocol api, const Request& request) {
  if (api == Protocol::anthropic) return anthropic::Stream(request);
  return openai::Stream();
}

Failure::Kind kind_of(int status) {
  using Kind = Failure::Kind;
  if (status == 401 || status == 403) return Kind::unauthorised;
  if (status == 408 || status == 409 || status == 425 || status == 429) return Kind::busy;
  if (status >= 500) return Kind::server;
  return Kind::refused;
}

}  // namespace

HttpRequest to_http(const Endpoint& endpoint, const Request& request) {
  if (!request.texts.empty()) return openai::embeddings(endpoint, request.model, request.texts);
  return endpoint.api == Protocol::anthropic ? anthropic::messages(endpoint, request) : openai::chat(endpoint, request);
}

ReplyReader::ReplyReader(Protocol api, const Request& request, std::function<void(std::string_view)> on_text)
    : request_(request),
      api_(api),
      on_text_(std::move(on_text)),
      stream_(stream_for(api, request)),
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
  Failure failure{.kind = kind_of(end.status),
                  .status = end.status,
                  .message = fmt::format("HTTP {}", end.status),
                  .retry_after_s = end.retry_after_s};
  const std::string said = error_text(lenient_json(whole_));
  if (const std::string more = said.empty() ? one_line_of(whole_) : said; !more.empty()) failure.message += ": " + more;
  return failure;
}

ModelOutcome ReplyReader::end(const HttpEnd& end) && {
  const bool is_stream = streamed_ || (end.status / 100 == 2 && end.content_type.starts_with("text/event-stream"));
  if (done() || (is_stream && !end.failure)) {
    ModelOutcome outcome = std::visit([](auto& stream) { return std::move(stream).result(); }, stream_);
    if (auto* failure = std::get_if<Failure>(&outcome)) failure->status = end.status;
    return outcome;
  }
  if (end.failure) {
    Failure failure = *end.failure;
    failure.status = end.status;
    return failure;
  }
  if (end.status / 100 != 2) return refused(end);
  if (!request_.texts.empty()) return openai::read_embeddings(whole_, request_.texts.size());
  return api_ == Protocol::anthropic ? anthropic::read_whole(whole_, request_) : openai::read_whole(whole_);
}

}  // namespace models
