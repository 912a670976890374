// Whatever a model's server sends: both protocols, streamed in pieces of any size and whole, and what is made of it
// goes on to the tools as arguments of theirs; and what a batch API sends. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/batches/batch_protocol.h"
#include "models/protocols/exchange.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t choice = data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  models::Request request;
  if (choice & 4) request.shape = {"verdict", "{}"};
  const models::Protocol api = choice & 1 ? models::Protocol::anthropic : models::Protocol::openai;
  models::Endpoint endpoint;
  endpoint.api = api;
  endpoint.base_url = "http://h/v1";
  if (const auto view = models::batches::view_of(endpoint, bytes))
    for (const std::string& url : view->results)
      if (!url.starts_with("http://h/")) __builtin_trap();  // The key goes there.
  models::batches::result_in(api, bytes);
  std::string heard;
  models::ReplyReader reader(api, request, [&](std::string_view text) { heard += text; });
  const char* const type = choice & 2 ? "text/event-stream" : "application/json";
  const int status = choice & 8 ? 429 : 200;
  const std::size_t piece = 1 + choice / 16;
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(status, type, bytes.substr(at, piece));
  models::HttpEnd end;
  end.status = status;
  end.content_type = type;
  const models::ModelOutcome outcome = std::move(reader).end(end);
  const auto* reply = std::get_if<models::Reply>(&outcome);
  if (!reply) return 0;
  // It is said back in the next request, in either protocol.
  models::Message said;
  said.by = models::Speaker::assistant;
  said.text = reply->text;
  said.calls = reply->calls;
  request.messages = {said};
  for (const models::Protocol next : {models::Protocol::openai, models::Protocol::anthropic})
    if (models::to_http({next, "http://h", "", {}}, request).body.empty()) __builtin_trap();
  return 0;
}
