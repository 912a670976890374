#include "studyfile/yaml/scalars.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/utf8.h"
#include "prose/characters.h"
#include "prose/nearest.h"

namespace studyfile {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

/// The number at the front, and what follows it in `unit`; empty if there is none.
std::optional<double> number_before(std::string_view text, std::string_view& unit) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  unit = text.substr(end);
  return as_number(text.substr(0, end));
}

}  // namespace

bool is_integer(std::string_view text) {
  text = without_sign(text);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool looks_numeric(std::string_view text) {
  text = without_sign(text);
  std::size_t i = 0, digits = 0;
  const auto skip_digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - start;
  };
  digits = skip_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (skip_digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<double> as_number(std::string_view text) {
  if (!looks_numeric(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> as_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

std::optional<double> duration_s(std::string_view text) {
  std::string_view unit;
  const std::optional<double> number = number_before(text, unit);
  if (!number) return std::nullopt;
  double seconds = 0;
  if (unit == "ms")
    seconds = *number / 1000;
  else if (unit == "s")
    seconds = *number;
  else if (unit == "m")
    seconds = *number * 60;
  else if (unit == "h")
    seconds = *number * 3600;
  else
    return std::nullopt;
  constexpr double ten_years = 10 * 366 * 86400.0;
  return seconds <= ten_years ? std::optional(seconds) : std::nullopt;
}

std::optional<std::int64_t> size_bytes(std::string_view text) {
  std::string_view unit;
  const std::optional<double> number = number_before(text, unit);
  if (!number || unit.size() != 1) return std::nullopt;
  const std::size_t power = std::string_view("KMGT").find(unit[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const double bytes = std::floor(std::ldexp(*number, static_cast<int>(power + 1) * 10));
  return bytes <= std::ldexp(1.0, 60) ? std::optional(static_cast<std::int64_t>(bytes)) : std::nullopt;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool stays_inside(std::string_view path) {
  const std::filesystem::path given(path);
  return given.is_relative() && std::ranges::none_of(given, [](const auto& part) { return part == ".."; });
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string out(kernel::utf8_prefix(text, most));
  const bool whole = out.size() == text.size();
  for (char& c : out)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return whole ? out : out + "…";
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == 12 && names.size() > 13) return out + ", … (" + std::to_string(names.size()) + " in all)";
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += "`" + shown(names[i]) + "`";
  }
  return out;
}

std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& known) {
  if (text.size() > 64) return std::nullopt;
  const std::string wanted = prose::lowered(std::string(text));
  for (const std::string& candidate : known) {
    const std::size_t shorter = std::min(text.size(), candidate.size());
    if (shorter >= 3 && wanted.substr(0, shorter) == prose::lowered(candidate).substr(0, shorter)) return candidate;
  }
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > 80) continue;
    const std::size_t d = prose::edits(wanted, prose::lowered(candidate));
    if (d < best_distance && d < text.size() && d < candidate.size()) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view text, const std::vector<std::string>& known, std::string_view kind_of) {
  if (const std::optional<std::string> near = nearest(text, known)) return "did you mean `" + *near + "`?";
  if (known.empty()) return "";
  return std::string(kind_of) + " " + listed(known);
}

}  // namespace studyfile
