#pragma once
// Reads files beneath one directory and nothing else: openat2 refuses every way out, only regular files are opened
// for reading, sizes are capped, and `.ara_env`, which holds a secret, is never opened. Knows nothing of the format.
// Single-threaded; owns the directory's descriptor.

#include <cstdint>
#include <functional>
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
  special,     ///< A pipe, socket or device, a link that leads nowhere or in circles.
  outside,     ///< The path, or a link on it, leaves the root.
  unreadable,  ///< Permission denied, or an error of the disk.
  secret,
};

struct Entry {
  std::string path;  ///< Below the root, '/'-separated.
  FileKind kind = FileKind::none;
  std::uint64_t size = 0;
  bool link = false;        ///< Reached by a symbolic link (which stays inside, unless kind is `outside`).
  bool executable = false;  ///< A regular file, by its owner; of `list` alone.
};

struct Listing {
  std::vector<Entry> entries;  ///< Sorted by path; directories included. Folders behind links are not entered.
  bool complete = true;        ///< False: more entries or deeper folders than we are ready to look at.
};

struct FileBytes {
  FileKind kind = FileKind::none;
  bool too_large = false;
  std::string bytes;  ///< Only when kind is regular and not too_large.
};

class SafeRoot {
 public:
  /// Links inside the root that stay inside are followed; with `refuse` (also where the system has no openat2) none.
  enum class Links { follow_inside, refuse };

  static kernel::Result<SafeRoot> open(const std::string& directory, Links links = Links::follow_inside);

  Entry look(const std::string& path) const;
  FileBytes read(const std::string& path, std::uint64_t limit) const;
  /// Hands the file's bytes to `sink` piece by piece; stops after `limit` bytes and then says so by `too_large`.
  FileBytes stream(const std::string& path, std::uint64_t limit,
                   const std::function<void(std::string_view)>& sink) const;
  Listing list() const;
  /// A symbolic link's text; empty where it is none, or leads outside by a way through its folders.
  std::string link_target(const std::string& path) const;
  /// Puts a file with these bytes in the place of a regular file, mode kept, in one step that a crash cannot halve.
  /// Refuses links, in the path too. What went wrong, or empty.
  std::string replace(const std::string& path, std::string_view bytes) const;

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
};

}  // namespace artifacts
