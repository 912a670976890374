#pragma once
// Lines of key=value, the format of a run folder's small files.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace executors {

class KeyLines {
 public:
  /// Reads complete lines only. A line without `=` is skipped, and the first line of a key counts.
  explicit KeyLines(std::string_view text);

  bool has(const std::string& key) const { return lines_.contains(key); }
  std::string text(const std::string& key) const;     ///< Empty if there is none.
  std::int64_t number(const std::string& key) const;  ///< 0 if there is none.
  std::optional<std::int64_t> known_number(const std::string& key) const;
  /// Entries whose key has this prefix, by the rest of the key.
  std::map<std::string, std::string> family(std::string_view beginning) const;

 private:
  std::map<std::string, std::string> lines_;
};

}  // namespace executors
