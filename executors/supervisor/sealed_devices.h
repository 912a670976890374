#pragma once
// A job of root owns the machine's device nodes and could change their modes even without a capability. Seen through
// read-only mounts in a mount namespace of our own they still work, and bubblewrap hands them on as they are.

#include <string>
#include <vector>

namespace supervisor {

/// What every sandbox shows of /dev.
const std::vector<std::string>& common_devices();

/// Seals them in a new mount namespace of this process, which mounts of the old one still reach and which lacks file
/// systems that no job has a use for: bubblewrap reads the list of mounts anew for each one that it makes. False with
/// errno.
bool share_sealed_devices();

/// All of these sealed, where this process is: what `share_sealed_devices` did holds unless something has been mounted
/// above it since; the rest is sealed in a mount namespace of this process alone. False with errno.
bool seal_devices(const std::vector<std::string>& nodes);

}  // namespace supervisor
