#pragma once
// Parts of an assistant's turn that a model wants back as they came, and settings that the protocols share. Include it
// only in the implementation of a protocol.

#include <string>

#include "models/habits.h"
#include "models/protocols/dialect.h"

namespace models {

void add_text_part(Opaque&, const std::string& text);
void add_call_part(Opaque&, std::size_t call, std::string extra = "");
void add_opaque_part(Opaque&, const OrderedJson&);
/// The further members of a call; empty if it has none.
std::string extra_of_call(const Opaque&, std::size_t call);

/// Adds the next piece of a list of reasoning details (OpenRouter): texts of one index and type are joined.
void join_details(OrderedJson& known, const OrderedJson& more);

/// The effort by OpenAI's names, as near to what the server takes as can be; empty if it is not set.
std::string effort_name(Effort, const Habits&);

}  // namespace models
