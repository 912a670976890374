#pragma once
// The folder of an artifact while it is written. Remembers every file's size, hash and purpose, from which the indexes
// are made. Without a folder, pages stay in memory and are compared with those on disk. Knows nothing of the format.
// Faults throw. Single-threaded; the caller owns the folder.

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/manifest.h"
#include "kernel/wording/wording.h"

namespace artifacts {

/// An artifact cannot be made of what the home holds.
struct PackagingFault : std::runtime_error {
  explicit PackagingFault(kernel::Reason why) : std::runtime_error(kernel::newest_words(why)), reason(std::move(why)) {}
  kernel::Reason reason;
};

/// The index entry of a file. Plain text.
struct About {
  std::string description;
  std::string source;               ///< For evidence: what it was made from.
  std::vector<std::string> claims;  ///< For evidence: ids of claims.
};

struct StagedFile {
  std::string sha256;
  long long bytes = 0;
  About about;
};

using Sink = std::function<void(std::string_view)>;

class Staging {
 public:
  /// In memory.
  Staging() = default;
  /// Precondition: the folder exists and is empty.
  explicit Staging(std::string folder) : folder_(std::move(folder)) {}

  void write(const std::string& path, std::string_view bytes, About about);
  /// `produce` passes the bytes to the sink piece by piece.
  void stream(const std::string& path, const std::function<void(const Sink&)>& produce, About about);
  /// Writes the files of a manifest as PATH/…, from blobs, with executable bits and links. Throws if bytes do not match
  /// their hash, or if a link leaves the tree. Leaves out files named `.ara_env`, which contain a secret. In memory it
  /// trusts the manifest and reads no blobs. `withheld`: paths of the manifest to leave out.
  void make_tree(const std::vector<kernel::ManifestEntry>&, const std::string& path,
                 const std::function<std::string(const std::string& sha256)>& bytes,
                 const std::set<std::string>& withheld = {});
  /// Returns when everything is on disk.
  void sync() const;

  /// Path → file. Links to files have the file's entry; links to folders are left out.
  const std::map<std::string, StagedFile>& files() const { return files_; }
  bool has(const std::string& path) const { return files_.contains(path); }
  const std::string& folder() const { return folder_; }
  /// In memory: path → content, without trees of manifests.
  const std::map<std::string, std::string>& pages() const { return pages_; }

 private:
  void remember_tree(const std::vector<kernel::ManifestEntry>&, const std::string& path,
                     const std::set<std::string>& withheld);

  std::string folder_;
  std::map<std::string, StagedFile> files_;
  std::map<std::string, std::string> pages_;
};

}  // namespace artifacts
