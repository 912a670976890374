#include "kernel/wording/wording.h"

#include <array>

#include <fmt/format.h>

#include "prose/numbers.h"

namespace kernel {

namespace {

using Wordings = std::array<std::string_view, wording_version>;

constexpr auto templates = std::to_array<Wordings>({
    {"{text}"},
#define ETUDE_REASON(Code, ...) {__VA_ARGS__},
#include "kernel/domain/reasons.def"
});

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string number(double value, std::string_view how) {
  constexpr std::string_view percent = "percent ";
  if (how == "share") return prose::share_text(value);
  if (how.starts_with(percent)) return number(100 * value, how.substr(percent.size()));
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", how)), value);
}

/// Formats one value as its place in the sentence specifies; docs/events.md describes the formats.
struct Worded {
  std::string_view how;
  int version;

  std::string operator()(std::int64_t value) const {
    constexpr std::string_view counted = "counted ";
    if (how.starts_with(counted)) return prose::counted(value, std::string(how.substr(counted.size())));
    if (const std::size_t slash = how.find('/'); slash != how.npos)
      return std::string(value == 1 ? how.substr(0, slash) : how.substr(slash + 1));
    return std::to_string(value);
  }
  std::string operator()(double value) const { return number(value, how); }
  std::string operator()(const std::string& text) const { return how == "capital" ? capitalised(text) : text; }
  std::string operator()(const std::vector<Reason>& reasons) const {
    std::string all;
    for (const Reason& reason : reasons) all += sentence(reason, version);
    return (*this)(all);
  }
};

}  // namespace

std::string sentence(const Reason& reason, int version) {
  if (reason.code == ReasonCode::words) return reason.text;
  const Wordings& wordings = templates[static_cast<std::size_t>(reason.code)];
  // An empty wording means that this version keeps the sentence of the version before.
  auto newest = static_cast<std::size_t>(version - 1);
  while (newest > 0 && wordings.at(newest).empty()) --newest;
  std::string text;
  for (std::string_view rest = wordings.at(newest); !rest.empty();) {
    const std::size_t open = rest.find('{');
    text += rest.substr(0, open);
    if (open == rest.npos) break;
    const std::size_t close = rest.find('}', open);
    const std::string_view place = rest.substr(open + 1, close - open - 1);
    const std::size_t colon = place.find(':');
    const std::string_view how = colon == place.npos ? "" : place.substr(colon + 1);
    if (const auto value = reason.values.find(std::string(place.substr(0, colon))); value != reason.values.end())
      text += std::visit(Worded{how, version}, value->second);
    rest.remove_prefix(close + 1);
  }
  return text;
}

}  // namespace kernel
