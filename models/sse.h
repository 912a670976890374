#pragma once
// Server-sent events out of a stream of bytes (WHATWG HTML, section "Server-sent events"), cut anywhere. One reader per
// stream; any thread, one at a time.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace models {

class SseReader {
 public:
  /// `event`: its name, or empty; `data` without its last line break. Valid until it returns.
  using Event = std::function<void(std::string_view event, std::string_view data)>;

  explicit SseReader(Event on_event) : on_event_(std::move(on_event)) {}

  void feed(std::string_view bytes);
  /// Bytes held back until their line, or their event, is whole.
  std::size_t held() const { return line_.size() + data_.size(); }

 private:
  void line(std::string_view);

  Event on_event_;
  std::string line_, event_, data_;
  bool has_data_ = false;
  bool after_return_ = false;  ///< The last byte was \r: a \n belongs to it.
  bool first_ = true;          ///< A byte order mark may precede the first line.
};

}  // namespace models
