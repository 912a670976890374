#pragma once
// Licences by their texts. Pure.

#include <string>

namespace cli {

/// The SPDX id of a common licence's text; empty for others, and for the GNU ones, whose text does not say whether
/// later versions are allowed, too.
std::string license_of(const std::string& text);

}  // namespace cli
