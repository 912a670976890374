#include "memory/workspace/secret_files.h"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/redact.h"
#include "memory/workspace/ignore.h"
#include "memory/workspace/walk.h"

namespace memory {

namespace {

constexpr std::size_t most_entries = 100'000, most_bytes = 64 << 10;
constexpr const char* secret_names[] = {".env",       "id_rsa", "id_dsa",  "id_ecdsa",
                                        "id_ed25519", ".netrc", ".pgpass", ".git-credentials"};
constexpr const char* secret_endings[] = {".p12", ".pfx", ".kdbx"};
/// Labels of the redactor that are also in examples and documentation.
constexpr std::string_view common_labels[] = {"credentials", "password"};

bool is_secret_name(const std::string& name) {
  if (std::ranges::find(secret_names, name) != std::end(secret_names)) return true;
  if (name.starts_with(".env.")) {
    // What people publish, with empty values.
    const auto ends = [&](const char* ending) { return name.ends_with(ending); };
    return !ends("example") && !ends("sample") && !ends("template") && !ends("dist");
  }
  return std::ranges::any_of(secret_endings, [&](const char* ending) { return name.ends_with(ending); });
}

std::string beginning_of(const std::string& path) {
  const kernel::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  std::string text(most_bytes, '\0');
  const ssize_t n = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

/// The first key's label; empty if there is none. Data that are no text have none.
std::string key_in(const std::string& text) {
  if (text.find('\0') != std::string::npos) return "";
  constexpr std::string_view mark = "[redacted: ";
  const std::string redacted = kernel::Redactor()(text);
  if (redacted == text) return "";
  for (std::size_t at = redacted.find(mark); at != redacted.npos; at = redacted.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    const std::string label = redacted.substr(begin, redacted.find(']', begin) - begin);
    const bool made_here = text.find(std::string(mark) + label) == text.npos;
    if (made_here && std::ranges::find(common_labels, label) == std::end(common_labels)) return label;
  }
  return "";
}

bool is_file(kernel::EntryType type) {
  return type == kernel::EntryType::file || type == kernel::EntryType::executable;
}

IgnoreRules rules_of(const std::vector<std::string>& patterns) {
  IgnoreRules rules;
  for (const std::string& pattern : patterns) rules.add(pattern, "");
  return rules;
}

/// `file`: its path on disk. Adds nothing if it looks like no secret.
void look_at(const std::string& path, const std::string& file, std::vector<SecretFile>& found) {
  if (is_secret_name(path.substr(path.rfind('/') + 1)))
    found.push_back({path, "by its name"});
  else if (std::string key = key_in(beginning_of(file)); !key.empty())
    found.push_back({path, std::move(key)});
}

}  // namespace

SecretScan secret_files(const kernel::WorkspaceSpec& spec, const std::string& home) {
  SecretScan found;
  std::error_code error;
  const std::string root = std::filesystem::canonical(spec.path, error).string();
  if (error || !std::filesystem::is_directory(root, error)) return found;
  Selection selection(root, spec.exclude, home);
  auto walked = walk(root, selection, "workspace", "", most_entries);
  if (!walked) return found;
  found.warnings = std::move(walked->warnings);
  found.readable = true;
  const IgnoreRules allowed = rules_of(spec.allow_secrets);
  for (const WalkEntry& entry : walked->entries) {
    found.paths.push_back(entry.path);
    if (is_file(entry.type) && entry.bytes > 0 && !allowed.covers(entry.path))
      look_at(entry.path, root + "/" + entry.path, found.files);
  }
  return found;
}

std::vector<SecretFile> secrets_among(const std::vector<kernel::ManifestEntry>& entries,
                                      const std::function<std::string(const std::string& sha256)>& file_of,
                                      const std::vector<std::string>& patterns) {
  std::vector<SecretFile> found;
  const IgnoreRules allowed = rules_of(patterns);
  for (const kernel::ManifestEntry& entry : entries)
    if (is_file(entry.type) && entry.bytes > 0 && !allowed.covers(entry.path))
      look_at(entry.path, file_of(entry.sha256), found);
  return found;
}

}  // namespace memory
