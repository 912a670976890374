#pragma once
// One file from which a home can be made again: a tar of etude.db as it stood at one instant and of every blob that its
// events name, each checked on its way; `tar -xf FILE -C HOME` restores it (docs/home.md). Works beside a writing
// kernel. Precondition: the caller keeps gc away, as any guest of the home does.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace memory {

struct Backup {
  std::string file;  ///< Absolute.
  std::int64_t bytes = 0, events = 0, blobs = 0;
};

/// On disk when it returns; until then nothing stands under `file`, and a failure leaves nothing beside it. A problem:
/// the home has no store, there is no such folder, or the file exists and `replace` is false. Faults throw StoreFault:
/// a full disk, a broken chain, a blob that is missing or damaged.
kernel::Result<Backup> back_up(const std::string& home, const std::string& file, bool replace);

}  // namespace memory
