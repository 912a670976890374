#include "artifacts/read/recorded_workspace.h"

#include <map>

#include "base/digest.h"
#include "base/manifest.h"

namespace artifacts {

using kernel::EntryType;
using kernel::ManifestEntry;

namespace {

constexpr std::uint64_t largest_manifest = 256u << 20;
/// A sparse file can claim any size.
constexpr std::uint64_t largest_workspace = std::uint64_t{64} << 30;

class WorkspaceReading {
 public:
  WorkspaceReading(const SafeRoot& root, const Listing& listing, const std::string& hash)
      : root_(root), hash_(hash), below_(workspace_path(hash) + "/") {
    for (const Entry& entry : listing.entries)
      if (entry.path.starts_with(below_) && (entry.kind != FileKind::directory || entry.link))
        there_.emplace(entry.path.substr(below_.size()), &entry);
  }

  std::vector<kernel::Problem> all() {
    const std::string manifest = workspace_path(hash_) + ".manifest";
    const FileBytes read = root_.read(manifest, largest_manifest);
    if (read.kind != FileKind::regular || read.too_large) {
      add(manifest, "is missing: nothing shows that the workspace is the recorded one");
      return std::move(problems_);
    }
    if (kernel::sha256_hex(read.bytes) != hash_) {
      add(manifest, "does not have the hash that the workspace is named by");
      return std::move(problems_);
    }
    const auto entries = kernel::read_manifest(read.bytes);
    if (!entries) {
      add(manifest, entries.problem().why);
      return std::move(problems_);
    }
    for (const ManifestEntry& entry : *entries) look_for(entry);
    for (const auto& [path, entry] : there_) add(below_ + path, "is no part of the workspace's manifest");
    return std::move(problems_);
  }

 private:
  void add(const std::string& file, std::string why) { problems_.push_back({file, 0, "", std::move(why), ""}); }

  void look_for(const ManifestEntry& entry) {
    // Folders without files are ignored, because copying an artifact often drops them.
    if (entry.type == EntryType::folder) return;
    const auto found = there_.find(entry.path);
    if (found == there_.end()) {
      add(below_ + entry.path, "is missing: the workspace's manifest names it");
      return;
    }
    const bool same = entry.type == EntryType::link
                          ? found->second->link && root_.link_target(below_ + entry.path) == entry.target
                          : is_file(entry, *found->second);
    if (!same) add(below_ + entry.path, "was changed: it is not what the workspace's manifest names");
    there_.erase(found);
  }

  bool is_file(const ManifestEntry& entry, const Entry& found) {
    if (found.kind != FileKind::regular || found.link || static_cast<std::int64_t>(found.size) != entry.bytes)
      return false;
    kernel::Sha256 digest;
    const FileBytes read = root_.stream(below_ + entry.path, largest_workspace - hashed_, [&](std::string_view piece) {
      hashed_ += piece.size();
      digest.update(piece);
    });
    return read.kind == FileKind::regular && !read.too_large && digest.hex() == entry.sha256;
  }

  const SafeRoot& root_;
  const std::string hash_, below_;
  std::map<std::string, const Entry*> there_;
  std::vector<kernel::Problem> problems_;
  std::uint64_t hashed_ = 0;
};

}  // namespace

std::string workspace_path(const std::string& hash) {
  return "src/workspace/" + hash;
}

std::vector<kernel::Problem> workspace_problems(const SafeRoot& root, const Listing& listing, const std::string& hash) {
  return WorkspaceReading(root, listing, hash).all();
}

}  // namespace artifacts
