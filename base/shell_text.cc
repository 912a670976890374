#include "base/shell_text.h"

#include "base/assert.h"

namespace kernel {
namespace {

bool ends_word(char c) {
  return std::string_view(" \t\n;&|()<>").find(c) != std::string_view::npos;
}

bool is_parameter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@*#?!-").find(c) != std::string_view::npos;
}

}  // namespace

bool is_plain(std::string_view value) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%^-";
  return !value.empty() && value.find_first_not_of(plain) == value.npos;
}

std::string shell_word(std::string_view text) {
  return is_plain(text) ? std::string(text) : ShellText().quoted(text);
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

void ShellText::take(char c) {
  if (escaped_) {
    escaped_ = false;
    // A backslash before a newline joins the lines.
    if (c == '\n') return;
    previous_ = '\0';
    word_start_ = false;
    in_name_ = false;
    return;
  }
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  in_name_ =
      (previous_ == '$' && letter) || (in_name_ && (letter || (c >= '0' && c <= '9'))) || (in_name_ && c == '\\');
  if (in_braces_) return take_in_braces(c);
  switch (quoting_) {
    case Quoting::bare:
      return take_bare(c);
    case Quoting::double_quoted:
      return take_double_quoted(c);
    case Quoting::single_quoted:
      if (c == '\'') quoting_ = Quoting::bare;
      previous_ = '\0';
      word_start_ = false;
      return;
    case Quoting::comment:
      if (c != '\n') return;
      quoting_ = Quoting::bare;
      previous_ = c;
      word_start_ = true;
      return;
  }
}

void ShellText::take_bare(char c) {
  if (c == '\\') {
    escaped_ = true;
    return;
  }
  if (c == '#' && word_start_) {
    quoting_ = Quoting::comment;
    return;
  }
  if (c == '\'') {
    // $'…' has its own rules in some shells and none in others.
    if (previous_ == '$') lost_ = true;
    quoting_ = Quoting::single_quoted;
  }
  if (c == '"') quoting_ = Quoting::double_quoted;
  if (c == '`' || (c == '[' && previous_ == '$')) lost_ = true;
  if (c == '(' && (previous_ == '$' || previous_ == '(')) lost_ = true;
  if (c == '<' && previous_ == '<') lost_ = true;
  if (c == '{' && previous_ == '$') in_braces_ = true;
  previous_ = c;
  word_start_ = ends_word(c);
}

void ShellText::take_double_quoted(char c) {
  if (c == '\\') {
    escaped_ = true;
    return;
  }
  word_start_ = false;
  if (c == '"') {
    quoting_ = Quoting::bare;
    previous_ = '\0';
    return;
  }
  if (c == '`' || ((c == '(' || c == '[') && previous_ == '$')) lost_ = true;
  if (c == '{' && previous_ == '$') in_braces_ = true;
  previous_ = c;
}

void ShellText::take_in_braces(char c) {
  previous_ = '\0';
  word_start_ = false;
  if (c == '}')
    in_braces_ = false;
  else if (!is_parameter(c))
    lost_ = true;
}

void ShellText::take_value() {
  in_name_ = false;
  escaped_ = false;
  previous_ = '\0';
  word_start_ = false;
}

std::string ShellText::quoted(std::string_view value) const {
  ETUDE_ASSERT(certain() && !escape_pending() && !dollar_pending() && !name_pending());
  if (quoting_ == Quoting::double_quoted) {
    std::string out;
    for (char c : value) {
      if (c == '\\' || c == '"' || c == '$' || c == '`') out += '\\';
      out += c;
    }
    return out;
  }
  std::string inside;
  for (char c : value) {
    if (c == '\'')
      inside += "'\\''";
    else
      inside += c;
  }
  return quoting_ == Quoting::single_quoted ? inside : "'" + inside + "'";
}

}  // namespace kernel
