#pragma once
// One attempt at a reply: the request in its protocol, and what an HTTP exchange brings read as it comes. Pure; one per
// attempt.

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "models/anthropic.h"
#include "models/http.h"
#include "models/message.h"
#include "models/openai.h"
#include "models/sse.h"

namespace models {

HttpRequest to_http(const Endpoint&, const Request&);

class ReplyReader {
 public:
  /// `on_text`: told the reply's text as it grows; may be empty. Borrows the request.
  ReplyReader(Api, const Request&, std::function<void(std::string_view)> on_text);
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  void feed(int status, std::string_view content_type, std::string_view bytes);
  /// The reply is whole, whether or not the connection stays open.
  bool done() const;
  Outcome end(const HttpEnd&) &&;

 private:
  Outcome refused(const HttpEnd&) const;

  const Request& request_;
  Api api_;
  std::function<void(std::string_view)> on_text_;
  std::variant<openai::Stream, anthropic::Stream> stream_;
  SseReader sse_;
  std::string whole_;  ///< Of a reply that is no stream, or an error's body.
  bool streamed_ = false;
};

}  // namespace models
