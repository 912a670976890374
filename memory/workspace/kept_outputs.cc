#include "memory/workspace/kept_outputs.h"

#include <cerrno>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/files/file.h"
#include "memory/workspace/data_identity.h"
#include "memory/workspace/ignore.h"
#include "memory/workspace/walk.h"

namespace memory {

namespace fs = std::filesystem;

namespace {

/// Deleted with its content, unless it is published.
kernel::ScratchFolder draft_in(const std::string& folder) {
  make_private_folder(folder + "/tmp");
  return scratch_folder(folder + "/tmp/");
}

/// A run folder of a cluster is on another file system: then a copy.
void link_file(const std::string& from, const std::string& to) {
  std::error_code error;
  if (link(from.c_str(), to.c_str()) != 0 && (errno != EXDEV || !fs::copy_file(from, to, error))) {
    if (error) errno = error.value();
    throw fault_of_errno(to, "linked");
  }
  // Make it read-only.
  struct stat about {};
  if (stat(to.c_str(), &about) != 0 || chmod(to.c_str(), (about.st_mode & 0555) | 0444) != 0)
    throw fault_of_errno(to, "protected");
}

/// Makes the folder with hard links to the same files; returns its bytes.
kernel::Result<std::int64_t> link_folder(const std::string& from, const std::string& to, const std::string& name) {
  Selection everything;
  const auto walked = walk(from, everything, name, "do not leave it in the output");
  if (!walked) return walked.problem();
  std::int64_t bytes = 0;
  fs::create_directory(to);
  for (const WalkEntry& entry : walked->entries) {
    const fs::path place = fs::path(to) / entry.path;
    fs::create_directories(entry.type == kernel::EntryType::folder ? place : place.parent_path());
    if (entry.type == kernel::EntryType::folder) continue;
    if (entry.type == kernel::EntryType::link) {
      fs::create_symlink(entry.target, place);
      continue;
    }
    link_file(from + "/" + entry.path, place);
    bytes += entry.bytes;
  }
  return bytes;
}

/// Links all files, folders and links; skips everything else.
void link_tree(const fs::path& from, const fs::path& to) {
  const fs::file_status about = fs::symlink_status(from);
  if (fs::is_symlink(about)) return fs::create_symlink(fs::read_symlink(from), to);
  if (fs::is_regular_file(about)) return link_file(from, to);
  if (!fs::is_directory(about)) return;
  fs::create_directory(to);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) link_tree(entry, to / entry.path().filename());
}

}  // namespace

std::function<bool(const std::string& path)> matching(const std::vector<std::string>& patterns) {
  auto rules = std::make_shared<IgnoreRules>();  // Shared because std::function copies its target.
  for (const std::string& pattern : patterns) rules->add(pattern, "");
  return [rules](const std::string& path) { return rules->covers(path); };
}

const kernel::LargeOutput* large_output(const std::vector<kernel::LargeOutput>& rules, const std::string& path) {
  for (const kernel::LargeOutput& rule : rules)
    if (matching({rule.pattern})(path)) return &rule;
  return nullptr;
}

void keep_entries(const std::string& folder, const kernel::SetupKey& key, const std::string& source,
                  const std::vector<std::string>& entries) {
  const kernel::ScratchFolder draft = draft_in(folder);
  for (const std::string& entry : entries) link_tree(fs::path(source) / entry, fs::path(draft.path()) / entry);
  sync_file_system(folder);
  const std::string place = folder + "/" + key;
  if (rename(draft.path().c_str(), place.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST)
    throw fault_of_errno(place, "published");
  sync_folder(folder);
}

kernel::Result<kernel::KeptOutput> keep(const std::string& folder, const std::string& source, const std::string& name) {
  struct stat about {};
  if (lstat(source.c_str(), &about) != 0) throw fault_of_errno(source, "read");
  kernel::KeptOutput kept;
  kept.bytes = about.st_size;
  const kernel::ScratchFolder draft = draft_in(folder);
  const std::string copy = draft.path() + "/" + name;
  if (S_ISDIR(about.st_mode)) {
    const auto bytes = link_folder(source, copy, name);
    if (!bytes) return bytes.problem();
    kept.bytes = *bytes;
  } else {
    link_file(source, copy);
  }
  const auto identity = identify_data({name, copy, kernel::Identity::sha256, ""});
  if (!identity) return identity.problem();
  kept.sha256 = identity->identity.substr(identity->identity.find(':') + 1);
  sync_file_system(folder);
  const std::string place = folder + "/" + kept.sha256;
  make_private_folder(place);
  if (rename(copy.c_str(), (place + "/" + name).c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST)
    throw fault_of_errno(place, "published");
  sync_folder(place);
  sync_folder(folder);
  return kept;
}

}  // namespace memory
