#pragma once
// The folder of an artifact while it is being written: every file's size, hash and purpose is remembered, so that the
// indexes are made from what is there. Without a folder the pages are kept in memory, to be compared with those on
// disk. Knows nothing of the format. Faults throw. Single-threaded; the caller owns the folder.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/manifest.h"

namespace artifacts {

/// What an index says of a file. Plain text.
struct About {
  std::string description;
  std::string source;               ///< Evidence: what it was made from.
  std::vector<std::string> claims;  ///< Evidence: ids.
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
  /// The folder exists and is empty.
  explicit Staging(std::string folder) : folder_(std::move(folder)) {}

  void write(const std::string& path, std::string_view bytes, About about);
  /// `produce` hands the bytes over piece by piece.
  void stream(const std::string& path, const std::function<void(const Sink&)>& produce, About about);
  /// The files of a manifest as PATH/…, their bytes by their hashes; executable bits and links are kept. Throws where
  /// bytes are not the ones named, and where a link leaves the tree. Files named `.ara_env` hold a secret and are left
  /// out. In memory the manifest is believed and no bytes are asked for.
  void make_tree(const std::vector<kernel::ManifestEntry>&, const std::string& path,
                 const std::function<std::string(const std::string& sha256)>& bytes);
  /// On disk before this returns.
  void sync() const;

  /// Path → file; links to files as what they lead to, links to folders not at all.
  const std::map<std::string, StagedFile>& files() const { return files_; }
  bool has(const std::string& path) const { return files_.contains(path); }
  const std::string& folder() const { return folder_; }
  /// In memory: path → what was written, without trees of manifests.
  const std::map<std::string, std::string>& pages() const { return pages_; }

 private:
  void remember_tree(const std::vector<kernel::ManifestEntry>&, const std::string& path);

  std::string folder_;
  std::map<std::string, StagedFile> files_;
  std::map<std::string, std::string> pages_;
};

}  // namespace artifacts
