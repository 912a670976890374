#include "apps/cli/draft/word_places.h"

namespace cli {

namespace {

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view command) : command_(command) {}

  ShellWords read() {
    while (at_ < command_.size()) {
      const char c = command_[at_];
      if (is_one_of(c, " \t")) {
        ++at_;
      } else if (is_one_of(c, ";|&<>()\n")) {
        found_.simple = false;
        ++at_;
      } else if (c == '#') {
        found_.simple = false;
        at_ = std::min(command_.find('\n', at_), command_.size());
      } else if (!word()) {
        found_.simple = false;
        break;
      }
    }
    return std::move(found_);
  }

 private:
  /// Returns false if the command cannot be followed further.
  bool word() {
    ShellWord word;
    word.begin = at_;
    word.plain = command_[at_] != '~';
    while (at_ < command_.size() && !is_one_of(command_[at_], " \t\n;|&<>()")) {
      const char c = command_[at_];
      if (c == '`' || (c == '$' && at_ + 1 < command_.size() && command_[at_ + 1] == '(')) return false;
      if (c == '\'' || c == '"') {
        if (!quoted(c, word)) return false;
        continue;
      }
      if (c == '\\') {
        if (++at_ == command_.size()) return false;
        word.text += command_[at_++];
        continue;
      }
      if (is_one_of(c, "$*?[")) word.plain = false;
      word.text += c;
      ++at_;
    }
    word.end = at_;
    found_.words.push_back(std::move(word));
    return true;
  }

  bool quoted(char quote, ShellWord& word) {
    for (++at_; at_ < command_.size(); ++at_) {
      const char c = command_[at_];
      if (c == quote) {
        ++at_;
        return true;
      }
      if (quote == '"' && (c == '$' || c == '`')) word.plain = false;
      if (quote == '"' && c == '\\' && at_ + 1 < command_.size() && is_one_of(command_[at_ + 1], "\\\"$`")) ++at_;
      word.text += command_[at_];
    }
    return false;
  }

  std::string_view command_;
  std::size_t at_ = 0;
  ShellWords found_;
};

}  // namespace

ShellWords shell_words(std::string_view command) {
  return Reader(command).read();
}

}  // namespace cli
