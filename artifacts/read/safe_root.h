#pragma once
// Reads files below one directory and nothing else: openat2 refuses every path that leaves it. Only regular files are
// read, sizes are limited, and `.ara_env`, which contains a secret, is never opened. Knows nothing of the format.
// Single-threaded; owns the directory's descriptor.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace artifacts {

enum class FileKind {
  none,
  regular,
  directory,
  special,     ///< A pipe, socket or device, a dangling or circular link.
  outside,     ///< The path, or a link on it, leaves the root.
  unreadable,  ///< Permission denied, or a disk error.
  secret,
};

struct Entry {
  std::string path;  ///< Below the root, '/'-separated.
  FileKind kind = FileKind::none;
  std::uint64_t size = 0;
  bool link = false;        ///< Reached through a symbolic link (which stays inside, unless kind is `outside`).
  bool executable = false;  ///< A regular file that its owner may execute; set by `list` only.
};

struct Listing {
  std::vector<Entry> entries;  ///< Sorted by path, with directories. Folders behind links are not entered.
  bool complete = true;        ///< False if there are too many entries or too deep folders.
};

struct FileBytes {
  FileKind kind = FileKind::none;
  bool too_large = false;
  std::string bytes;  ///< Only if the file is whole.

  bool whole() const { return kind == FileKind::regular && !too_large; }
};

class SafeRoot {
 public:
  /// `follow_inside` follows links that stay inside the root; `refuse`, and systems without openat2, follow none.
  enum class Links { follow_inside, refuse };

  static kernel::Result<SafeRoot> open(const std::string& directory, Links links = Links::follow_inside);

  /// Paths that lead out of this root may be looked up in `repository`, a folder around `folder`, which is this root.
  /// Returns why that cannot be.
  std::optional<kernel::Problem> surround(const std::string& folder, const std::string& repository);
  /// The root of the repository; null if there is none.
  const SafeRoot* repository() const { return repository_.get(); }
  /// The path of this root below the repository.
  const std::string& place_in_repository() const { return place_; }

  Entry look(const std::string& path) const;
  FileBytes read(const std::string& path, std::uint64_t limit) const;
  /// Passes the file's bytes to `sink` piece by piece; stops after `limit` bytes and sets `too_large`.
  FileBytes stream(const std::string& path, std::uint64_t limit,
                   const std::function<void(std::string_view)>& sink) const;
  /// The SHA-256 of a whole file; none if it is not, or larger than `limit`.
  std::optional<std::string> sha256(const std::string& path, std::uint64_t limit) const;
  Listing list() const;
  /// The text of a symbolic link; empty if it is none, or if its folders lead outside.
  std::string link_target(const std::string& path) const;
  /// Replaces a regular file by one with these bytes, atomically and with the same mode. Refuses links, also in the
  /// path. Returns the error, or empty.
  std::string replace(const std::string& path, std::string_view bytes) const;
  /// Makes a new file with these bytes, and the folders above it. Replaces nothing, and refuses links in the path.
  /// Returns the error, or empty.
  std::string create(const std::string& path, std::string_view bytes) const;
  /// Deletes a regular file. Refuses links, also in the path. Returns the error, or empty.
  std::string remove(const std::string& path) const;

 private:
  struct Opened {
    kernel::Fd fd;
    int error = 0;
  };

  SafeRoot(kernel::Fd root, Links links) : root_(std::move(root)), links_(links) {}
  Opened open_beneath(const std::string& path, int flags) const;
  Entry entry_of(const std::string& path, const Opened& opened) const;

  kernel::Fd root_;
  Links links_;
  std::unique_ptr<const SafeRoot> repository_;
  std::string place_;
};

}  // namespace artifacts
