#pragma once
// Prompts are files (agents/prompts/NAME.md) with placeholders, `{{name}}`. A placeholder without a value, or a value
// without a placeholder, throws std::logic_error. A role's instructions at the beginning of its turn are its rules, and
// the study as the kernel knows it, so that no turn depends on an earlier one.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "agents/thinking/workspace/branch.h"
#include "kernel/study/state.h"

namespace agents {

std::string prompt(std::string_view name, const std::map<std::string, std::string>& values);

/// A prompt without placeholders; `{{` is taken literally.
std::string plain_prompt(std::string_view name);

/// Fills the placeholders of any text.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

/// Untrusted text for a model, marked as data that it must not obey: at most `most_bytes` of valid UTF-8 under our
/// label, between marks that the text cannot contain.
std::string quoted(std::string_view label, std::string_view text, std::size_t most_bytes);

/// The same, but keeps the end of the text.
std::string quoted_tail(std::string_view label, std::string_view text, std::size_t most_bytes);

/// The system prompt. An engineer's depends on the subject of its line of work.
std::string rules_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&);

/// The first message.
std::string task_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&,
                     const std::vector<Files::Entry>& files, const std::string& more = "");

/// Messages of people to the agents, from the `from`-th on; empty if there are none.
std::string words_of_people(const kernel::Journal&, int from);

}  // namespace agents
