#pragma once
// Backs up a home as one file: a tar with a consistent etude.db and every blob that its events name, each checked; `tar
// -xf FILE -C HOME` restores it (docs/home.md). Works while a kernel writes. Precondition: the caller prevents gc.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace memory {

struct Backup {
  std::string file;  ///< Absolute.
  std::int64_t bytes = 0, events = 0, blobs = 0;
};

/// Durable when it returns; a failure leaves no file. A problem: no store, no such folder, or an existing file without
/// `replace`. Throws StoreFault on a full disk, a broken chain, and a missing or damaged blob.
kernel::Result<Backup> back_up(const std::string& home, const std::string& file, bool replace);

}  // namespace memory
