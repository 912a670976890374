#pragma once
// What a refusal teaches about a model's server: a parameter that it does not know, a limit, a topic that nothing will
// change. Pure; reads the error texts that the providers publish.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/failure.h"
#include "models/habits.h"

namespace models {

/// The error of a reply: HTTP status and body, or the event of a stream.
struct ServerError {
  int status = 0;
  std::string text;   ///< The server's words.
  std::string code;   ///< error.code, or error.type.
  std::string param;  ///< The member that it names; of FastAPI's errors the last step of `loc`.
};
ServerError server_error(int status, std::string_view body);

/// The kind of failure that the error is, and the limit of tokens that it names (Failure::context).
Failure failure_of(const ServerError&);

/// Changes the habits so that the refused body is sent otherwise. Returns what changed, for people; empty if the error
/// names nothing that can be left out or renamed, or if that was done before.
std::string learn(Habits&, const ServerError&, const nlohmann::json& body);

}  // namespace models
