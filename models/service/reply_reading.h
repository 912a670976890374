#pragma once
// What a service does with what a server said, however the request was sent: texts without keys, and the model's
// habits. Thread-safe.

#include <functional>
#include <string>

#include "base/redact.h"
#include "models/failure.h"
#include "models/protocols/exchange.h"
#include "models/service/habit_book.h"

namespace models {

/// Redacts the secrets of the configuration and the model's key.
kernel::Redactor with_key(const kernel::Redactor& configured, const std::string& model, const std::string& key);

/// Redacts what a model or its server said, doubts a usage that the texts contradict, and notes that the model thinks.
void finish_reading(ModelOutcome&, const Endpoint&, const Request&, HabitBook&, const kernel::Redactor&);

/// Whether the failure taught how the request is to be sent instead, which `on_learnt` is told with the server's words.
bool learn_from(const Failure&, const Endpoint&, const Request&, HabitBook&, const kernel::Redactor&,
                const std::function<void(std::string)>& on_learnt);

}  // namespace models
