#pragma once
// What a killed kernel leaves in a home beside its store.

#include "apps/session/home.h"

namespace session {

/// Removes the folders of runs whose end is recorded, checkpoints that no attempt will read, and what belongs to
/// studies that the store does not have. Cheap where nothing was left. Precondition: the caller owns the home and has
/// no job started yet.
void remove_leftovers(const HomePaths&);

/// The number of the run that a folder's name says it is a launch of; 0: it is none.
int launched_run(const std::string& folder_name);

}  // namespace session
