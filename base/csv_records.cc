#include "base/csv_records.h"

namespace kernel {

CsvRecords::CsvRecords(std::string_view text, char separator) : text_(text), separator_(separator) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
}

bool CsvRecords::next() {
  do {
    if (text_.empty()) return false;
    read();
  } while (fields_.size() == 1 && fields_[0].empty() && sound_);
  return true;
}

void CsvRecords::read() {
  fields_.assign(1, "");
  sound_ = true;
  line_ = next_line_;
  std::size_t length = 0;
  bool quoted = false, closed = false;
  while (!text_.empty()) {
    const char c = text_.front();
    text_.remove_prefix(1);
    if (c == '\n') ++next_line_;
    // A record that is too long is read to its end, but not kept.
    if (++length > longest_line) sound_ = false;
    if (quoted) {
      if (c != '"') {
        keep(c);
      } else if (text_.starts_with('"')) {
        keep(c);
        text_.remove_prefix(1);
      } else {
        quoted = false;
        closed = true;
      }
      continue;
    }
    if (c == '\n') return;
    if (c == '\r' && (text_.empty() || text_.front() == '\n')) continue;
    if (c == separator_) {
      if (sound_) fields_.emplace_back();
      closed = false;
    } else if (c == '"' && fields_.back().empty() && !closed) {
      quoted = true;
    } else {
      // Text around quotes, or quotes within text.
      sound_ = sound_ && !closed && c != '"';
      keep(c);
    }
  }
  sound_ = sound_ && !quoted;
}

}  // namespace kernel
