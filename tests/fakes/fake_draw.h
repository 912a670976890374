#pragma once
// Random bits that are the same in every run of a test.

#include <cstdint>
#include <string>

#include "base/digest.h"
#include "kernel/domain/identifiers.h"

namespace fakes {

inline kernel::Draw draw(std::int64_t number) {
  return kernel::Draw(kernel::sha256_hex("draw " + std::to_string(number)).substr(0, 32));
}

}  // namespace fakes
