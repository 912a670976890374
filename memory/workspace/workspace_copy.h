#pragma once
// Makes a folder from a frozen workspace (snapshot.h), and compares a folder with one. Any thread.

#include <string>
#include <vector>

#include "memory/files/blobs.h"

namespace memory {

/// The differences of `folder` from the snapshot of that hash, in bytes, kinds and executable bits: "src/sort.py was
/// changed", "… is missing", "… is not in the manifest". Throws StoreFault if the manifest's blob is missing or
/// damaged.
std::vector<std::string> differences(const std::string& hash, const std::string& folder, const Blobs&);

/// Makes `folder` from the snapshot, again if it differs: complete and durable, or not at all. Modes are 0644 and 0755,
/// all times are equal. Throws StoreFault if a blob is missing or damaged.
void materialise(const std::string& hash, const std::string& folder, const Blobs&);

}  // namespace memory
