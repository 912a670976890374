#pragma once
// Requests and replies as the journal keeps them: JSON of our own, whatever protocol carries them, so that a line of
// work is taken up again from its last one. Pure.

#include <string>
#include <string_view>

#include "kernel/result.h"
#include "models/message.h"

namespace agents {

/// A request with what else its line of work has to remember.
struct Remembered {
  models::Request request;
  int heard = 0;  ///< How much of what people said is in it.
};

std::string to_journal(const Remembered&);
std::string to_journal(const models::Reply&);
kernel::Result<Remembered> request_from_journal(std::string_view text);
kernel::Result<models::Reply> reply_from_journal(std::string_view text);

}  // namespace agents
