#pragma once
// Reads the prices of a model from the configuration, and finds those of GPUs. Records problems in the values that it
// is given.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "models/message.h"

namespace studyfile {
class Value;
}

namespace config {

/// `{input: 3, output: 15, cache_read: 0.3, above: [{tokens: 200000, input: 6, output: 22.5}], batch: 0.5}`, in US
/// dollars per million tokens; `batch` is a share of them. None if it is no mapping.
std::optional<models::Price> read_prices(const studyfile::Value&);

/// The price of an hour of one GPU of this model, such as "NVIDIA H100 80GB HBM3": that of the longest type of `prices`
/// that the name contains, in any case. None if there is none.
std::optional<double> gpu_price(const std::map<std::string, double>& prices, std::string_view model);

}  // namespace config
