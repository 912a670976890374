#include "base/manifest.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace kernel {

using nlohmann::json;

namespace {

constexpr std::string_view header = "{\"etude_manifest\":1}\n";
constexpr const char* type_names[] = {"file", "executable", "link", "folder"};

}  // namespace

bool is_safe_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.back() == '/' || !valid_utf8(path)) return false;
  if (path.find('\0') != path.npos) return false;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (name.empty() || name == "." || name == "..") return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

std::string manifest_text(std::vector<ManifestEntry> entries) {
  std::ranges::sort(entries, [](const auto& a, const auto& b) { return a.path < b.path; });
  std::string text(header);
  for (const ManifestEntry& e : entries) {
    json line = {{"path", e.path}, {"type", type_names[static_cast<std::size_t>(e.type)]}};
    if (e.type == EntryType::file || e.type == EntryType::executable) {
      line["sha256"] = e.sha256;
      line["bytes"] = e.bytes;
    }
    if (e.type == EntryType::link) line["target"] = e.target;
    text += line.dump() + "\n";
  }
  return text;
}

Result<std::vector<ManifestEntry>> read_manifest(std::string_view text) {
  int number = 1;
  const auto problem = [&](std::string why) { return Problem{"", number, "manifest", std::move(why), ""}; };
  if (!text.starts_with(header)) return problem("is of no known format");
  text.remove_prefix(header.size());
  std::vector<ManifestEntry> entries;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const json line = json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(std::min(end + 1, text.size()));
    ManifestEntry e;
    try {
      e.path = line.at("path");
      const std::string type = line.at("type");
      const auto known = std::find(std::begin(type_names), std::end(type_names), type);
      if (known == std::end(type_names)) return problem("has an entry of unknown type " + type);
      e.type = static_cast<EntryType>(known - std::begin(type_names));
      if (e.type == EntryType::file || e.type == EntryType::executable) {
        e.sha256 = line.at("sha256");
        e.bytes = line.at("bytes");
      }
      if (e.type == EntryType::link) e.target = line.at("target");
    } catch (const json::exception&) {
      return problem("has a line that is no entry");
    }
    if (!is_safe_path(e.path)) return problem("names a path outside its folder");
    if (!entries.empty() && entries.back().path >= e.path) return problem("is not sorted by path");
    entries.push_back(std::move(e));
  }
  return entries;
}

}  // namespace kernel
