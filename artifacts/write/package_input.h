#pragma once
// What packaging takes: a concluded study, its log and the bytes behind its hashes. Borrowed for the call.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/study/state.h"

namespace artifacts {

/// The answer of a reproduction, for machines and for people.
struct ReproductionPages {
  std::string artifact;  ///< The path of the artifact that was run again.
  std::string json, markdown;
};

struct PackageInput {
  const kernel::Study& study;                                  ///< Concluded: its outcome is set.
  std::string head;                                            ///< Chain head of the events below.
  std::function<std::string(const std::string& sha256)> blob;  ///< Its bytes; empty where there is none.
  /// The study's log up to `head`, one JSON object a line, without newlines, byte for byte.
  std::function<void(const std::function<void(std::string_view line)>&)> event_lines;
  std::string tool_version;
  std::optional<ReproductionPages> reproduction{};  ///< Of a study that ran an artifact again.
};

}  // namespace artifacts
