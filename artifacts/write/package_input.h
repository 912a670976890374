#pragma once
// The input of packaging: a concluded study, its log and its blobs. Borrowed for the call.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/study/state.h"

namespace artifacts {

/// The result of a reproduction, as JSON and as a page.
struct ReproductionPages {
  std::string artifact;  ///< The path of the reproduced artifact.
  std::string json, markdown;
};

/// Where pages say what they say. Since 2, the tables of evidence/README.md list what belongs to a page of evidence,
/// and the other files are listed below them. Since 3, figures are in the newest style, each also as PDF, and the
/// report shows their values to readers who point at them.
inline constexpr int newest_layout = 3;

/// Returns the bytes of a blob; empty if it does not exist.
using BlobReader = std::function<std::string(const std::string& sha256)>;

struct PackageInput {
  const kernel::Study& study;  ///< Concluded, with its outcome.
  std::string head;            ///< Chain head of the events below.
  BlobReader blob;
  /// The study's log up to `head`, one JSON object per line, without newlines, byte for byte.
  std::function<void(const std::function<void(std::string_view line)>&)> event_lines;
  std::string tool_version;
  std::optional<ReproductionPages> reproduction{};  ///< For a study that reproduced an artifact.
  int layout = newest_layout;
};

}  // namespace artifacts
