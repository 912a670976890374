#include "kernel/domain/reason.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kernel {

const ReasonValue* Reason::value(std::string_view name) const {
  const auto at = std::find_if(values.begin(), values.end(), [&](const ReasonValue& v) { return v.name == name; });
  return at == values.end() ? nullptr : &*at;
}

bool operator==(const Reason& a, const Reason& b) {
  const auto same = [](const ReasonValue& x, const ReasonValue& y) { return x.name == y.name && x.value == y.value; };
  return a.code == b.code && a.text == b.text &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same);
}

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
