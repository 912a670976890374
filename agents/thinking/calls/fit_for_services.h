#pragma once
// Makes replies fit to be sent back, with names and ids that every server takes. Pure.

#include "models/message.h"

namespace agents {

/// Gives each call a short and unique id.
void name_calls_apart(models::Reply&);

/// A call that any server accepts when it is sent back: some refuse arguments that are no object, and unusual names.
models::ToolCall as_servers_take_it(models::ToolCall);

}  // namespace agents
