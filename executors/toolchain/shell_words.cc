#include "executors/toolchain/shell_words.h"

namespace executors {
namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<ShellWord> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r')
        end_word(), ++at_;
      else if (c == '#' && !in_word_)
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if ((c == '<' || c == '>') && text_.substr(at_ + 1).starts_with("("))
        in_word_ = true, ++at_, take_expansion('$');
      else if (std::string_view("\n;&|()<>").find(c) != std::string_view::npos) {
        if (!take_operator()) break;
      } else
        take_character(c);
    }
    end_word();
    return std::move(words_);
  }

 private:
  /// False at a here-document.
  bool take_operator() {
    end_word();
    const std::size_t begin = at_;
    const char first = text_[at_++];
    // `&&`, `||`, `;;`, `>>`, `>&`, `<(` and the like; a parenthesis or a new line is an operator by itself.
    if (first != '(' && first != ')' && first != '\n')
      while (at_ < text_.size() && std::string_view("&|;<>").find(text_[at_]) != std::string_view::npos) ++at_;
    ShellWord word;
    word.text = text_.substr(begin, at_ - begin);
    word.is_operator = true;
    if (word.text.starts_with("<<")) return false;
    words_.push_back(std::move(word));
    return true;
  }

  void take_character(char c) {
    in_word_ = true;
    ++at_;
    if (c == '\\') {
      if (at_ < text_.size() && text_[at_++] != '\n') word_.text += text_[at_ - 1];
    } else if (c == '\'') {
      const std::size_t end = std::min(text_.find('\'', at_), text_.size());
      word_.quoted |= word_.text.empty();
      word_.text += text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
    } else if (c == '"') {
      take_double_quoted();
    } else if (c == '$' || c == '`') {
      take_expansion(c);
    } else {
      word_.text += c;
    }
  }

  void take_double_quoted() {
    word_.quoted |= word_.text.empty();
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (c == '\\' && at_ < text_.size())
        word_.text += text_[at_++];
      else if (c == '$' || c == '`')
        take_expansion(c);
      else
        word_.text += c;
    }
    ++at_;
  }

  /// Takes the text after `$`, a back-quote, or the `<` of a process substitution.
  void take_expansion(char c) {
    word_.expands = true;
    if (c == '`') {
      const std::size_t end = std::min(text_.find('`', at_), text_.size());
      word_.inner.emplace_back(text_.substr(at_, end - at_));
      at_ = std::min(end + 1, text_.size());
    } else if (at_ < text_.size() && text_[at_] == '(') {
      const std::size_t begin = ++at_;
      for (int depth = 1; at_ < text_.size() && depth > 0; ++at_)
        depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
      const std::string_view inside = text_.substr(begin, at_ - begin - (at_ > begin ? 1 : 0));
      // `$((` is arithmetic.
      if (!inside.starts_with("(")) word_.inner.emplace_back(inside);
    }
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_ = {};
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  ShellWord word_;
  bool in_word_ = false;
  std::vector<ShellWord> words_;
};

}  // namespace

std::vector<ShellWord> shell_words(std::string_view command) {
  return Splitter(command).split();
}

}  // namespace executors
