#pragma once
// JSON documents of texts of others: without keys and passwords, always valid UTF-8. Pure.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/redact.h"

namespace artifacts {

/// The JSON object in a text; an empty one if the text is none, or nested too deeply.
nlohmann::json object_of(const std::string& text);
bool is_object(const std::string& text);

/// Every text in the document without keys, the names of members included.
nlohmann::json redacted(nlohmann::json document, const kernel::Redactor&);

/// With a newline at the end. `indent`: -1 for one line.
std::string text_of(const nlohmann::json& document, int indent);

/// A file name of letters, digits, `-` and `_`.
std::string file_name(std::string_view id);

}  // namespace artifacts
