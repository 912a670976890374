#pragma once
// Checks the identifiers of an SPDX expression against the SPDX License List, which studyfile/lists holds as of the npm
// package spdx-license-ids 3.0.23 (CC0-1.0). Pure.

#include <string>
#include <string_view>
#include <vector>

namespace studyfile {

struct UnlistedLicense {
  std::string written;
  std::string listed;  ///< The identifier that was probably meant; empty if none is near.
};

/// The licences of `expression` that are not on the list as they are written. `LicenseRef-…` and what follows WITH are
/// taken.
std::vector<UnlistedLicense> unlisted_licenses(std::string_view expression);

}  // namespace studyfile
