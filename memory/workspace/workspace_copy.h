#pragma once
// Makes a folder from a frozen workspace (snapshot.h), and compares a folder with one. Any thread.

#include <string>
#include <vector>

#include "memory/files/blobs.h"

namespace memory {

/// How `folder` differs from the snapshot of that hash, bytes, kinds and executable bits: "src/sort.py was changed",
/// "… is missing", "… is not in the manifest". Throws StoreFault when the manifest's blob is missing or damaged.
std::vector<std::string> differences(const kernel::WorkspaceHash& hash, const std::string& folder, const Blobs&);

/// Makes `folder` from the snapshot of that hash, and anew where it differs from it: whole and durable, or not at all.
/// Modes are 0644 and 0755, times all the same. Throws StoreFault when a blob is missing or damaged.
void materialise(const kernel::WorkspaceHash& hash, const std::string& folder, const Blobs&);

}  // namespace memory
