#pragma once
// Replaces keys and passwords in texts that are recorded: known ones, and what looks like one by its maker's prefix and
// enough characters after it. A pattern is used only if no hash, seed, UUID or encoded data has it. Pure, in linear
// time; redacting twice changes nothing.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernel {

/// A value that must not be shown.
struct Secret {
  std::string label;  ///< Such as "anthropic key".
  std::string value;
};

class Redactor {
 public:
  Redactor() = default;
  /// Ignores values that are too plain to be keys (`EMPTY`, `lm-studio`).
  explicit Redactor(std::vector<Secret> secrets);

  /// The text with `[redacted: LABEL]` in place of each key.
  std::string operator()(std::string_view text) const;
  const std::vector<Secret>& secrets() const { return secrets_; }

 private:
  std::vector<Secret> secrets_;  ///< The longest first, because one may contain another.
};

/// Redacts a text that comes in pieces, cut anywhere. It holds back only what may be part of a key.
class RedactedStream {
 public:
  explicit RedactedStream(Redactor redactor) : redactor_(std::move(redactor)) {}
  /// Returns what can be shown by now.
  std::string feed(std::string_view piece);
  /// Returns the rest.
  std::string end();

 private:
  std::size_t safe() const;
  Redactor redactor_;
  std::string held_;
};

}  // namespace kernel
