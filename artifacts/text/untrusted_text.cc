#include "artifacts/text/untrusted_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace artifacts {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/// Characters that reorder or hide what a terminal shows.
bool is_deceptive(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF ||
         c == 0x2028 || c == 0x2029;
}

}  // namespace

CleanText clean(std::string_view bytes) {
  CleanText result;
  result.text.reserve(bytes.size());
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  int line = 1;
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t plain = i;
    while (plain < bytes.size() && bytes[plain] >= ' ' && bytes[plain] <= '~') ++plain;
    result.text.append(bytes, i, plain - i);
    if ((i = plain) == bytes.size()) break;
    const char c = bytes[i];
    if (c == '\n' || c == '\r') {
      i += c == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n' ? 2 : 1;
      result.text += '\n';
      ++line;
      continue;
    }
    const kernel::Utf8Character d = kernel::utf8_at(bytes, i);
    if (d.length == 0) {
      if (result.invalid_line == 0) result.invalid_line = line;
      result.text += replacement;
      ++i;
    } else if (is_control(d.code) && c != '\t') {
      if (result.control_line == 0) result.control_line = line;
      result.text += replacement;
      i += d.length;
    } else {
      result.text.append(bytes, i, d.length);
      i += d.length;
    }
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const kernel::Utf8Character d = kernel::utf8_at(text, i);
    if (d.length == 0)
      result += replacement;
    else if (d.code == '\n' || d.code == '\t')
      result += ' ';
    else if (is_control(d.code))
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(d.code));
    else if (is_deceptive(d.code))
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(d.code));
    else
      result.append(text, i, d.length);
    i += std::max<std::size_t>(d.length, 1);
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  return std::string(kernel::utf8_prefix(text, limit)) + "…";
}

std::pair<std::string, std::string> differing(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const auto inside = [](std::string_view text, std::size_t at) {
    return at > 0 && at < text.size() && !kernel::begins_utf8(text[at]);
  };
  const std::size_t around = limit / 4;
  std::size_t start = std::max(a.size(), b.size()) > limit && head > around ? head - around : 0;
  while (inside(a, start)) --start;
  const auto part = [&](std::string_view text) {
    // Show the difference first, then as much of the common end as fits.
    std::size_t end = std::min(text.size(), start + limit);
    if (start > 0 || text.size() > limit) end = std::min(end, text.size() - tail + around);
    while (inside(text, end)) --end;
    return (start > 0 ? "…" : "") + std::string(text.substr(start, end - start)) + (end < text.size() ? "…" : "");
  };
  return {part(a), part(b)};
}

std::string quote(std::string_view text) {
  return fmt::format("'{}'", shortened(text, 60));
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool begins_with_one_of(std::span<const std::string_view> starts, std::string_view text) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_alnum(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool same_word(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = 3;
  if (word.size() < 3 || word.size() > 40) return best;
  for (const std::string_view candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t substitution = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace artifacts
