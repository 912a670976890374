#pragma once
// Which paths a .gitignore leaves out, as gitignore(5) says: nested files, negation, anchoring, `**`, folders only.
// Pure; knows nothing of disks or of git's index.

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace memory {

/// A glob with git's rules for `/`: linear in the text for any pattern. Works on bytes.
class Glob {
 public:
  explicit Glob(std::string_view pattern);
  bool matches(std::string_view text) const;

 private:
  enum class Kind { byte, set, star, deep, folders, never };
  struct Token {
    Kind kind = Kind::byte;
    char byte = 0;
    std::size_t set = 0;  ///< Index into `sets_`.
  };
  using Set = std::bitset<256>;

  std::size_t read_set(std::string_view pattern, std::size_t at);

  std::vector<Token> tokens_;
  std::vector<Set> sets_;
  std::string literal_;  ///< The text itself, if the pattern has no special characters.
  bool plain_ = true;
};

/// Rules in order of reading; the last one that matches decides.
class IgnoreRules {
 public:
  /// Adds the lines of an ignore file in `folder`: "" for the root, else "a/b".
  void add(std::string_view text, std::string_view folder);

  enum class Answer { none, ignored, kept };
  /// `path` is "a/b/c", seen from the root. Precondition: none of its folders is ignored, because nothing below an
  /// ignored folder can be kept.
  Answer ask(std::string_view path, bool is_folder) const;
  /// Whether the file, or a folder that it is in, is ignored.
  bool covers(std::string_view path) const;

  /// For walks: the number of rules, and a return to that number when a folder is left.
  std::size_t size() const { return rules_.size(); }
  void shrink(std::size_t size) { rules_.erase(rules_.begin() + static_cast<std::ptrdiff_t>(size), rules_.end()); }

 private:
  struct Rule {
    Glob glob;
    std::string folder;  ///< "" or "a/b/"
    bool keeps = false;  ///< `!pattern`
    bool folders_only = false;
    bool by_name = false;  ///< The pattern has no slash, so it is matched against the last name only.
  };
  std::vector<Rule> rules_;
};

}  // namespace memory
