#include "kernel/domain/stdout_pattern.h"

#include <string_view>

namespace kernel {

StdoutPattern stdout_pattern(const std::string& written) {
  StdoutPattern pattern;
  std::size_t groups = 0;
  bool in_class = false;
  const std::string_view text = written;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    pattern.regex += c;
    if (c == '\\' && at + 1 < text.size()) {
      pattern.regex += text[++at];
    } else if (in_class || c == '[') {
      in_class = c != ']';
    } else if (c == '(') {
      for (const std::string_view name : {"?<step>", "?P<step>"})
        if (pattern.step == 0 && text.substr(at + 1).starts_with(name)) {
          pattern.step = ++groups;
          at += name.size();
          break;
        }
      if (text[at] == '(' && text.substr(at + 1, 1) != "?") ++groups;
    }
  }
  pattern.value = pattern.step == 1 ? 2 : 1;
  return pattern;
}

}  // namespace kernel
