#pragma once
// Lines of key=value, the form of a run folder's small files.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace executors {

class KeyLines {
 public:
  /// Whole lines only; what has no `=` is skipped, and the first of a key counts.
  explicit KeyLines(std::string_view text);

  bool has(const std::string& key) const { return lines_.contains(key); }
  std::string text(const std::string& key) const;     ///< Empty: there is none.
  std::int64_t number(const std::string& key) const;  ///< 0: there is none.
  std::optional<std::int64_t> known_number(const std::string& key) const;
  /// Those whose key begins so, without that beginning.
  std::map<std::string, std::string> family(std::string_view beginning) const;

 private:
  std::map<std::string, std::string> lines_;
};

}  // namespace executors
