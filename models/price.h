#pragma once
// What calls cost, by the prices that the configuration states: nobody else knows them. Pure; any thread.

#include <cstdint>
#include <optional>

#include "models/message.h"

namespace models {

/// US dollars per million tokens.
struct Price {
  double input = 0, output = 0;
  std::optional<double> cache_read{}, cache_written{};  ///< None: as `input`.
};

/// US dollars.
double cost(const Price&, const Usage&);

/// Tokens that a request takes at most, to be set aside before it is sent: a token has a byte at least, of text that
/// people and programs write about three; a picture counts `image_tokens`; and all that the model may answer.
inline constexpr std::int64_t image_tokens = 1600;
Usage set_aside(const Request&);

}  // namespace models
