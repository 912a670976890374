#include "artifacts/text/source_text.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace artifacts {

std::vector<std::size_t> line_starts(std::string_view bytes) {
  std::vector<std::size_t> starts{bytes.starts_with("\xEF\xBB\xBF") ? std::size_t{3} : 0};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] == '\n' || (bytes[i] == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n')))
      starts.push_back(i + 1);
  return starts;
}

SourceText::SourceText(std::string bytes) : bytes_(std::move(bytes)), starts_(line_starts(bytes_)) {
  const auto first = bytes_.find('\n');
  if (first != bytes_.npos && first > 0 && bytes_[first - 1] == '\r') newline_ = "\r\n";
}

int SourceText::lines() const {
  return static_cast<int>(starts_.size()) - (starts_.back() == bytes_.size() ? 1 : 0);
}

std::size_t SourceText::start(int number) const {
  const auto at = static_cast<std::size_t>(number) - 1;
  return number >= 1 && at < starts_.size() ? starts_[at] : bytes_.size();
}

std::size_t SourceText::end(int number) const {
  const std::size_t begin = start(number);
  std::size_t last = start(number + 1);
  if (last > begin && bytes_[last - 1] == '\n') --last;
  if (last > begin && bytes_[last - 1] == '\r') --last;
  return last;
}

std::string_view SourceText::line(int number) const {
  return std::string_view(bytes_).substr(start(number), end(number) - start(number));
}

std::string edited_text(const SourceText& source, std::vector<TextEdit> edits) {
  std::ranges::stable_sort(edits, {}, &TextEdit::begin);
  const std::string_view bytes = source.bytes();
  std::string result;
  std::size_t done = 0;
  for (const TextEdit& edit : edits) {
    ETUDE_ASSERT(edit.begin >= done && edit.end >= edit.begin && edit.end <= bytes.size());
    result += bytes.substr(done, edit.begin - done);
    for (const char c : edit.text) {
      if (c == '\n')
        result += source.newline();
      else
        result += c;
    }
    done = edit.end;
  }
  return result.append(bytes.substr(done));
}

TextEdit lines_behind(const SourceText& source, int line, std::string_view lines) {
  // At the end of the line, so that a last line without a line end stays one.
  const std::size_t at = source.end(line);
  const bool first = source.bytes().empty() || line < 1;
  return {first ? source.start(1) : at, first ? source.start(1) : at,
          first ? std::string(lines) + "\n" : "\n" + std::string(lines)};
}

}  // namespace artifacts
