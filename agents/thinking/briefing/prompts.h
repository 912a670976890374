#pragma once
// Prompts are files (agents/prompts/NAME.md) with placeholders, `{{name}}`. A placeholder without a value, or a value
// without a placeholder, throws std::logic_error. A line that begins with `[name] ` or `[!name] ` stays only if the
// name is given, or not given: so no prompt speaks of a tool that its role is not offered.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace agents {

/// Names of offered tools, and of conditions such as "sealed".
using Given = std::set<std::string>;

std::string prompt(std::string_view name, const std::map<std::string, std::string>& values, const Given& given = {});

/// A prompt without placeholders; `{{` is taken literally.
std::string plain_prompt(std::string_view name, const Given& given = {});

/// Fills the placeholders of any text.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

/// The text without the lines whose mark does not fit, and without the marks of the others.
std::string lines_given(std::string_view text, const Given& given);

/// Untrusted text for a model, marked as data that it must not obey: at most `most_bytes` of valid UTF-8 under our
/// label, between marks that the text cannot contain.
std::string quoted(std::string_view label, std::string_view text, std::size_t most_bytes);

/// The same, but keeps the end of the text.
std::string quoted_tail(std::string_view label, std::string_view text, std::size_t most_bytes);

}  // namespace agents
