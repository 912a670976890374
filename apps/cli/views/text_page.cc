#include "apps/cli/views/text_page.h"

#include <fmt/format.h>

namespace cli {

namespace {

constexpr int name_columns = 10;

/// Columns of a text that may be painted.
int painted_columns(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b')
      i = std::min(text.find('m', i), text.size());
    else
      plain += text[i];
  return columns_of(plain);
}

}  // namespace

void TextPage::line(const std::string& head, const std::string& text, TextStyle style, int under) {
  const int width = screen_.width > under + 20 ? screen_.width - under : 0;
  out_ +=
      head + paint(wrapped(one_line(text), width, under, painted_columns(head) - under), style, screen_.colour) + "\n";
}

void TextPage::field(const std::string& name, const std::string& text) {
  if (text.empty()) return;
  line(paint(fmt::format("{:<{}}", name, name_columns), TextStyle::dim, screen_.colour), text, TextStyle::plain,
       name_columns);
}

}  // namespace cli
