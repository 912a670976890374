#include "agents/thinking/workspace/branch.h"

#include <algorithm>

#include "base/manifest.h"

namespace agents {

namespace {

constexpr std::size_t most_files = 200, most_bytes = 16u << 20;
constexpr std::string_view redaction = "[redacted: ";  // kernel::Redactor's
constexpr const char* frozen_words =
    "this file is protected: the evaluator, or what the environment was set up by, stays as it is";

bool is_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

}  // namespace

std::vector<Files::Entry> Branch::entries() const {
  std::map<std::string, std::int64_t> sizes;
  for (const Files::Entry& entry : base_.entries) sizes[entry.path] = entry.bytes;
  for (const std::string& path : removed_) sizes.erase(path);
  for (const auto& [path, content] : written_) sizes[path] = static_cast<std::int64_t>(content.size());
  std::vector<Files::Entry> list;
  for (const auto& [path, bytes] : sizes) list.push_back({path, bytes});
  return list;
}

std::optional<std::string> Branch::read(const std::string& path) const {
  if (const auto own = written_.find(path); own != written_.end()) return own->second;
  return is_base(path) && !removed_.contains(path) ? base_.read(path) : std::nullopt;
}

std::optional<std::string> Branch::read_base(const std::string& path) const {
  return is_base(path) ? base_.read(path) : std::nullopt;
}

bool Branch::is_base(const std::string& path) const {
  return std::ranges::any_of(base_.entries, [&](const Files::Entry& entry) { return entry.path == path; });
}

std::string Branch::write(const std::string& path, std::string content) {
  if (!kernel::is_safe_path(path)) return "this is not a path below the workspace";
  if (frozen_.contains(path) || growing_.contains(path)) return frozen_words;
  // A redacted key in a conversation would be redacted in the code, too.
  if (content.find(redaction) != content.npos && read(path).value_or("").find(redaction) == std::string::npos)
    return "it holds a `[redacted: …]`, which stands for a key: no key is shown to you or written into the code, which "
           "reads it from the environment; change the passages around it with edit_file";
  for (const std::string& link : base_.links)
    if (path == link || is_below(path, link)) return "there is a link, " + link + ", which stays as it is";
  for (const Files::Entry& entry : entries())
    if (is_below(path, entry.path) || is_below(entry.path, path))
      return "a file cannot be a folder, too: there is " + entry.path;
  std::size_t bytes = content.size();
  for (const auto& [other, text] : written_) bytes += other == path ? 0 : text.size();
  if (bytes > most_bytes || (written_.size() >= most_files && !written_.contains(path)))
    return "the branch has grown too large: at most 200 files and 16 MB are written in one turn";
  written_[path] = std::move(content);
  removed_.erase(path);
  return "";
}

std::string Branch::add_line(const std::string& path, const std::string& line) {
  if (frozen_.contains(path) || !growing_.contains(path)) {
    std::string names;
    for (const std::string& one : growing_) names += (names.empty() ? "" : ", ") + one;
    return names.empty() ? "no file that could be changed here sets up the environment (environment.setup.key): "
                           "ask with `ask_person`"
                         : "the environment is set up from " + names + ", and not from that file";
  }
  std::string text = read(path).value_or("");
  if (("\n" + text + "\n").find("\n" + line + "\n") != std::string::npos) return "the line stands there already";
  if (text.size() + line.size() > most_bytes) return "the file has grown too large";
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  written_[path] = text + line + '\n';
  return "";
}

std::string Branch::remove(const std::string& path) {
  if (frozen_.contains(path) || growing_.contains(path)) return frozen_words;
  if (!read(path)) return "there is no such file in the workspace";
  if (removed_.size() >= most_files) return "at most 200 files are deleted in one turn";
  written_.erase(path);
  if (is_base(path)) removed_.insert(path);
  return "";
}

Changes Branch::changes() const {
  Changes changed;
  changed.removed = removed_;
  for (const auto& [path, content] : written_)
    if (!is_base(path) || base_.read(path) != content) changed.written.emplace(path, content);
  return changed;
}

}  // namespace agents
