#pragma once
// The first step in a new user namespace that was made without root.

#include <sys/types.h>

namespace supervisor {

struct OwnIds {
  uid_t user;
  gid_t group;
};

/// In the new namespace: the user and the group of outside keep their numbers; all others belong to nobody. False if
/// Linux refuses.
bool map_own_ids(const OwnIds&);

}  // namespace supervisor
