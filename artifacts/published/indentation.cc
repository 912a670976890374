#include "artifacts/published/indentation.h"

#include <algorithm>
#include <vector>

#include "artifacts/text/untrusted_text.h"

namespace artifacts::published {
namespace {

/// Where a value stands: in a block mapping or list, whose keys or dashes have a column, or in brackets below one.
struct Context {
  int column = -1;
  bool in_list = false;
  bool in_brackets = false;
};

class Indentation {
 public:
  Indentation(std::string_view text, int first_line) : lines_(lines_of(text)), first_line_(first_line) {}

  int first_bad_line() const { return bad_; }

  void look(const YamlValue& value, Context context) {
    if (bad_ > 0 || value.line < first_line_) return;
    const char first = at(value.line, value.column);
    if (context.in_brackets) begins(value.line, value.column, first, context);
    switch (value.kind) {
      case YamlValue::Kind::null:
        return;
      case YamlValue::Kind::scalar:
        if ((first == '"' || first == '\'') && !context.in_brackets)
          quoted(value, first, context.column + (context.in_list ? 1 : 2));
        return;
      case YamlValue::Kind::list:
        if (first == '[')
          context.in_brackets = true;
        else if (!context.in_brackets)
          context = {value.column, true, false};
        break;
      case YamlValue::Kind::map:
        if (first == '{')
          context.in_brackets = true;
        else if (!context.in_brackets)
          context = {value.column, false, false};
    }
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (value.kind == YamlValue::Kind::map) {
        const YamlValue::Key& key = value.keys[i];
        if (context.in_brackets) begins(key.line, key.column, at(key.line, key.column), context);
        // An alias gives a value that stands elsewhere.
        if (value.items[i].line < key.line) continue;
      } else if (value.items[i].line < value.line) {
        continue;
      }
      look(value.items[i], context);
    }
  }

 private:
  std::string_view line(int number) const {
    const auto index = static_cast<std::size_t>(number - first_line_);
    return index < lines_.size() ? lines_[index] : std::string_view();
  }

  char at(int number, int column) const {
    const std::string_view text = line(number);
    return static_cast<std::size_t>(column) < text.size() ? text[static_cast<std::size_t>(column)] : '\0';
  }

  static int indent_of(std::string_view text) {
    return static_cast<int>(std::min(text.find_first_not_of(' '), text.size()));
  }

  void blame(int number) {
    if (bad_ == 0) bad_ = number;
  }

  /// What is first on its line, in brackets.
  void begins(int number, int column, char first, const Context& context) {
    if (indent_of(line(number)) != column) return;
    const bool quote = first == '"' || first == '\'';
    if (column < context.column + (quote ? 0 : 1)) blame(number);
  }

  void quoted(const YamlValue& value, char mark, int least) {
    int number = value.line;
    auto i = static_cast<std::size_t>(value.column) + 1;
    for (const int last = first_line_ + static_cast<int>(lines_.size()); number < last; ++number, i = 0) {
      const std::string_view text = line(number);
      // A line that starts with the closing mark may stand anywhere.
      if (number > value.line && !trimmed(text).empty() && text[text.find_first_not_of(" \t")] != mark &&
          indent_of(text) < least)
        return blame(number);
      for (; i < text.size(); ++i) {
        if (mark == '"' && text[i] == '\\') {
          ++i;
        } else if (text[i] == mark) {
          if (mark == '"' || i + 1 == text.size() || text[i + 1] != mark) return;
          ++i;
        }
      }
    }
  }

  std::vector<std::string_view> lines_;
  int first_line_;
  int bad_ = 0;
};

}  // namespace

int under_indented_line(const YamlValue& document, std::string_view text, int first_line) {
  Indentation indentation(text, first_line);
  indentation.look(document, {});
  return indentation.first_bad_line();
}

}  // namespace artifacts::published
