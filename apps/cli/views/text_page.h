#pragma once
// Paragraphs and named fields for a person, wrapped to the screen. Knows nothing of studies.

#include <string>

#include "apps/cli/terminal/terminal_text.h"

namespace cli {

class TextPage {
 public:
  static constexpr int indent = 4;

  explicit TextPage(const Screen& screen) : screen_(screen) {}

  /// A paragraph behind `head`, which may be painted; further lines begin at column `under`.
  void line(const std::string& head, const std::string& text, TextStyle style = TextStyle::plain, int under = indent);
  /// `name      text`; nothing if the text is empty.
  void field(const std::string& name, const std::string& text);
  void gap() { out_ += "\n"; }
  const Screen& screen() const { return screen_; }
  std::string take() { return std::move(out_); }

 private:
  Screen screen_;
  std::string out_;
};

}  // namespace cli
