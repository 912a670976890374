#pragma once
// A shell command's words with their positions, so that one can be replaced and the rest kept byte for byte. Follows
// quotes and escapes, marks words that the shell would expand, and stops at other constructs. Runs nothing.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ShellWord {
  std::size_t begin = 0, end = 0;  ///< In the command's bytes, with quotes.
  std::string text;                ///< What the program receives, if `plain`.
  bool plain = true;               ///< The shell expands nothing in it: no `$`, backquote, `*`, `?`, `[`, leading `~`.
};

struct ShellWords {
  std::vector<ShellWord> words;
  bool simple = true;  ///< One command: no `;`, `|`, `&`, `<`, `>`, parentheses or newline, and followed to its end.
};

ShellWords shell_words(std::string_view command);

}  // namespace cli
