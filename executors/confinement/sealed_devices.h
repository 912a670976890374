#pragma once
// A job of root owns the machine's device nodes and could change their modes even without a capability. Through
// read-only mounts in a private mount namespace the devices still work, and bubblewrap passes these mounts on.

#include <string>
#include <vector>

namespace supervisor {

/// Device nodes that every sandbox shows.
const std::vector<std::string>& common_devices();

/// Seals the common devices in a new mount namespace of this process. Mounts of the old namespace still reach it. It
/// lacks file systems that no job needs, because bubblewrap reads the list of mounts again for each of its own. False
/// with errno.
bool share_sealed_devices();

/// Seals all of these for this process. The sealing of `share_sealed_devices` is used unless something was mounted
/// above it since; the rest is sealed in a mount namespace of this process alone. False with errno.
bool seal_devices(const std::vector<std::string>& nodes);

}  // namespace supervisor
