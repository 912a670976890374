#include "artifacts/text/json_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace artifacts {
namespace {

class MemberScan {
 public:
  std::map<std::string, MemberLines, std::less<>> scan(std::string_view object) {
    for (at_ = 0; at_ < object.size(); ++at_) {
      const char c = object[at_];
      if (c == '\n')
        ++line_;
      else if (c == '"')
        string(object);
      else if (c != ' ' && c != '\t' && c != '\r')
        mark(c);
    }
    return std::move(found_);
  }

 private:
  void string(std::string_view object) {
    begin_element();
    const std::size_t start = ++at_;
    while (at_ < object.size() && object[at_] != '"') at_ += object[at_] == '\\' ? 2 : 1;
    if (depth_ != 1 || !key_due_) return;
    member_ = &found_[std::string(object.substr(start, at_ - start))];
    *member_ = {line_, {}};
    key_due_ = false;
  }

  void mark(char c) {
    switch (c) {
      case '{':
      case '[':
        begin_element();
        ++depth_;
        if (depth_ == 1) key_due_ = true;
        if (depth_ == 2) element_due_ = in_array_ = c == '[' && member_;
        break;
      case '}':
      case ']':
        --depth_;
        if (depth_ == 1) in_array_ = element_due_ = false;
        break;
      case ',':
        key_due_ = depth_ == 1;
        element_due_ = depth_ == 2 && in_array_;
        break;
      case ':':
        break;
      default:
        begin_element();
    }
  }

  void begin_element() {
    if (depth_ != 2 || !element_due_) return;
    member_->elements.push_back(line_);
    element_due_ = false;
  }

  std::map<std::string, MemberLines, std::less<>> found_;
  MemberLines* member_ = nullptr;
  std::size_t at_ = 0;
  int line_ = 1, depth_ = 0;
  bool key_due_ = false, in_array_ = false, element_due_ = false;
};

}  // namespace

std::optional<int> line_of_json_trouble(std::string_view bytes) {
  using nlohmann::json;
  try {
    // Values are discarded, because the text may be large and only its form matters.
    [[maybe_unused]] const json nothing = json::parse(bytes, [](int, json::parse_event_t, json&) { return false; });
  } catch (const json::parse_error& error) {
    // Text that ends too soon is wrong at its last non-blank character.
    const std::size_t last = bytes.find_last_not_of(" \t\r\n");
    const std::size_t end = std::min({error.byte > 0 ? error.byte - 1 : 0, bytes.size(), last + 1});
    return 1 + static_cast<int>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  } catch (const json::exception&) {
    // A number that no double can hold.
  }
  return std::nullopt;
}

JsonSize size_of_json(std::string_view json) {
  JsonSize size{1, 0};
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"')
      for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
    else if (c == ':')
      ++size.keys;
    else
      size.values += c == ',' || c == '[' || c == '{' ? 1 : 0;
  }
  return size;
}

std::map<std::string, MemberLines, std::less<>> lines_of_members(std::string_view object) {
  return MemberScan().scan(object);
}

}  // namespace artifacts
