#pragma once
// What a killed kernel leaves in a home beside its store.

#include "apps/session/home.h"
#include "memory/blobs.h"

namespace session {

/// Removes the folders of runs whose end is recorded, checkpoints that no attempt will read, and what belongs to
/// studies that the store does not have; while no guest is there, also half-made blobs and workspaces, and the folders
/// of tries whose job is over. Cheap where nothing was left. Precondition: the caller owns the home and has neither
/// started a job nor put a blob yet.
void remove_leftovers(const HomePaths&, memory::Blobs&);

/// The number of the run that a folder's name says it is a launch of; 0: it is none.
int launched_run(const std::string& folder_name);

}  // namespace session
