#include "kernel/runs/command_line.h"

#include <algorithm>
#include <stdexcept>

#include "base/shell_text.h"
#include "base/utf8.h"

namespace kernel {
namespace {

struct Piece {
  bool placeholder = false;
  std::string text;  ///< The placeholder's name, or literal text with its braces unescaped.
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(std::string_view text) {
  bool start = true;
  for (char c : text) {
    if (start ? !is_letter(c) : !(is_letter(c) || is_digit(c) || c == '-' || c == '.')) return false;
    start = c == '.';
  }
  return !start;
}

std::string shown(std::string_view text) {
  std::string out(utf8_prefix(text, 40));
  std::ranges::replace(out, '\n', ' ');
  return text.size() > 40 ? out + "…" : out;
}

Problem bad(std::string why, std::string todo) {
  return Problem{"", 0, "run", std::move(why), std::move(todo)};
}

Result<std::vector<Piece>> split(const std::string& text) {
  std::vector<Piece> pieces;
  std::string literal;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      literal += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      ++i;
      continue;
    }
    if (c == '}') return bad("a `}` stands alone", "write `}}` for a literal brace");
    const std::size_t end = text.find('}', i);
    if (end == std::string::npos) return bad("a `{` is never closed", "write `{{` for a literal brace");
    const std::string name = text.substr(i + 1, end - i - 1);
    if (!is_name(name))
      return bad("`{" + shown(name) + "}` is not a placeholder",
                 "write `{{" + shown(name) + "}}` if the command needs these braces");
    if (!literal.empty()) pieces.push_back({false, std::move(literal)});
    literal.clear();
    pieces.push_back({true, name});
    i = end;
  }
  if (!literal.empty()) pieces.push_back({false, std::move(literal)});
  return pieces;
}

const std::string& value_of(const std::string& name, const std::map<std::string, std::string>& values) {
  const auto found = values.find(name);
  if (found == values.end()) throw std::invalid_argument("no value for the placeholder {" + name + "}");
  return found->second;
}

std::vector<Piece> split_checked(const std::string& text) {
  Result<std::vector<Piece>> pieces = split(text);
  if (!pieces) throw std::invalid_argument(pieces.problem().text());
  return std::move(*pieces);
}

std::string substitute_shell(const std::string& text, const std::map<std::string, std::string>& values) {
  const std::vector<Piece> pieces = split_checked(text);
  ShellText shell;
  std::string out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].placeholder) {
      for (char c : pieces[i].text) shell.take(c);
      out += pieces[i].text;
      continue;
    }
    const std::string& value = value_of(pieces[i].text, values);
    if (shell.escape_pending() || (shell.certain() && (shell.dollar_pending() || shell.name_pending())))
      throw std::invalid_argument("the placeholder {" + pieces[i].text + "} stands behind a `\\` or `$`");
    // `2>file` would redirect a stream instead of passing the argument 2.
    const bool redirects = i + 1 < pieces.size() && !pieces[i + 1].placeholder &&
                           (pieces[i + 1].text[0] == '<' || pieces[i + 1].text[0] == '>') &&
                           std::ranges::all_of(value, is_digit);
    if (is_plain(value) && !(redirects && shell.certain() && shell.quoting() == ShellText::Quoting::bare))
      out += value;
    else if (shell.certain())
      out += shell.quoted(value);
    else
      throw std::invalid_argument("the placeholder {" + pieces[i].text + "} takes plain values only");
    shell.take_value();
  }
  return out;
}

}  // namespace

Result<std::vector<Placeholder>> placeholders_in(const CommandTemplate& command) {
  std::vector<Placeholder> found;
  for (const std::string& word : command.words) {
    Result<std::vector<Piece>> pieces = split(word);
    if (!pieces) return pieces.problem();
    ShellText shell;
    for (const Piece& piece : *pieces) {
      if (!piece.placeholder) {
        if (command.shell)
          for (char c : piece.text) shell.take(c);
        continue;
      }
      if (command.shell && shell.escape_pending())
        return bad("a backslash stands before `{" + piece.text + "}`", "leave it out: values are quoted by themselves");
      if (command.shell && shell.dollar_pending())
        return bad("`${" + piece.text + "}` mixes a placeholder with the shell's `$`",
                   "write `{" + piece.text + "}` for the value, `${{" + piece.text + "}}` for a shell variable");
      if (command.shell && shell.name_pending())
        return bad("`{" + piece.text + "}` would become part of the shell variable's name before it",
                   "write the variable as `${{NAME}}`");
      found.push_back({piece.text, command.shell && !shell.certain()});
      shell.take_value();
    }
    if (command.shell && shell.certain() && shell.quoting() != ShellText::Quoting::bare)
      return bad("a quote is never closed", "close it, or escape it with a backslash");
    if (command.shell && shell.escape_pending()) return bad("a backslash ends the command", "leave it out");
  }
  return found;
}

Result<std::vector<std::string>> names_in(const CommandTemplate& command) {
  const Result<std::vector<Placeholder>> all = placeholders_in(command);
  if (!all) return all.problem();
  std::vector<std::string> names;
  for (const Placeholder& p : *all)
    if (std::ranges::find(names, p.name) == names.end()) names.push_back(p.name);
  return names;
}

std::vector<std::string> substitute(const CommandTemplate& command, const std::map<std::string, std::string>& values) {
  if (command.shell) {
    if (command.words.empty()) throw std::invalid_argument("an empty command");
    return {"sh", "-c", substitute_shell(command.words[0], values)};
  }
  std::vector<std::string> words;
  for (const std::string& word : command.words) {
    std::string& out = words.emplace_back();
    for (const Piece& piece : split_checked(word)) out += piece.placeholder ? value_of(piece.text, values) : piece.text;
  }
  return words;
}

}  // namespace kernel
