#include "kernel/domain/reason.h"

#include <array>
#include <utility>

namespace kernel {

Reason as_said(std::string text) {
  return {ReasonCode::words, {}, std::move(text)};
}

std::string_view name(ReasonCode code) {
  static constexpr auto names = std::to_array<std::string_view>({
      "words",
#define ETUDE_REASON(Code, ...) #Code,
#include "kernel/domain/reasons.def"
  });
  return names[static_cast<std::size_t>(code)];
}

}  // namespace kernel
