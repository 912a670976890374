#pragma once
// The batch APIs of OpenAI (chat completions and Responses) and Anthropic, for batches of one request: writes their
// requests and reads their replies. Pure; sends nothing. Ids and addresses that a server states are used only if they
// lead to that server.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/http.h"

namespace models::batches {

/// Whether the request is uploaded as a file first, and the batch names the file (OpenAI).
bool uploads(const Endpoint&);
/// POST /files, multipart: a file of one line.
HttpRequest upload(const Endpoint&, const nlohmann::json& body);
/// `file`: the id of the uploaded file; empty if the protocol uploads none.
HttpRequest creation(const Endpoint&, const nlohmann::json& body, const std::string& file);
HttpRequest look(const Endpoint&, const std::string& id);
HttpRequest cancellation(const Endpoint&, const std::string& id);
/// GET of a file of results, at an address of `View::results`.
HttpRequest results(const Endpoint&, const std::string& url);

/// The id in the reply to an upload or a creation; empty if there is none that may stand in a path.
std::string id_in(std::string_view body);
/// Whether the text may stand in a path as an id: letters, digits, `-`, `_` and `.`, at most 200.
bool is_id(const std::string&);

/// What the provider says of a batch.
struct View {
  bool over = false;                   ///< It ended, and nothing of it is worked on any more.
  std::vector<std::string> results{};  ///< Addresses of its results; may be empty.
  std::string why{};                   ///< If it is over: how it ended, in words.
};
/// None if the text is no batch.
std::optional<View> view_of(const Endpoint&, std::string_view body);

/// The result of the one request.
struct BatchedReply {
  int status = 0;      ///< As it would have been over HTTP; 0 if the request was not served.
  std::string body{};  ///< As it would have come over HTTP; without a status, why it was not served.
};
/// None if the results do not have it.
std::optional<BatchedReply> result_in(Protocol, std::string_view lines);

}  // namespace models::batches
