#pragma once
// Prompts are files (agents/prompts/NAME.md) with places for values, `{{name}}`. Strict: a place without a value, or a
// value without a place, is a mistake of ours and throws std::logic_error.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace agents {

std::string prompt(std::string_view name, const std::map<std::string, std::string>& values);

/// A prompt without places, in which `{{` stands for itself.
std::string plain_prompt(std::string_view name);

/// The same for any text.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

/// A stranger's text for a model to read, never to obey: at most so many bytes of valid UTF-8, between marks that it
/// cannot write itself, under a label of ours.
std::string quoted(std::string_view label, std::string_view text, std::size_t most_bytes);

/// The same of its end.
std::string quoted_tail(std::string_view label, std::string_view text, std::size_t most_bytes);

}  // namespace agents
