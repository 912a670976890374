#pragma once
// One attempt at a request: writes it in its protocol and reads the reply as it arrives. Pure; one object per attempt.

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "models/habits.h"
#include "models/http.h"
#include "models/message.h"
#include "models/protocols/anthropic.h"
#include "models/protocols/chat.h"
#include "models/protocols/responses.h"
#include "models/sse.h"

namespace models {

/// The body of the request as it is sent: without what the server refuses, with the configuration's further members.
nlohmann::json body_of(const Endpoint&, const Request&, const Habits& = {});
HttpRequest to_http(const Endpoint&, const Request&, const Habits& = {});
/// A request to an address of the service, with the key, the further headers and the time limits; without a body.
HttpRequest http_at(const Endpoint&, std::string url);
/// The service's address with the path, before the query if it has one.
std::string url_at(const Endpoint&, std::string_view path);
/// The path at which a conversation is continued: "/chat/completions".
std::string path_of(const Endpoint&);

/// Names the model and protocol to which opaque parts are sent back (Opaque::from).
std::string opaque_source(Protocol, const std::string& model);

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
  ModelOutcome outcome(const HttpEnd&) &&;
  ModelOutcome refused(const HttpEnd&) const;

  const Request& request_;
  Protocol api_;
  std::function<void(std::string_view)> on_text_;
  std::variant<chat::Stream, responses::Stream, anthropic::Stream> stream_;
  SseReader sse_;
  std::string whole_;  ///< The body of an error or of a reply that is not streamed.
  bool streamed_ = false;
};

}  // namespace models
