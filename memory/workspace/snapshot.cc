#include "memory/workspace/snapshot.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/manifest.h"
#include "memory/files/file.h"
#include "memory/workspace/code_reads.h"
#include "memory/workspace/seed_pins.h"
#include "memory/workspace/walk.h"

namespace memory {

namespace fs = std::filesystem;
using kernel::EntryType;
using kernel::ManifestEntry;

namespace {

constexpr std::size_t most_files = 100'000;
constexpr std::size_t most_seed_pins = 5, most_ignored = 40;
constexpr std::int64_t most_scanned_bytes = 512 << 10;  ///< Of one file; longer ones are data.
constexpr const char* leave_out = "list it in .etudeignore or `workspace.exclude`";

std::string size_text(std::int64_t bytes) {
  if (bytes < 1 << 10) return fmt::format("{} bytes", bytes);
  if (bytes < 1 << 20) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / (1 << 10));
  if (bytes < 1 << 30) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / (1 << 30));
}

kernel::IgnoredFiles ignored_of(std::vector<kernel::IgnoredEntry> entries) {
  kernel::IgnoredFiles ignored;
  ignored.count = static_cast<std::int64_t>(entries.size());
  for (const kernel::IgnoredEntry& entry : entries) ignored.bytes += entry.bytes;
  std::ranges::sort(
      entries, [](const auto& a, const auto& b) { return std::pair(-a.bytes, a.path) < std::pair(-b.bytes, b.path); });
  entries.resize(std::min(entries.size(), most_ignored));
  ignored.largest = std::move(entries);
  return ignored;
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
  std::ranges::sort(by_size);
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

constexpr timespec fixed_time = {946'684'800, 0};  // 2000-01-01: zip cannot store years before 1980

std::vector<ManifestEntry> manifest_of(const std::string& hash, const Blobs& blobs) {
  auto entries = kernel::read_manifest(blobs.get(hash));
  if (!entries) throw StoreFault(blobs.path(hash), entries.problem().text(), "restore it from a backup", true);
  return std::move(*entries);
}

/// Whether the entry is at `path`. Links are not followed.
bool is_entry(const std::string& path, const struct stat& status, const ManifestEntry& entry) {
  switch (entry.type) {
    case EntryType::folder:
      return S_ISDIR(status.st_mode);
    case EntryType::link: {
      std::error_code error;
      return S_ISLNK(status.st_mode) && fs::read_symlink(path, error) == entry.target;
    }
    case EntryType::file:
    case EntryType::executable:
      return S_ISREG(status.st_mode) && status.st_size == entry.bytes &&
             ((status.st_mode & S_IXUSR) != 0) == (entry.type == EntryType::executable) &&
             hash_of_file(path) == entry.sha256;
  }
  return false;
}

/// Writes everything that the manifest names into an empty folder, durably.
void build(const std::vector<ManifestEntry>& entries, const std::string& draft, const Blobs& blobs) {
  const timespec times[2] = {fixed_time, fixed_time};
  std::vector<std::string> folders = {draft};  // Parents before their content.
  const auto make_folder = [&](const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
      const std::string each = draft + "/" + path.substr(0, slash);
      if (::mkdir(each.c_str(), 0755) == 0)
        folders.push_back(each);
      else if (errno != EEXIST)
        throw fault_of_errno(each, "created");
    }
  };
  for (const ManifestEntry& entry : entries) {
    const std::string path = draft + "/" + entry.path;
    make_folder(entry.type == EntryType::folder ? entry.path + "/" : entry.path);
    if (entry.type == EntryType::folder) continue;
    if (entry.type == EntryType::link) {
      if (::symlink(entry.target.c_str(), path.c_str()) != 0) throw fault_of_errno(path, "created");
      ::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
      continue;
    }
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) throw fault_of_errno(path, "created");
    blobs.stream(entry.sha256, [&](std::string_view part) { write_all(fd.get(), part, path); });
    if (::fchmod(fd.get(), entry.type == EntryType::executable ? 0755 : 0644) != 0)
      throw fault_of_errno(path, "given its mode");
    ::futimens(fd.get(), times);
  }
  for (auto it = folders.rbegin(); it != folders.rend(); ++it) {
    ::chmod(it->c_str(), 0755);
    ::utimensat(AT_FDCWD, it->c_str(), times, 0);
  }
  sync_file_system(draft);
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
  snapshot.record.ignored = ignored_of(std::move(walked->ignored));
  std::vector<ManifestEntry> manifest;
  bytes = 0;
  for (const WalkEntry& e : walked->entries) {
    ManifestEntry entry{e.type, e.path, "", 0, e.target};
    if (e.type == EntryType::file || e.type == EntryType::executable) {
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
      std::vector<std::string>& pins = snapshot.record.seed_pins;
      if (ref.bytes <= most_scanned_bytes && may_pin_seeds(e.path)) {
        const std::string text = blobs.get(ref.sha256);
        for (std::string& pin : seed_pins(e.path, text, most_seed_pins - std::min(most_seed_pins, pins.size())))
          pins.push_back(std::move(pin));
        add_code_reads(snapshot.record, code_reads(e.path, text, [](std::string_view) { return false; }));
      }
    }
    manifest.push_back(std::move(entry));
  }
  snapshot.record.hash =
      kernel::WorkspaceHash(blobs.put(kernel::manifest_text(std::move(manifest)), Blobs::Durable::later).sha256);
  snapshot.record.bytes = bytes;
  blobs.sync();
  return snapshot;
}

