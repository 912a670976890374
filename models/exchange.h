#pragma once
// One attempt at a request: writes it in its protocol and reads the reply as it arrives. Pure; one object per attempt.

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
  /// `on_text` is called with the reply's text as it grows; it may be empty. Borrows the request.
  ReplyReader(Protocol, const Request&, std::function<void(std::string_view)> on_text);
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  void feed(int status, std::string_view content_type, std::string_view bytes);
  /// Whether the reply is complete, even if the connection stays open.
  bool done() const;
  ModelOutcome end(const HttpEnd&) &&;

 private:
  ModelOutcome refused(const HttpEnd&) const;

  const Request& request_;
  Protocol api_;
  std::function<void(std::string_view)> on_text_;
  std::variant<openai::Stream, anthropic::Stream> stream_;
  SseReader sse_;
  std::string whole_;  ///< The body of an error or of a reply that is not streamed.
  bool streamed_ = false;
};

}  // namespace models
