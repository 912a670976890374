#pragma once
// What both protocols have in common, for those who write and read them. Include where a protocol is defined only.

#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "models/failure.h"
#include "models/message.h"

namespace models {

using Outcome = std::variant<Reply, Failure>;

/// Nested deeper than anybody needs: what walks a document may not have the stack for it.
bool is_deep(std::string_view text);
/// A stranger's JSON; bytes that are no UTF-8 are replaced first. Discarded where it is none, or deep.
nlohmann::json lenient_json(std::string_view text);
/// JSON of ours, or null where a text that should be JSON is none.
nlohmann::json own_json(std::string_view text);

/// `value` as a line of JSON, without blanks; what is no UTF-8 is replaced. As nlohmann's `dump`, several times faster
/// where texts are long: a conversation is written out whole with every request.
std::string json_text(const nlohmann::json& value);

/// A member of an object that has the type asked for; else the fallback.
std::string text_at(const nlohmann::json&, const char* key);
std::int64_t count_at(const nlohmann::json&, const char* key);
/// A member that is an object or an array; else null.
const nlohmann::json& part_at(const nlohmann::json&, const char* key);

std::string data_url(const Image&);

/// `{"error": {"message": …, "type": …}}` and its relatives, as one line; empty: it says nothing.
std::string error_text(const nlohmann::json&);

Failure garbled(std::string why, bool began);
/// A stream that ended before its reply did.
Failure cut_off(bool began);

}  // namespace models
