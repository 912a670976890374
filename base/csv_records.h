#pragma once
// One record after the other from the front of a text as RFC 4180 has it, or with another separator. Borrows the text.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernel {

/// Lines of data that are longer count as malformed; what reads them still sees their beginning.
inline constexpr std::size_t longest_line = 64 * 1024;

class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text, char separator = ',');

  /// False at the end. A record of nothing but a line's end is left out.
  bool next();
  /// No text around quotes or quotes within text, every quote closed, and no longer than `longest_line`.
  bool sound() const { return sound_; }
  const std::vector<std::string>& fields() const { return fields_; }

 private:
  void read();
  void keep(char c) {
    if (sound_) fields_.back() += c;
  }

  std::string_view text_;
  const char separator_;
  std::vector<std::string> fields_;
  bool sound_ = true;
};

}  // namespace kernel
