#pragma once
// Bytes under their own SHA-256: HOME/blobs/ab/cdef…, written once, never changed, read-only. Knows nothing of events.
// Thread-safe, and safe beside other processes that put blobs in the same folder.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/domain/records.h"
#include "memory/files/file.h"

namespace memory {

class Blobs {
 public:
  /// When a blob must survive a power cut: `now` before `put` returns, `later` once `sync` has returned.
  enum class Durable { now, later };

  /// `folder`: HOME/blobs; created when first needed.
  explicit Blobs(std::string folder);
  /// What was put for later and never synced is removed: no event may name it.
  ~Blobs();
  Blobs(const Blobs&) = delete;
  Blobs& operator=(const Blobs&) = delete;

  kernel::BlobRef put(std::string_view bytes, Durable = Durable::now);
  /// Everything from the descriptor's position to its end, in constant memory. More than `cap` bytes are not kept: the
  /// reference is empty then.
  kernel::BlobRef put_fd(int fd, std::int64_t cap, Durable = Durable::now);
  /// Makes durable all that was put for later, in two flushes however many there are.
  void sync();

  /// The bytes; nothing for the empty name. Throws StoreFault when they are missing or do not have that hash.
  std::string get(const std::string& sha256) const;
  /// The same in parts, in constant memory; it is only known at the end whether they were the right ones.
  void stream(const std::string& sha256, const std::function<void(std::string_view)>& part) const;
  bool exists(const std::string& sha256) const;
  /// Where the blob lies, or will lie.
  std::string path(const std::string& sha256) const;

 private:
  struct Pending {
    std::string temporary;
    std::int64_t bytes = 0;
  };

  std::string temporary_path();
  Fd open(const std::string& sha256) const;
  Fd create(const std::string& path) const;
  /// Moves a finished file to its name. True: a folder was made for it.
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

/// Whether this could be the name of a blob: 64 lower-case hex digits.
bool is_blob_name(std::string_view);

}  // namespace memory
