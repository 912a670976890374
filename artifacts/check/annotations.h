#pragma once
// The findings of a report as GitHub and GitLab show them at the lines of a change. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/check/check.h"

namespace artifacts {

/// Workflow commands of GitHub Actions, one a line: `::error file=ara/PAPER.md,line=3,title=etude RULE::MESSAGE`.
/// `folder`: the artifact's folder within the repository; empty for a zip, whose findings have no place there.
std::string to_github(const CheckReport&, const std::string& folder);
/// A report of GitLab's code quality: each finding with its path, line, severity and fingerprint, which stays the same
/// when other findings come and go.
nlohmann::json to_gitlab(const CheckReport&, const std::string& folder);

}  // namespace artifacts
