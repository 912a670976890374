#include "base/redact.h"

#include <algorithm>
#include <optional>

#include "base/secret_patterns.h"

namespace kernel {

namespace {

/// Servers without keys accept any word as their key.
bool is_key(const std::string& value) {
  constexpr std::size_t least = 8, surely = 16;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto letter = [&](char c) { return is_word(c) && !digit(c) && c != '_' && c != '-'; };
  const bool mixed = std::any_of(value.begin(), value.end(), letter) && std::any_of(value.begin(), value.end(), digit);
  return value.size() >= surely || (value.size() >= least && mixed);
}

std::string mark(std::string_view label) {
  return "[redacted: " + std::string(label) + "]";
}

std::string without(const std::vector<Secret>& secrets, std::string text) {
  for (const Secret& secret : secrets) {
    std::size_t at = text.find(secret.value);
    if (at == text.npos) continue;
    std::string out;
    std::size_t from = 0;
    for (; at != text.npos; at = text.find(secret.value, from)) {
      out.append(text, from, at - from);
      out += mark(secret.label);
      from = at + secret.value.size();
    }
    out.append(text, from);
    text = std::move(out);
  }
  return text;
}

}  // namespace

Redactor::Redactor(std::vector<Secret> secrets) {
  for (Secret& secret : secrets)
    if (is_key(secret.value)) secrets_.push_back(std::move(secret));
  std::stable_sort(secrets_.begin(), secrets_.end(),
                   [](const Secret& a, const Secret& b) { return a.value.size() > b.value.size(); });
}

std::string Redactor::operator()(std::string_view given) const {
  const std::string text = without(secrets_, std::string(given));
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    // A line break that was written as \n, as in JSON.
    if (at > 0 && text[at - 1] == '\\' && (text[at] == 'n' || text[at] == 'r' || text[at] == 't')) ++at;
    if (const std::optional<SecretShape> found = secret_at(text, at, end)) {
      out.append(text, from, found->begin - from);
      out += mark(found->label);
      from = end = found->end;
    }
    at = std::max(end, at + 1);
  }
  out.append(text, from);
  return out;
}

std::string RedactedStream::feed(std::string_view piece) {
  held_ += piece;
  const std::size_t cut = safe();
  std::string shown = redactor_(std::string_view(held_).substr(0, cut));
  held_.erase(0, cut);
  return shown;
}

std::string RedactedStream::end() {
  std::string shown = redactor_(held_);
  held_.clear();
  return shown;
}

/// The end of the part that no further piece can change.
std::size_t RedactedStream::safe() const {
  std::size_t cut = open_secret(held_);
  for (const Secret& secret : redactor_.secrets()) {
    const std::size_t most = std::min(secret.value.size() - 1, held_.size());
    for (std::size_t length = most; length > 0 && held_.size() - length < cut; --length)
      if (held_.compare(held_.size() - length, length, secret.value, 0, length) == 0) cut = held_.size() - length;
  }
  return cut;
}

}  // namespace kernel
