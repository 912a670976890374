#pragma once
// The identity of a data set, by which two studies can tell whether they read the same data. Reads the input once,
// changes nothing.

#include <string>
#include <vector>

#include "base/manifest.h"
#include "base/result.h"
#include "kernel/domain/records.h"

namespace memory {

/// `sha256` gives "sha256:…" of a file's bytes or of a folder's manifest (paths, sizes, hashes; links by their
/// targets). `manifest` gives "manifest:…" of names, sizes and modification times only; `declared` gives "declared:ID".
/// A problem: missing, unreadable, or a link that leads out of the folder, where no job could follow it.
kernel::Result<kernel::DataRecord> identify_data(const kernel::DataSpec&);

/// The entries of a folder with the hashes of its files, or the one of a file, with an empty path. Whether a file is
/// executable does not count. `what` names the data in problems.
kernel::Result<std::vector<kernel::ManifestEntry>> hashed_entries(const std::string& root, const std::string& what);

}  // namespace memory
