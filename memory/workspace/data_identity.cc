#include "memory/workspace/data_identity.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

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

}  // namespace

kernel::Result<kernel::DataRecord> identify_data(const kernel::DataSpec& spec) {
  const std::string what = "data." + spec.name;
  const auto unreadable = [&](const std::string& path) {
    return kernel::Problem{path, 0, what, std::string("cannot be read (") + std::strerror(errno) + ")",
                           "make it readable"};
  };
  struct stat status {};
  if (::stat(spec.path.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return unreadable(spec.path);
    return kernel::Problem{spec.path, 0, what, "does not exist", "correct its path in the study file"};
  }
  kernel::DataRecord record{spec.name, spec.path, ""};
  if (spec.identity == kernel::Identity::declared) {
    record.identity = "declared:" + spec.declared_id;
    return record;
  }
  const std::string root = fs::canonical(spec.path).string();
  const bool listing = spec.identity == kernel::Identity::manifest;
  if (S_ISREG(status.st_mode)) {
    if (listing) {
      const std::int64_t modified = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
      const std::string name = fs::path(spec.path).filename().string();
      record.identity =
          "manifest:" + kernel::sha256_hex(listing_text({{kernel::EntryType::file, name,
                                                          static_cast<std::int64_t>(status.st_size), modified, ""}}));
      return record;
    }
    const auto hash = hash_of_file(root);
    if (!hash) return unreadable(root);
    record.identity = "sha256:" + *hash;
    return record;
  }
  if (!S_ISDIR(status.st_mode))
    return kernel::Problem{spec.path, 0, what, "is neither a file nor a folder", "name a file or a folder"};

  Selection everything;
  const auto walked = walk(root, everything, what, "remove it from the folder");
  if (!walked) return walked.problem();
  if (listing) {
    record.identity = "manifest:" + kernel::sha256_hex(listing_text(walked->entries));
    return record;
  }
  std::vector<kernel::ManifestEntry> manifest;
  for (const WalkEntry& e : walked->entries) {
    kernel::ManifestEntry entry{e.type == kernel::EntryType::executable ? kernel::EntryType::file : e.type, e.path, "",
                                e.bytes, e.target};
    if (entry.type == kernel::EntryType::file) {
      const auto hash = hash_of_file(root + "/" + e.path);
      if (!hash) return unreadable(root + "/" + e.path);
      entry.sha256 = *hash;
    }
    manifest.push_back(std::move(entry));
  }
  record.identity = "sha256:" + kernel::sha256_hex(kernel::manifest_text(std::move(manifest)));
  return record;
}

}  // namespace memory
