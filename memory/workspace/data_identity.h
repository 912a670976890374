#pragma once
// What an input is called, so that two studies can tell whether they read the same one. Reads the input once, changes
// nothing.

#include "base/result.h"
#include "kernel/domain/records.h"

namespace memory {

/// `sha256`: "sha256:…" of a file's bytes, or of the manifest of a folder (paths, sizes, hashes; links by their
/// targets). `manifest`: "manifest:…" of names, sizes and modification times only. `declared`: "declared:ID". A
/// problem: nothing there, unreadable, or a link that leads out of the folder, where no job could follow it.
kernel::Result<kernel::DataRecord> identify_data(const kernel::DataSpec&);

}  // namespace memory
