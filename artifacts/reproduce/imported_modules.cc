#include "artifacts/reproduce/imported_modules.h"

#include <algorithm>
#include <utility>

namespace artifacts {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' || c == '.' ? '_' : c;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

void add_first_name(std::string_view module, std::set<std::string>& modules) {
  module = without_blanks(module);
  std::string name;
  for (const char c : module) {
    if (!is_word(c)) break;
    name += lower(c);
  }
  if (!name.empty()) modules.insert(std::move(name));
}

/// The rest of a line after a keyword and a blank; empty if it does not begin so.
std::string_view after(std::string_view line, std::string_view keyword) {
  if (!line.starts_with(keyword)) return "";
  line.remove_prefix(keyword.size());
  return !line.empty() && (line.front() == ' ' || line.front() == '\t') ? line : "";
}

/// Libraries whose modules have another name.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {{"scikit_learn", "sklearn"},
                                                                         {"scikit_image", "skimage"},
                                                                         {"opencv_python", "cv2"},
                                                                         {"opencv_python_headless", "cv2"},
                                                                         {"pillow", "pil"},
                                                                         {"pyyaml", "yaml"},
                                                                         {"beautifulsoup4", "bs4"},
                                                                         {"python_dateutil", "dateutil"},
                                                                         {"pytorch_lightning", "lightning"},
                                                                         {"faiss_cpu", "faiss"},
                                                                         {"faiss_gpu", "faiss"},
                                                                         {"protobuf", "google"},
                                                                         {"msgpack_python", "msgpack"},
                                                                         {"pyzmq", "zmq"},
                                                                         {"attrs", "attr"}};

}  // namespace

void add_imported_modules(std::string_view text, std::set<std::string>& modules) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n;"), text.size());
    std::string_view line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const std::string_view from = after(line, "from"); !from.empty()) {
      add_first_name(from, modules);
      continue;
    }
    for (std::string_view list = after(line, "import"); !list.empty();) {
      add_first_name(list, modules);
      const std::size_t comma = list.find(',');
      list = comma == list.npos ? "" : list.substr(comma + 1);
    }
  }
}

bool is_imported(std::string_view library, const std::set<std::string>& modules) {
  std::string name;
  for (const char c : library) name += lower(c);
  if (modules.contains(name)) return true;
  return std::ranges::any_of(
      other_names, [&](const auto& one) { return one.first == name && modules.contains(std::string(one.second)); });
}

}  // namespace artifacts
