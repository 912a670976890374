#pragma once
// The entry of Toolchain::prefixes that stands for an image, whose files a job sees as `/` instead of this machine's
// system. It is written `FOLDER:/`. FOLDER is absolute or, in a record, a name in HOME/kept. Pure.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/domain/job_spec.h"

namespace kernel {

/// No other entry ends so, since paths of folders end without a slash.
inline constexpr std::string_view image_mark = ":/";

inline std::string image_entry(const std::string& folder) {
  return folder + std::string(image_mark);
}

/// The image's folder; none if jobs see this machine's system.
inline std::optional<std::string> image_of(const Toolchain& toolchain) {
  const auto entry = std::ranges::find_if(toolchain.prefixes, [](const auto& e) { return e.ends_with(image_mark); });
  if (entry == toolchain.prefixes.end()) return std::nullopt;
  return entry->substr(0, entry->size() - image_mark.size());
}

}  // namespace kernel
