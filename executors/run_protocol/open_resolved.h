#pragma once
// Opens paths that a job may have made, without leaving a folder: openat2, or on kernels without it (before Linux 5.6)
// the same path taken step by step. Descriptors are close-on-exec.

#include <cstdint>
#include <string>

namespace supervisor {

/// `flags` and `resolve` as for openat2, which is tried again after an interruption. -1 with errno.
int open_resolved(int folder, const std::string& path, std::uint64_t flags, std::uint64_t resolve);

/// The same without openat2. Always RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS; of the other rules it knows
/// RESOLVE_NO_SYMLINKS and RESOLVE_NO_XDEV.
int open_by_steps(int folder, const std::string& path, std::uint64_t flags, std::uint64_t resolve);

}  // namespace supervisor
