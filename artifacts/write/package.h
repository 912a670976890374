#pragma once
// A concluded study as a folder that outlives us: the artifact format's tree, evidence, figures, report and etude.json.
// Composes only from what the study recorded; decides nothing. Blocks the calling thread; borrows its input.

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

/// Builds beside `output_folder`, flushes to disk, then swaps: at every instant the folder is the old artifact whole or
/// the new one whole. Faults of disk and blobs throw.
kernel::Result<Packaged> package(const PackageInput&, const std::string& output_folder);

}  // namespace artifacts
