#pragma once
// Starts programs in an image, outside every run: in a sandbox like a job's, or by Apptainer where jobs have none. Asks
// the image for its environment. Blocks the calling thread; any thread may use it.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "executors/backend/backend.h"

namespace executors {

struct ImageEntry {
  std::vector<std::string> words;  ///< In front of a program and its arguments.
  std::string apptainer;           ///< The program that runs the jobs, too; empty: they have a sandbox.
  std::string version;             ///< Of that program.
};

/// `sandboxed`: whether jobs want a sandbox. `own`: its PATH is used to find programs. A problem if the image cannot be
/// entered here, or if its /bin/sh does not start.
kernel::Result<ImageEntry> entry_into(const std::string& folder, bool sandboxed, const Variables& own);

/// What /.singularity.d/env/*.sh of the image sets, PATH included. A problem if these scripts fail.
kernel::Result<Variables> environment_of_image(const ImageEntry&);

}  // namespace executors
