#include "models/sse.h"

namespace models {

void SseReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (after_return_ && bytes.front() == '\n') {
      after_return_ = false;
      bytes.remove_prefix(1);
      continue;
    }
    after_return_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (end == bytes.npos) return;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    std::string whole;
    whole.swap(line_);
    std::string_view view = whole;
    if (first_ && view.substr(0, 3) == "\xef\xbb\xbf") view.remove_prefix(3);
    first_ = false;
    line(view);
  }
}

void SseReader::line(std::string_view text) {
  if (text.empty()) {
    if (has_data_) {
      data_.pop_back();
      on_event_(event_, data_);
    }
    event_.clear();
    data_.clear();
    has_data_ = false;
    return;
  }
  const std::size_t colon = text.find(':');
  const std::string_view field = text.substr(0, colon);
  std::string_view value = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "event") {
    event_ = value;
  } else if (field == "data") {
    data_.append(value).push_back('\n');
    has_data_ = true;
  }  // Comments, ids and retry times are ignored, because a request is made only once.
}

}  // namespace models
