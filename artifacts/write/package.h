#pragma once
// Writes a concluded study as an artifact: tree, evidence, figures, report and etude.json. Composes only what the study
// recorded; decides nothing. Blocks the calling thread; borrows its input.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/write/package_input.h"
#include "base/result.h"
#include "kernel/study/state.h"

namespace artifacts {

struct Packaged {
  std::string path, report_html;      ///< Absolute.
  std::vector<std::string> warnings;  ///< For people: figures that could not be drawn.
};

/// Builds the artifact next to `output_folder`, flushes it to disk, then swaps: at every moment the folder is the
/// complete old or the complete new artifact. Faults of disk and blobs throw.
kernel::Result<Packaged> package(const PackageInput&, const std::string& output_folder);

}  // namespace artifacts