WorkspaceSurvey survey(const kernel::WorkspaceSpec& spec, const std::string& home) {
  WorkspaceSurvey use;
  if (unusable(spec.path, home)) return use;
  const std::string root = fs::canonical(spec.path).string();
  Selection selection(root, spec.exclude, home);
  auto walked = walk(root, selection, "workspace", leave_out, most_files);
  if (!walked) return use;
  use.ignored = ignored_of(std::move(walked->ignored));
  use.warnings = std::move(walked->warnings);
  for (const WalkEntry& e : walked->entries) use.files.push_back(e.path);
  std::int64_t left = 8 << 20;
  for (const WalkEntry& e : walked->entries) {
    if (e.bytes > most_scanned_bytes || e.bytes > left || !may_pin_seeds(e.path)) continue;
    left -= e.bytes;
    const Fd fd(::open((root + "/" + e.path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    std::string text;
    if (!fd || !read_parts(fd.get(), [&](std::string_view part) { text += part; })) continue;
    use.reads_variable = use.reads_variable || text.find("ETUDE_SEED") != text.npos;
    if (use.pins.size() >= most_seed_pins) continue;
    for (std::string& pin : seed_pins(e.path, text, most_seed_pins - use.pins.size()))
      use.pins.push_back(std::move(pin));
  }
  return use;
}

std::optional<kernel::WorkspaceHash> hash_now(const kernel::WorkspaceSpec& spec, const std::string& home) {
  if (unusable(spec.path, home)) return std::nullopt;
  const std::string root = fs::canonical(spec.path).string();
  Selection selection(root, spec.exclude, home);
  const auto walked = walk(root, selection, "workspace", leave_out, most_files);
  if (!walked) return std::nullopt;
  std::vector<ManifestEntry> manifest;
  std::int64_t left = spec.max_bytes.value_or(default_workspace_bytes);
  for (const WalkEntry& e : walked->entries) {
    ManifestEntry entry{e.type, e.path, "", 0, e.target};
    if (e.type == EntryType::file || e.type == EntryType::executable) {
      if ((left -= e.bytes) < 0) return std::nullopt;
      entry.bytes = e.bytes;
      const auto hash = hash_of_file(root + "/" + e.path);
      if (!hash) return std::nullopt;
      entry.sha256 = *hash;
    }
    manifest.push_back(std::move(entry));
  }
  return kernel::WorkspaceHash(kernel::sha256_hex(kernel::manifest_text(std::move(manifest))));
}

std::vector<std::string> differences(const kernel::WorkspaceHash& hash, const std::string& folder, const Blobs& blobs) {
  std::vector<std::string> found;
  std::map<std::string, const ManifestEntry*> expected;
  std::set<std::string> folders;
  const std::vector<ManifestEntry> entries = manifest_of(hash.text(), blobs);
  for (const ManifestEntry& entry : entries) {
    expected.emplace(entry.path, &entry);
    for (std::size_t slash = entry.path.find('/'); slash != entry.path.npos; slash = entry.path.find('/', slash + 1))
      folders.insert(entry.path.substr(0, slash));
  }
  std::error_code error;
  if (fs::symlink_status(folder, error).type() != fs::file_type::directory) return {"is no folder"};
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string(), below = path.substr(folder.size() + 1);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;  // Deleted meanwhile; reported as missing below.
    const auto entry = expected.find(below);
    if (entry == expected.end()) {
      if (!S_ISDIR(status.st_mode) || !folders.contains(below)) found.push_back(below + " is not in the manifest");
      continue;
    }
    if (!is_entry(path, status, *entry->second)) found.push_back(below + " was changed");
    expected.erase(entry);
  }
  if (error) found.push_back("cannot be read (" + error.message() + ")");
  for (const auto& [path, entry] : expected) found.push_back(path + " is missing");
  std::ranges::sort(found);
  return found;
}

void materialise(const kernel::WorkspaceHash& hash, const std::string& folder, const Blobs& blobs) {
  std::error_code error;
  const bool there = fs::exists(fs::symlink_status(folder, error));
  if (there && differences(hash, folder, blobs).empty()) return;
  const std::vector<ManifestEntry> entries = manifest_of(hash.text(), blobs);
  const std::string parent = fs::path(folder).parent_path().string();
  make_private_folder(parent);
  const kernel::ScratchFolder draft = scratch_folder(folder + ".");
  build(entries, draft.path(), blobs);
  if (there) {
    const kernel::ScratchFolder old = scratch_folder(folder + ".");
    if (::rename(folder.c_str(), (old.path() + "/changed").c_str()) != 0 && errno != ENOENT)
      throw fault_of_errno(folder, "replaced");
  }
  // Another process made the same folder first.
  if (::rename(draft.path().c_str(), folder.c_str()) != 0 && !fs::is_directory(folder, error))
    throw fault_of_errno(folder, "created");
  sync_folder(parent);
}

}  // namespace memory
