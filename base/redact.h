#pragma once
// Keys have no business in a record: known ones, and what can hardly be anything else than one, are replaced by what
// they were. Of shapes only those that no hash, seed, UUID or encoded data has. Pure, in linear time; redacting twice
// changes nothing.

#include <string>
#include <string_view>
#include <vector>

namespace kernel {

/// A value that nobody is to see.
struct Secret {
  std::string label;  ///< "anthropic key"
  std::string value;
};

class Redactor {
 public:
  Redactor() = default;
  /// Values that are too plain to be keys (`EMPTY`, `lm-studio`) are left alone.
  explicit Redactor(std::vector<Secret> secrets);

  /// The text with `[redacted: LABEL]` for each key.
  std::string operator()(std::string_view text) const;
  const std::vector<Secret>& secrets() const { return secrets_; }

 private:
  std::vector<Secret> secrets_;  ///< The longest first: one may hold another.
};

/// A text that comes in pieces, cut anywhere: only what may yet turn out to be part of a key is held back.
class RedactedStream {
 public:
  explicit RedactedStream(Redactor redactor) : redactor_(std::move(redactor)) {}
  /// What can be shown by now.
  std::string feed(std::string_view piece);
  /// The rest.
  std::string end();

 private:
  std::size_t safe() const;
  Redactor redactor_;
  std::string held_;
};

}  // namespace kernel
