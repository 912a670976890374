#pragma once
// Quotes words for a POSIX shell, and follows the quoting of a shell command character by character: bare words,
// quotes, escapes, comments and `${NAME}`. After any other construct (command substitution, here-documents, arithmetic)
// it reports that it is not certain.

#include <string>
#include <string_view>
#include <vector>

namespace kernel {

/// True if the value is not empty and holds only letters, digits and `_./:=,+@%^-`, which need no quoting in a shell.
bool is_plain(std::string_view value);
/// `text` as one word of a command that a person copies: as it is if it is plain, else in single quotes.
std::string shell_word(std::string_view text);
/// The words as one command line.
std::string shell_line(const std::vector<std::string>& words);

class ShellText {
 public:
  enum class Quoting { bare, single_quoted, double_quoted, comment };

  /// Takes the next character of the command's own text.
  void take(char c);
  /// Takes a substituted value, whose characters are quoted.
  void take_value();

  Quoting quoting() const { return quoting_; }
  /// False after a construct that is not followed, and inside comments and `${…}`, where no value can be put safely.
  bool certain() const { return !lost_ && !in_braces_ && quoting_ != Quoting::comment; }
  /// Whether a backslash right before would escape the next character.
  bool escape_pending() const { return escaped_; }
  /// Whether an active `$` is right before.
  bool dollar_pending() const { return previous_ == '$' && quoting_ != Quoting::single_quoted; }

  /// Whether a `$NAME` ends right before, so that letters that follow would change the name.
  bool name_pending() const { return in_name_ && quoting_ != Quoting::single_quoted; }

  /// `value` quoted as part of one word at this position. Precondition: `certain()` and nothing is pending.
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
