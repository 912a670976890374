#pragma once
// Whether something of a study may be written for others, and a temporary path that replaces a place in one step.

#include <filesystem>
#include <optional>

#include "apps/session/home/home.h"
#include "base/result.h"
#include "kernel/study/state.h"

namespace cli {

/// A problem if a person has not decided on files that look like secrets.
std::optional<kernel::Problem> refused_secrets(const session::HomePaths&, const kernel::Study&);

/// A problem if nothing may be written at `target`. A folder is replaced only if it is an earlier export, or empty.
/// `source`: the artifact's folder, in which nothing is written; empty for a study.
std::optional<kernel::Problem> unusable_target(const std::filesystem::path& target, const std::filesystem::path& source,
                                               bool force);

/// A temporary path next to the target. It is deleted with its object unless it has replaced the target.
class Unfinished {
 public:
  explicit Unfinished(const std::filesystem::path& target);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Precondition: what lies at the path is complete.
  void finish() const;

 private:
  std::filesystem::path target_, path_;
};

}  // namespace cli
