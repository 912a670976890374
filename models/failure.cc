#include "models/failure.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <curl/curl.h>

#include "base/utf8.h"

namespace models {

bool may_pass(const Failure& failure) {
  using Kind = Failure::Kind;
  return failure.kind == Kind::unreachable || failure.kind == Kind::timed_out || failure.kind == Kind::busy ||
         failure.kind == Kind::server || failure.kind == Kind::cut_off || failure.kind == Kind::garbled;
}

std::string_view name(Failure::Kind kind) {
  static constexpr std::string_view names[] = {"unreachable",   "timed out", "busy",         "server error", "cut off",
                                               "garbled",       "too large", "unauthorised", "refused",      "too long",
                                               "no such model", "not paid",  "withheld",     "cancelled"};
  return names[static_cast<std::size_t>(kind)];
}

std::string one_line_of(std::string_view text) {
  constexpr std::size_t most = 600;
  std::string line;
  for (std::size_t at = 0; at < text.size() && line.size() < most;) {
    const std::size_t length = kernel::utf8_at(text, at).length;
    if (length == 0) {
      line += '?';
    } else if (length > 1) {
      line += text.substr(at, length);
    } else {
      const char c = text[at];
      const bool space = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
      if (!space || (!line.empty() && line.back() != ' ')) line += space ? ' ' : c;
    }
    at += std::max<std::size_t>(length, 1);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::optional<double> wait_before_retry(const Failure& failure, int attempt, int most_attempts, double chance,
                                        double longest_s) {
  if (!may_pass(failure) || attempt >= most_attempts) return std::nullopt;
  const double asked = failure.retry_after_s.value_or(0);
  if (asked > longest_s) return std::nullopt;
  const double full = std::min(60.0, 0.5 * std::pow(2.0, std::clamp(attempt - 1, 0, 30)));
  return std::max(asked, full * (0.5 + 0.5 * chance));
}

std::optional<double> retry_after_s(std::string_view header, double now_s) {
  while (!header.empty() && header.front() == ' ') header.remove_prefix(1);
  while (!header.empty() && (header.back() == ' ' || header.back() == '\r' || header.back() == '\n'))
    header.remove_suffix(1);
  double seconds = 0;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (error == std::errc() && end == header.data() + header.size() && std::isfinite(seconds) && seconds >= 0)
    return seconds;
  const time_t date = curl_getdate(std::string(header).c_str(), nullptr);
  if (header.empty() || date < 0) return std::nullopt;
  return std::max(0.0, static_cast<double>(date) - now_s);
}

}  // namespace models
