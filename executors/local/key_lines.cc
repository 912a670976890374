#include "executors/local/key_lines.h"

#include "executors/run_protocol/small_files.h"

namespace executors {

KeyLines::KeyLines(std::string_view text) {
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1) {
    const std::size_t equals = text.find('=', at);
    if (equals < end) lines_.emplace(text.substr(at, equals - at), text.substr(equals + 1, end - equals - 1));
  }
}

std::string KeyLines::text(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? "" : found->second;
}

std::optional<std::int64_t> KeyLines::known_number(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? std::nullopt : supervisor::to_number(found->second);
}

std::int64_t KeyLines::number(const std::string& key) const {
  return known_number(key).value_or(0);
}

std::map<std::string, std::string> KeyLines::family(std::string_view beginning) const {
  std::map<std::string, std::string> found;
  for (auto line = lines_.lower_bound(std::string(beginning)); line != lines_.end(); ++line) {
    if (!line->first.starts_with(beginning)) break;
    found.emplace(line->first.substr(beginning.size()), line->second);
  }
  return found;
}

}  // namespace executors
