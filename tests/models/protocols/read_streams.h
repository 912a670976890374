#pragma once
// A reply read from bytes as a server sends them, cut wherever a test wants.

#include <string>
#include <string_view>

#include "models/protocols/exchange.h"

namespace streams {

struct Read {
  models::ModelOutcome outcome;
  std::string heard;  ///< What was told as it came.
};

inline Read read(models::Protocol api, std::string_view bytes, const models::Request& request = {},
                 std::size_t piece = 0, const char* type = "text/event-stream; charset=utf-8", int status = 200) {
  Read result{models::Reply{}, ""};
  models::ReplyReader reader(api, request, [&](std::string_view text) { result.heard += text; });
  if (piece == 0) piece = bytes.size() + 1;
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(status, type, bytes.substr(at, piece));
  models::HttpEnd end;
  end.status = status;
  end.content_type = type;
  result.outcome = std::move(reader).end(end);
  return result;
}

inline models::Reply reply(const Read& read) {
  if (const auto* failure = std::get_if<models::Failure>(&read.outcome))
    return {"FAILED: " + failure->message, {}, models::Stop::end, {}, "", ""};
  return std::get<models::Reply>(read.outcome);
}

inline models::Failure failure(const Read& read) {
  if (const auto* failed = std::get_if<models::Failure>(&read.outcome)) return *failed;
  models::Failure none;
  none.message = "DID NOT FAIL: " + std::get<models::Reply>(read.outcome).text;
  none.kind = models::Failure::Kind::cancelled;
  return none;
}

}  // namespace streams
