#pragma once
// What the protocols have in common. Include it only in the implementation of a protocol.

#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "models/failure.h"
#include "models/message.h"

namespace models {

using ModelOutcome = std::variant<Reply, Failure>;

/// Whether the JSON is nested so deeply that a recursive reader could run out of stack.
bool is_deep(std::string_view text);
/// Parses untrusted JSON, with malformed UTF-8 replaced. Discarded if it is malformed or too deep.
nlohmann::json lenient_json(std::string_view text);
/// Parses JSON of our own; null if the text is no JSON.
nlohmann::json own_json(std::string_view text);

/// The same with the members of objects in their order, for what is sent back as it came.
using OrderedJson = nlohmann::ordered_json;
OrderedJson lenient_ordered(std::string_view text);
/// JSON text as a value, which `json_text` writes unchanged.
nlohmann::json verbatim(std::string_view text);
/// The member, or the item of an array; null if there is none.
OrderedJson take_at(OrderedJson&, const char* key);
OrderedJson take_at(OrderedJson&, std::size_t index);
std::string ordered_text(const OrderedJson&);

/// `value` as one line of JSON without blanks, with malformed UTF-8 replaced. Faster than nlohmann's `dump` for long
/// texts, which matters because every request contains the whole conversation.
std::string json_text(const nlohmann::json& value);

/// The member if it has the type asked for; else the fallback.
std::string text_at(const nlohmann::json&, const char* key);
std::int64_t count_at(const nlohmann::json&, const char* key);
/// The member if it is an object or an array; else null.
const nlohmann::json& part_at(const nlohmann::json&, const char* key);

/// Adds the members of a JSON object, given as text, to `object`, and replaces those that are there.
void merge_members(nlohmann::json& object, std::string_view members);

/// The message of `{"error": {"message": …, "type": …}}` and similar forms, as one line; empty if there is none.
std::string error_text(const nlohmann::json&);

Failure garbled(std::string why, bool began);
/// The failure of a stream that ended before the reply did.
Failure cut_off(bool began);

}  // namespace models
