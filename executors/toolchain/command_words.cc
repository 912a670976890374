#include "executors/toolchain/command_words.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace executors {

namespace {

struct ShellWord {
  std::string text;  ///< Without quotes; for an operator its characters.
  bool is_operator = false;
  bool expands = false;            ///< Contains `$` or a back-quote, so its value is unknown.
  bool quoted = false;             ///< Begins with a quote, so it is no keyword and no assignment.
  std::vector<std::string> inner;  ///< Commands inside `$(…)` and back-quotes.
};

/// Splits a shell command into words and operators, up to a here-document. Expands nothing, and marks words that need
/// it.
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

constexpr int deepest = 4;
/// `{{` and `}}` of the template are literal braces for the shell; these bytes keep them apart from placeholders.
constexpr std::string_view literal_open = "\x01", literal_close = "\x02";
const std::set<std::string_view> builtins = {
    ":",     ".",       "source", "cd",     "echo",    "printf",  "test",   "[",        "[[",       "true",
    "false", "export",  "set",    "unset",  "exit",    "return",  "shift",  "trap",     "wait",     "read",
    "eval",  "type",    "ulimit", "umask",  "local",   "alias",   "break",  "continue", "pwd",      "kill",
    "times", "getopts", "hash",   "jobs",   "fg",      "bg",      "let",    "declare",  "readonly", "unalias",
    "shopt", "pushd",   "popd",   "logout", "builtin", "typeset", "disown", "complete"};
const std::set<std::string_view> prefix_keywords = {"if",    "then",  "else", "elif", "do",
                                                    "while", "until", "!",    "time", literal_open};
const std::set<std::string_view> plain_keywords = {"fi", "done", "esac", "for", "select", "in", literal_close};
const std::set<std::string_view> shells = {"sh", "bash", "dash", "zsh", "ksh"};

/// A program that runs the command after its own options and operands.
struct Wrapper {
  std::string_view name;
  std::set<std::string_view> with_value;  ///< Options whose value is the next word.
  int operands;                           ///< Number of its own words before the command.
};
const Wrapper wrappers[] = {{"env", {"-u", "-C", "--unset", "--chdir"}, 0},
                            {"nice", {"-n"}, 0},
                            {"ionice", {"-c", "-n"}, 0},
                            {"nohup", {}, 0},
                            {"setsid", {}, 0},
                            {"stdbuf", {"-i", "-o", "-e"}, 0},
                            {"time", {"-f", "-o"}, 0},
                            {"timeout", {"-k", "-s"}, 1},
                            {"taskset", {}, 1},
                            {"numactl", {"-C", "-N", "-m", "-i", "-p"}, 0},
                            {"exec", {"-a"}, 0},
                            {"command", {}, 0}};

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 && !(word[0] >= '0' && word[0] <= '9') &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

std::string with_own_braces(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool twice = i + 1 < text.size() && text[i + 1] == text[i];
    if (twice && (text[i] == '{' || text[i] == '}'))
      out += text[i++] == '{' ? literal_open : literal_close;
    else
      out += text[i];
  }
  return out;
}

class Programs {
 public:
  void add_shell(std::string_view command, int depth = 0) {
    const std::vector<ShellWord> words = Splitter(command).split();
    std::size_t at = 0;
    while (at < words.size() && !stopped_) {
      if (words[at].is_operator) {
        // After `<(…)` and redirections a file follows, not a program.
        at += words[at].text.find_first_of("<>") != std::string::npos ? 2 : 1;
        continue;
      }
      std::size_t end = at;
      std::vector<ShellWord> simple;
      while (end < words.size() && !(words[end].is_operator && !redirects(words[end]))) {
        if (redirects(words[end]))
          ++end;
        else
          simple.push_back(words[end]);
        ++end;
      }
      end = std::min(end, words.size());
      if (simple.size() == 1 && end < words.size() && words[end].text == "(")
        functions_.insert(simple[0].text);
      else
        add_simple(simple, depth);
      at = end;
    }
  }

  /// One command without operators.
  void add_simple(const std::vector<ShellWord>& words, int depth) {
    add_program(words, depth);
    for (const ShellWord& word : words)
      for (const std::string& inner : word.inner)
        if (depth < deepest) add_shell(inner, depth + 1);
  }

  std::vector<std::string> found;

 private:
  void add_program(const std::vector<ShellWord>& words, int depth) {
    std::size_t at = 0;
    for (; at < words.size(); ++at) {
      const ShellWord& word = words[at];
      if (word.quoted || !(prefix_keywords.contains(word.text) || is_assignment(word.text))) break;
    }
    if (at == words.size()) return;
    const ShellWord& word = words[at];
    if (word.text == "case" || word.text == "function") stopped_ = true;
    if (stopped_ || plain_keywords.contains(word.text) || word.expands || functions_.contains(word.text)) return;
    const auto wrapper =
        std::find_if(std::begin(wrappers), std::end(wrappers), [&](const Wrapper& w) { return w.name == word.text; });
    if (wrapper != std::end(wrappers)) {
      if (word.text != "exec" && word.text != "command") add(word.text);
      return add_program(behind(words, at + 1, *wrapper), depth);
    }
    if (!builtins.contains(word.text)) add(word.text);
    if (shells.contains(word.text.substr(word.text.find_last_of('/') + 1)) && depth < deepest)
      add_script(words, at + 1, depth);
  }

  static bool redirects(const ShellWord& word) {
    return word.is_operator && word.text.find_first_of("<>") != std::string::npos;
  }

  static std::vector<ShellWord> behind(const std::vector<ShellWord>& words, std::size_t at, const Wrapper& wrapper) {
    int operands = wrapper.operands;
    for (; at < words.size(); ++at) {
      const std::string& text = words[at].text;
      if (wrapper.with_value.contains(text))
        ++at;
      else if (text.starts_with("-") || is_assignment(text))
        continue;
      else if (operands-- <= 0)
        break;
    }
    return {words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())), words.end()};
  }

  /// `sh -c TEXT`, also `bash -lc TEXT`.
  void add_script(const std::vector<ShellWord>& words, std::size_t at, int depth) {
    for (; at + 1 < words.size() && words[at].text.starts_with("-"); ++at)
      if (!words[at].text.starts_with("--") && words[at].text.ends_with("c")) {
        if (!words[at + 1].expands) add_shell(words[at + 1].text, depth + 1);
        return;
      }
  }

  void add(const std::string& word) {
    if (!word.empty() && std::ranges::find(found, word) == found.end()) found.push_back(word);
  }

  std::set<std::string> functions_;
  bool stopped_ = false;
};

}  // namespace

std::vector<std::string> program_words(const kernel::CommandTemplate& command) {
  Programs programs;
  if (command.shell) {
    for (const std::string& text : command.words) programs.add_shell(with_own_braces(text));
  } else {
    std::vector<ShellWord> words;
    for (const std::string& text : command.words) words.push_back({text, false, false, true, {}});
    programs.add_simple(words, 0);
  }
  return std::move(programs.found);
}

}  // namespace executors
