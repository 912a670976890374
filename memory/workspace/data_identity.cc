#include "memory/workspace/data_identity.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/digest.h"
#include "memory/files/file.h"
#include "memory/workspace/walk.h"

namespace memory {

namespace fs = std::filesystem;

namespace {

std::string listing_text(const std::vector<WalkEntry>& entries) {
  std::string text = "{\"etude_listing\":1}\n";
  for (const WalkEntry& e : entries) {
    nlohmann::json line = {{"path", e.path}};
    if (e.type == kernel::EntryType::link)
      line["target"] = e.target;
    else if (e.type != kernel::EntryType::folder)
      line.update({{"bytes", e.bytes}, {"modified_ns", e.modified_ns}});
    text += line.dump() + "\n";
  }
  return text;
}

kernel::Problem unreadable(const std::string& path, const std::string& what) {
  return {path, 0, what, std::string("cannot be read (") + std::strerror(errno) + ")", "make it readable"};
}

/// The entries of a folder, or the one of a file, with an empty path.
kernel::Result<std::vector<WalkEntry>> entries_of(const std::string& root, const std::string& what) {
  struct stat status {};
  if (::stat(root.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    const std::int64_t modified = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
    return std::vector<WalkEntry>{
        {kernel::EntryType::file, "", static_cast<std::int64_t>(status.st_size), modified, ""}};
  }
  Selection everything;
  auto walked = walk(root, everything, what, "remove it from the folder");
  if (!walked) return walked.problem();
  return std::move(walked->entries);
}

}  // namespace

kernel::Result<std::vector<kernel::ManifestEntry>> hashed_entries(const std::string& root, const std::string& what) {
  const auto found = entries_of(root, what);
  if (!found) return found.problem();
  std::vector<kernel::ManifestEntry> entries;
  for (const WalkEntry& e : *found) {
    kernel::ManifestEntry entry{e.type == kernel::EntryType::executable ? kernel::EntryType::file : e.type, e.path, "",
                                e.bytes, e.target};
    if (entry.type == kernel::EntryType::file) {
      const std::string path = e.path.empty() ? root : root + "/" + e.path;
      const auto hash = hash_of_file(path);
      if (!hash) return unreadable(path, what);
      entry.sha256 = *hash;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

kernel::Result<kernel::DataRecord> identify_data(const kernel::DataSpec& spec) {
  const std::string what = "data." + spec.name;
  struct stat status {};
  if (::stat(spec.path.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return unreadable(spec.path, what);
    return kernel::Problem{spec.path, 0, what, "does not exist", "correct its path in the study file"};
  }
  kernel::DataRecord record{spec.name, spec.path, ""};
  if (spec.identity == kernel::Identity::declared) {
    record.identity = "declared:" + spec.declared_id;
    return record;
  }
  const std::string root = fs::canonical(spec.path).string();
  const bool is_file = S_ISREG(status.st_mode);
  if (!is_file && !S_ISDIR(status.st_mode))
    return kernel::Problem{spec.path, 0, what, "is neither a file nor a folder", "name a file or a folder"};
  if (spec.identity == kernel::Identity::manifest) {
    auto listed = entries_of(root, what);
    if (!listed) return listed.problem();
    if (is_file) listed->front().path = fs::path(spec.path).filename().string();
    record.identity = "manifest:" + kernel::sha256_hex(listing_text(*listed));
    return record;
  }
  auto hashed = hashed_entries(root, what);
  if (!hashed) return hashed.problem();
  record.identity =
      "sha256:" + (is_file ? hashed->front().sha256 : kernel::sha256_hex(kernel::manifest_text(std::move(*hashed))));
  return record;
}

}  // namespace memory
