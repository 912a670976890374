#pragma once
// Reads the prices of a model from the configuration. Records problems in the values that it is given.

#include <optional>

#include "models/message.h"

namespace studyfile {
class Value;
}

namespace config {

/// `{input: 3, output: 15, cache_read: 0.3, above: [{tokens: 200000, input: 6, output: 22.5}], batch: 0.5}`, in US
/// dollars per million tokens; `batch` is a share of them. None if it is no mapping.
std::optional<models::Price> read_prices(const studyfile::Value&);

}  // namespace config
