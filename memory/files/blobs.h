#pragma once
// Bytes under their own SHA-256: HOME/blobs/ab/cdef…, written once, then read-only. Knows nothing of events.
// Thread-safe, also together with other processes that write to the same folder.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "kernel/domain/records.h"
#include "memory/files/file.h"

namespace memory {

class Blobs {
 public:
  /// When a blob must survive a power cut: `now` before `put` returns, `later` once `sync` has returned.
  enum class Durable { now, later };

  /// `folder`: HOME/blobs; created when it is first needed.
  explicit Blobs(std::string folder);
  /// Removes blobs that were put with `later` and never synced; no event may name them.
  ~Blobs();
  Blobs(const Blobs&) = delete;
  Blobs& operator=(const Blobs&) = delete;

  kernel::BlobRef put(std::string_view bytes, Durable = Durable::now);
  /// Stores everything from the descriptor's position to its end, in constant memory. More than `cap` bytes are not
  /// stored; then the reference is empty.
  kernel::BlobRef put_fd(int fd, std::int64_t cap, Durable = Durable::now);
  /// Makes all blobs that were put with `later` durable, in two flushes.
  void sync();

  /// The bytes; empty for the empty name. Throws StoreFault if they are missing or damaged.
  std::string get(const std::string& sha256) const;
  /// The same in parts, in constant memory. Damage is found only at the end.
  void stream(const std::string& sha256, const std::function<void(std::string_view)>& part) const;
  bool exists(const std::string& sha256) const;
  /// The blob's path, whether or not it exists yet.
  std::string path(const std::string& sha256) const;

 private:
  struct Pending {
    std::string temporary;
    std::int64_t bytes = 0;
  };

  std::string temporary_path();
  Fd open(const std::string& sha256) const;
  Fd create(const std::string& path) const;
  /// Moves a finished file to its name. Returns whether a folder was made for it.
  bool publish(const std::string& temporary, const std::string& path) const;
  bool has(const std::string& sha256, std::int64_t bytes) const;
  void make_folder(const std::string& path) const;
  kernel::BlobRef settle(const std::string& temporary, int fd, kernel::BlobRef, Durable);

  const std::string folder_;
  std::atomic<std::uint64_t> next_{1};
  std::mutex syncing_;        ///< One `sync` at a time.
  mutable std::mutex mutex_;  ///< Guards `pending_`.
  std::map<std::string, Pending> pending_;
};

/// Whether it has the form of a blob's name: 64 lower-case hex digits.
bool is_blob_name(std::string_view);

}  // namespace memory
