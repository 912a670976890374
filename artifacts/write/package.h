#pragma once
// Writes a concluded study as an artifact: tree, evidence, figures, report and etude.json. Composes only what the study
// recorded, and says which folder it may replace. Blocks the calling thread; borrows its input.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "artifacts/write/package_input.h"
#include "base/result.h"
#include "kernel/domain/reason.h"

namespace artifacts {

struct Packaged {
  std::string path, report_html;      ///< Absolute.
  std::vector<std::string> warnings;  ///< For people: figures that could not be drawn.
};

/// Why no artifact can be placed in a folder: for people, and for the event of a study that ends without one.
struct Unplaced : kernel::Problem {
  kernel::Reason reason;
};

/// What an artifact has that does not follow from its log, whose hashes the log must therefore have before its head is
/// printed: pictures, the ends of long logs, and the pages of a reproduction.
struct UnloggedFiles {
  std::map<std::string, std::string> files;  ///< Path within the artifact → bytes.
  std::string trouble;                       ///< Why pictures are missing; empty if none is.
};
UnloggedFiles unlogged_files(const PackageInput&);

/// Builds the artifact next to `output_folder`, flushes it to disk, then swaps: at every moment the folder is the
/// complete old or the complete new artifact. Faults of disk and blobs throw.
kernel::Result<Packaged, Unplaced> package(const PackageInput&, const std::string& output_folder);

/// True if `folder` does not exist, is empty, or is an artifact of etude with only generated files. A problem names an
/// additional file or an annotated page, or says that no folder can be made there, which it tries.
kernel::Result<bool, Unplaced> may_replace(const std::string& folder);

/// The absolute path, without a final slash, with links resolved as far as it exists.
std::filesystem::path placed(const std::string& folder);
/// Moves `made` to `target`, which does not exist, is empty or is an artifact. Both are in the same folder. Faults
/// throw.
void swap_in(const std::filesystem::path& made, const std::filesystem::path& target);

}  // namespace artifacts
