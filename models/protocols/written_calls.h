#pragma once
// What small models and servers without a parser write into their text: thinking between tags, and tool calls. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "models/message.h"

namespace models {

/// Moves `<think>…</think>` at the beginning of the text to `Reply::thoughts`. Without an end, all of it is thinking.
void take_thinking(Reply&);

/// Makes calls of what is written as a call of one of the request's tools: `<tool_call>{…}</tool_call>` (Hermes, Qwen)
/// at the end of the text, `[TOOL_CALLS][…]` (Mistral), or a text that is one JSON object with `name` and `arguments`
/// or `parameters` (Llama). Only in a reply without calls, and not where the model repeats a call that it was
/// shown, compared as JSON: a call in a file that it read must not be made.
void take_written_calls(Reply&, const Request&);

/// Whether a text without readable calls looks as if one was meant.
bool looks_like_a_call(std::string_view text, const std::vector<Tool>&);

}  // namespace models
