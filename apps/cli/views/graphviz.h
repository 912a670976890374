#pragma once
// Draws graphs with Graphviz. Runs `dot` and waits; uses a temporary folder.

#include <string>

#include "base/result.h"

namespace cli {

/// `dot_text` as SVG. A problem, with the package to install, if there is no `dot` on `search_path` or it fails.
kernel::Result<std::string> svg_by_graphviz(const std::string& dot_text, const std::string& search_path);

}  // namespace cli
