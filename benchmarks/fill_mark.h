#pragma once
// Fills in the texts of studies, whose marks look like {{profile}}.

#include <string>
#include <string_view>

namespace benchmarks {

/// Replaces the first `mark`, if there is one.
inline void fill_mark(std::string& text, std::string_view mark, std::string_view by) {
  if (const auto at = text.find(mark); at != text.npos) text.replace(at, mark.size(), by);
}

}  // namespace benchmarks
