#include "base/json_scan.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/utf8.h"

namespace kernel {

namespace {

constexpr int deepest = 200;

bool digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

void JsonScan::space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
    ++at_;
  }
}

bool JsonScan::take(char c) {
  if (failed_ || at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonScan::take_word(std::string_view word) {
  if (failed_ || text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

JsonScan::Kind JsonScan::peek() {
  space();
  if (failed_ || at_ >= text_.size()) return Kind::nothing;
  const char c = text_[at_];
  if (c == '"') return Kind::string;
  if (digit(c) || c == '-' || c == 'N' || c == 'I') return Kind::number;
  if (c == '{') return Kind::object;
  if (c == '[') return Kind::array;
  if (c == 't' || c == 'f') return Kind::boolean;
  return c == 'n' ? Kind::null : Kind::nothing;
}

void JsonScan::enter() {
  space();
  if (!take('{') && !take('[')) failed_ = true;
  fresh_ = true;
}

/// Takes the end of the object or array, or the comma before what follows; false at the end.
bool JsonScan::next(char close) {
  space();
  const bool closed = take(close);
  if (!closed && !fresh_ && !take(',')) failed_ = true;
  fresh_ = false;
  return !closed;
}

bool JsonScan::next_key(std::string& key) {
  if (!next('}')) return false;
  space();
  key.clear();
  if (!failed_) read_string(&key);
  space();
  if (!take(':')) failed_ = true;
  return !failed_;
}

bool JsonScan::next_element() {
  return next(']') && !failed_;
}

std::string_view JsonScan::number_text() {
  space();
  if (failed_) return {};
  const std::size_t begin = at_;
  take('-');
  if (take_word("Infinity") || (at_ == begin && take_word("NaN"))) return text_.substr(begin, at_ - begin);
  const auto digits = [this] {
    const std::size_t first = at_;
    while (at_ < text_.size() && digit(text_[at_])) ++at_;
    return at_ > first;
  };
  if (!take('0') && !digits()) failed_ = true;
  if (take('.') && !digits()) failed_ = true;
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!digits()) failed_ = true;
  }
  return failed_ ? std::string_view() : text_.substr(begin, at_ - begin);
}

double JsonScan::number() {
  const std::string_view token = number_text();
  if (failed_) return 0;
  if (token == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (token.ends_with('y')) {
    const double infinity = std::numeric_limits<double>::infinity();
    return token.front() == '-' ? -infinity : infinity;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(token).c_str(), nullptr);
  return value;
}

std::optional<std::int64_t> JsonScan::integer() {
  const std::size_t begin = (space(), at_);
  const std::string_view token = number_text();
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), whole);
  if (failed_ || (error == std::errc() && end == token.data() + token.size())) {
    return failed_ ? std::nullopt : std::optional(whole);
  }
  at_ = begin;
  const double value = number();
  if (std::abs(value) > 9e15 || std::floor(value) != value) return std::nullopt;  // NaN is unequal to its floor
  return static_cast<std::int64_t>(value);
}

std::string JsonScan::string() {
  space();
  std::string out;
  if (!failed_) read_string(&out);
  return out;
}

void JsonScan::read_string(std::string* out) {
  if (!take('"')) {
    failed_ = true;
    return;
  }
  while (at_ < text_.size()) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20)
      ++at_;
    if (out) out->append(text_, begin, at_ - begin);
    if (take('"')) return;
    if (!take('\\') || !read_escape(out)) break;
  }
  failed_ = true;
}

std::optional<unsigned> JsonScan::four_hex() {
  unsigned code = 0;
  const std::string_view four = text_.substr(at_, 4);
  const auto [end, error] = std::from_chars(four.data(), four.data() + four.size(), code, 16);
  if (four.size() < 4 || error != std::errc() || end != four.data() + 4) return std::nullopt;
  at_ += 4;
  return code;
}

bool JsonScan::read_escape(std::string* out) {
  if (at_ >= text_.size()) return false;
  static constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  const char c = text_[at_++];
  if (const auto i = letters.find(c); i != letters.npos) {
    if (out) *out += meant[i];
    return true;
  }
  if (c != 'u') return false;
  auto code = four_hex();
  if (!code) return false;
  if (*code >= 0xD800 && *code <= 0xDFFF) {
    const std::size_t here = at_;
    std::optional<unsigned> low;
    if (*code < 0xDC00 && take_word("\\u")) low = four_hex();
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    } else {
      at_ = here;
      code = 0xFFFD;  // Python escapes lone surrogates; UTF-8 has no bytes for them
    }
  }
  if (out) append_utf8(*out, *code);
  return true;
}

bool JsonScan::boolean() {
  space();
  if (take_word("true")) return true;
  if (!take_word("false")) failed_ = true;
  return false;
}

void JsonScan::skip() {
  int depth = 0;
  std::string closers;  // a closer per open bracket
  do {
    switch (peek()) {
      case Kind::string:
        read_string(nullptr);
        break;
      case Kind::number:
        number_text();
        break;
      case Kind::boolean:
        boolean();
        break;
      case Kind::null:
        if (!take_word("null")) failed_ = true;
        break;
      case Kind::nothing:
        failed_ = true;
        break;
      case Kind::object:
      case Kind::array:
        if (++depth > deepest) failed_ = true;
        closers += text_[at_] == '{' ? '}' : ']';
        enter();
        break;
    }
    // Close what ends here; stop where the next value begins.
    std::string key;
    while (!failed_ && depth > 0) {
      if (closers.back() == '}' ? next_key(key) : next_element()) break;
      closers.pop_back();
      --depth;
    }
  } while (!failed_ && depth > 0);
}

bool JsonScan::at_end() {
  space();
  return at_ == text_.size();
}

}  // namespace kernel
