#include "memory/workspace/snapshot.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/files/file.h"
#include "memory/workspace/walk.h"

namespace memory {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 100'000;
constexpr const char* leave_out = "list it in .etudeignore or `workspace.exclude`";

std::string size_text(std::int64_t bytes) {
  if (bytes < 1 << 10) return fmt::format("{} bytes", bytes);
  if (bytes < 1 << 20) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / (1 << 10));
  if (bytes < 1 << 30) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / (1 << 30));
}

/// The three largest entries at the workspace's top, for the message.
std::string offenders(const std::vector<WalkEntry>& entries) {
  std::map<std::string, std::int64_t> sizes;
  for (const WalkEntry& e : entries) {
    const std::size_t slash = e.path.find('/');
    sizes[e.path.substr(0, slash == e.path.npos ? slash : slash + 1)] += e.bytes;
  }
  std::vector<std::pair<std::int64_t, std::string>> by_size;
  for (const auto& [name, bytes] : sizes) by_size.emplace_back(-bytes, name);
  std::sort(by_size.begin(), by_size.end());
  std::string text;
  for (std::size_t i = 0; i < by_size.size() && i < 3; ++i)
    text += fmt::format("{}`{}` ({})", i ? ", " : "", by_size[i].second, size_text(-by_size[i].first));
  return text;
}

kernel::Problem too_large(const std::string& root, std::int64_t bytes, std::int64_t most,
                          const std::vector<WalkEntry>& entries) {
  return {root, 0, "workspace", fmt::format("is {}, more than its limit of {}", size_text(bytes), size_text(most)),
          fmt::format("its largest parts are {}: list what runs do not need in .etudeignore or `workspace.exclude`, "
                      "declare data under `data:`, or raise `workspace.max_size`",
                      offenders(entries))};
}

/// A problem if the path is no folder that can be frozen.
std::optional<kernel::Problem> unusable(const std::string& path, const std::string& home) {
  const auto problem = [&](std::string why, std::string todo) {
    return kernel::Problem{path, 0, "workspace", std::move(why), std::move(todo)};
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return problem("does not exist", "create it, or correct `workspace` in the study file");
  if (error) return problem("cannot be read (" + error.message() + ")", "make it readable");
  if (status.type() != fs::file_type::directory) return problem("is no folder", "name the folder that holds the code");
  if (fs::exists(path + "/etude.json", error))
    return problem("is an artifact (it holds an etude.json)", "name the folder that holds the code");
  if (fs::equivalent(path, home, error))
    return problem("is the store's own home", "name the folder that holds the code");
  return std::nullopt;
}

}  // namespace

kernel::Result<Snapshot> freeze(const kernel::WorkspaceSpec& spec, const std::string& home, Blobs& blobs) {
  if (auto problem = unusable(spec.path, home)) return std::move(*problem);
  const std::string root = fs::canonical(spec.path).string();
  Selection selection(root, spec.exclude, home);
  auto walked = walk(root, selection, "workspace", leave_out, most_files);
  if (!walked) return walked.problem();

  const std::int64_t most = spec.max_bytes.value_or(default_workspace_bytes);
  std::int64_t bytes = 0;
  for (const WalkEntry& e : walked->entries) bytes += e.bytes;
  if (bytes > most) return too_large(root, bytes, most, walked->entries);

  Snapshot snapshot;
  snapshot.warnings = std::move(walked->warnings);
  std::vector<kernel::ManifestEntry> manifest;
  bytes = 0;
  for (const WalkEntry& e : walked->entries) {
    kernel::ManifestEntry entry{e.type, e.path, "", 0, e.target};
    if (e.type == kernel::EntryType::file || e.type == kernel::EntryType::executable) {
      const std::string path = root + "/" + e.path;
      const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
      if (!fd && errno == ENOENT) {
        snapshot.warnings.push_back(path + " is left out: it vanished while the workspace was read");
        continue;
      }
      if (!fd)
        return kernel::Problem{path, 0, "workspace", std::string("cannot be read (") + std::strerror(errno) + ")",
                               std::string("make it readable, or ") + leave_out};
      const kernel::BlobRef ref = blobs.put_fd(fd.get(), most - bytes, Blobs::Durable::later);
      if (ref.sha256.empty()) return too_large(root, most + 1, most, walked->entries);
      struct stat status {};
      const bool known = ::fstat(fd.get(), &status) == 0;
      const std::int64_t modified = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
      if (known && (modified != e.modified_ns || ref.bytes != e.bytes))
        snapshot.warnings.push_back(path + " changed while the workspace was read");
      entry.sha256 = ref.sha256;
      entry.bytes = ref.bytes;
      bytes += ref.bytes;
      ++snapshot.record.files;
    }
    manifest.push_back(std::move(entry));
  }
  snapshot.record.hash =
      kernel::WorkspaceHash(blobs.put(kernel::manifest_text(std::move(manifest)), Blobs::Durable::later).sha256);
  snapshot.record.bytes = bytes;
  blobs.sync();
  return snapshot;
}

}  // namespace memory
