#pragma once
// A concluded study as a folder that outlives us: the artifact format's tree, evidence, figures, report and etude.json.
// Composes only from what the study recorded; decides nothing. Blocks the calling thread; borrows its input.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/reproduction.h"
#include "kernel/result.h"
#include "kernel/state.h"

namespace artifacts {

struct PackageInput {
  const kernel::Study& study;                                  ///< Concluded: its outcome is set.
  std::string head;                                            ///< Chain head of the events below.
  std::function<std::string(const std::string& sha256)> blob;  ///< Its bytes; empty where there is none.
  /// The study's log up to `head`, one JSON object a line, without newlines, byte for byte.
  std::function<void(const std::function<void(std::string_view line)>&)> event_lines;
  std::string tool_version;
  std::optional<ReproductionReport> reproduction{};  ///< Of a study that ran an artifact again: its answer.
};

struct Packaged {
  std::string path, report_html;      ///< Absolute.
  std::vector<std::string> warnings;  ///< For people: figures that could not be drawn.
};

/// True where `folder` is absent, empty, or an artifact of ours that holds only what we wrote; a file more, or an
/// annotated page, is a problem that names it. So is a place where no folder can be made: that is tried.
kernel::Result<bool> may_replace(const std::string& folder);

/// Builds beside `output_folder`, flushes to disk, then swaps: at every instant the folder is the old artifact whole or
/// the new one whole. Faults of disk and blobs throw.
kernel::Result<Packaged> package(const PackageInput&, const std::string& output_folder);

}  // namespace artifacts
