#pragma once
// Reads server-sent events from a stream of bytes (WHATWG HTML, section "Server-sent events"), cut anywhere. One reader
// per stream; one thread at a time.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace models {

class SseReader {
 public:
  /// `event`: its name, may be empty; `data` without the last line break. Both are valid during the call.
  using Event = std::function<void(std::string_view event, std::string_view data)>;

  explicit SseReader(Event on_event) : on_event_(std::move(on_event)) {}

  void feed(std::string_view bytes);
  /// Bytes held back until their line or event is complete.
  std::size_t held() const { return line_.size() + data_.size(); }

 private:
  void line(std::string_view);

  Event on_event_;
  std::string line_, event_, data_;
  bool has_data_ = false;
  bool after_return_ = false;  ///< The last byte was \r, so a \n belongs to it.
  bool first_ = true;          ///< A byte order mark may precede the first line.
};

}  // namespace models
