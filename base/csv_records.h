#pragma once
// Reads CSV records one after the other, as RFC 4180 or with another separator. Borrows the text.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernel {

/// Longer lines of data count as malformed; readers still get their beginning.
inline constexpr std::size_t longest_line = 64 * 1024;

class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text, char separator = ',');

  /// Returns false at the end. Empty lines are skipped.
  bool next();
  /// Whether the record is well formed: quotes only around whole fields, every quote closed, at most `longest_line`
  /// bytes.
  bool sound() const { return sound_; }
  const std::vector<std::string>& fields() const { return fields_; }
  /// The line on which the record begins, from 1.
  std::size_t line() const { return line_; }

 private:
  void read();
  void keep(char c) {
    if (sound_) fields_.back() += c;
  }

  std::string_view text_;
  const char separator_;
  std::vector<std::string> fields_;
  bool sound_ = true;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

}  // namespace kernel
