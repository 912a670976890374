#include "kernel/wording/wording.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "kernel/domain/enum_names.h"
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

std::string size(std::int64_t bytes) {
  constexpr std::array units{"bytes", "KB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1024;
  return number(value, ".3g") + " " + units[unit];
}

/// Formats one value as its place in the sentence specifies; docs/events.md describes the formats.
struct Worded {
  const Reason& reason;
  std::string_view how;
  int wording;

  /// What follows `word` where that begins `how`.
  std::optional<std::string> after(std::string_view word) const {
    return how.starts_with(word) ? std::optional<std::string>(how.substr(word.size())) : std::nullopt;
  }
  std::optional<std::string> one_or_more(bool one) const {
    const std::size_t slash = how.find('/');
    if (slash == how.npos) return std::nullopt;
    return std::string(one ? how.substr(0, slash) : how.substr(slash + 1));
  }

  std::string operator()(std::int64_t value) const {
    if (const auto noun = after("counted ")) return prose::counted(value, *noun);
    if (how == "size") return size(value);
    if (how == "seconds") return number(static_cast<double>(value) / 1000, "g");
    return one_or_more(value == 1).value_or(std::to_string(value));
  }
  std::string operator()(double value) const {
    if (const auto text = one_or_more(value == 1)) return *text;
    const auto other = after("rounded ");
    if (!other) return number(value, how);
    const auto found = reason.values.find(*other);
    const auto* half_width = found == reason.values.end() ? nullptr : std::get_if<double>(&found->second);
    return prose::rounded(value, half_width ? std::optional(*half_width) : std::nullopt);
  }
  std::string operator()(const std::string& text) const {
    if (how == "spaced") return " " + text;
    return how == "capital" ? capitalised(text) : text;
  }
  std::string operator()(const std::vector<Reason>& reasons) const {
    const std::string between = after("joined ").value_or("");
    std::string all;
    for (std::size_t i = 0; i < reasons.size(); ++i) all += (i == 0 ? "" : between) + sentence(reasons[i], wording);
    return (*this)(all);
  }
};

}  // namespace

std::string sentence(const Reason& reason, int wording) {
  if (reason.code == ReasonCode::words) return reason.text;
  if (wording == codes_only) return fmt::format("[{}]", name(reason.code));
  const Wordings& wordings = templates[static_cast<std::size_t>(reason.code)];
  // An empty template means that this wording keeps the sentence of the wording before.
  auto last = static_cast<std::size_t>(wording - 1);
  while (last > 0 && wordings.at(last).empty()) --last;
  std::string text;
  for (std::string_view rest = wordings.at(last); !rest.empty();) {
    const std::size_t open = rest.find('{');
    text += rest.substr(0, open);
    if (open == rest.npos) break;
    const std::size_t close = rest.find('}', open);
    const std::string_view place = rest.substr(open + 1, close - open - 1);
    const std::size_t colon = place.find(':');
    const std::string_view how = colon == place.npos ? "" : place.substr(colon + 1);
    if (const auto value = reason.values.find(std::string(place.substr(0, colon))); value != reason.values.end())
      text += std::visit(Worded{reason, how, wording}, value->second);
    rest.remove_prefix(close + 1);
    const bool ended = text.ends_with('.') || (wording > 5 && text.ends_with('?'));
    if (wording > 1 && ended && rest.starts_with('.')) rest.remove_prefix(1);
  }
  return text;
}

std::vector<std::string> sentences(const std::vector<Reason>& reasons, int wording) {
  std::vector<std::string> all;
  for (const Reason& reason : reasons) all.push_back(sentence(reason, wording));
  return all;
}

std::string newest_words(const Reason& reason) {
  return sentence(reason, wording_version);
}

std::vector<std::string> newest_words(const std::vector<Reason>& reasons) {
  return sentences(reasons, wording_version);
}

void state_text(Node& node, const std::string& field, Reason reason) {
  (field == "title" ? node.title : node.fields[field]) = newest_words(reason);
  // In the log, another party's words are a text like any other, so that a replay would not find them here.
  if (reason.code == ReasonCode::words)
    node.stated.erase(field);
  else
    node.stated[field] = std::move(reason);
}

void put_in_words(Node& node, int wording) {
  for (const auto& [field, reason] : node.stated)
    (field == "title" ? node.title : node.fields[field]) = sentence(reason, wording);
}

}  // namespace kernel
