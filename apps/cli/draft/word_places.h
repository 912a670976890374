#pragma once
// A shell command's words with their places, so that one can be replaced and the rest kept byte for byte. Follows
// quotes and escapes; marks words that the shell would expand; stops before what it cannot follow. Runs nothing.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ShellWord {
  std::size_t begin = 0, end = 0;  ///< In the command's bytes, quotes included.
  std::string text;                ///< What the program receives, if `plain`.
  bool plain = true;  ///< Nothing in it that the shell expands: `$`, backquote, `*`, `?`, `[`, leading `~`.
};

struct ShellWords {
  std::vector<ShellWord> words;
  bool simple = true;  ///< One command: no `;`, `|`, `&`, `<`, `>`, parentheses or newline, and followed to its end.
};

ShellWords shell_words(std::string_view command);

}  // namespace cli
