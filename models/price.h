#pragma once
// Costs of calls, by the prices of the configuration. Pure; any thread.

#include <cstdint>
#include <optional>

#include "models/message.h"

namespace models {

/// US dollars per million tokens.
struct Price {
  double input = 0, output = 0;
  std::optional<double> cache_read{}, cache_written{};  ///< If none, the price of `input`.
};

/// In US dollars.
double cost(const Price&, const Usage&);

/// The most tokens that a request may take, reserved before it is sent: the text at two bytes per token, `image_tokens`
/// per picture, and the longest answer.
inline constexpr std::int64_t image_tokens = 1600;
Usage set_aside(const Request&);

}  // namespace models
