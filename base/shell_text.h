#pragma once
// Follows the quoting of a POSIX shell command, character by character, as far as that is certain: bare words, quotes,
// escapes, comments and `${NAME}`. Behind anything else (command substitution, here-documents, arithmetic) it says so
// instead of guessing.

#include <string>
#include <string_view>

namespace kernel {

class ShellText {
 public:
  enum class Quoting { bare, single_quoted, double_quoted, comment };

  /// The next character of the command's own text.
  void take(char c);
  /// A substituted value stands here.
  void take_value();

  Quoting quoting() const { return quoting_; }
  /// False behind a construct that is not followed, and inside comments and `${…}`: only plain values are safe there.
  bool certain() const { return !lost_ && !in_braces_ && quoting_ != Quoting::comment; }
  /// A backslash stands right before this place and would swallow what comes.
  bool escape_pending() const { return escaped_; }
  /// An active `$` stands right before this place.
  bool dollar_pending() const { return previous_ == '$' && quoting_ != Quoting::single_quoted; }

  /// A `$NAME` ends right before this place and would take a value's letters for its own.
  bool name_pending() const { return in_name_ && quoting_ != Quoting::single_quoted; }

  /// `value` as part of one word at this place. Precondition: `certain()` and nothing is pending.
  std::string quoted(std::string_view value) const;

 private:
  void take_bare(char c);
  void take_double_quoted(char c);
  void take_in_braces(char c);

  Quoting quoting_ = Quoting::bare;
  bool escaped_ = false;
  bool word_start_ = true;
  bool in_braces_ = false;
  bool in_name_ = false;
  bool lost_ = false;
  char previous_ = '\0';  ///< The last active character; '\0' after quoted, escaped or substituted ones.
};

}  // namespace kernel
