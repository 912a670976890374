#pragma once
// Replies as servers give them, made fit to be recorded and to be said back. Pure.

#include "models/message.h"

namespace agents {

/// One id for each call, and a short one, whatever the server gave.
void name_calls_apart(models::Reply&);

/// A call as it may be said back to any server: some refuse arguments that are no object, and odd names, for good.
models::ToolCall as_servers_take_it(models::ToolCall);

}  // namespace agents
