#pragma once
// Which libraries Python code imports, read from its text. Pure.

#include <set>
#include <string>
#include <string_view>

namespace artifacts {

/// Adds the first names of the modules that the text imports, in lower case: "numpy" of `import numpy.linalg as la`.
/// Imports by other means, such as `importlib`, are not seen.
void add_imported_modules(std::string_view text, std::set<std::string>& modules);

/// Whether one of the modules is that of the library, as package indexes name it: "scikit_learn" is imported as
/// `sklearn`.
bool is_imported(std::string_view library, const std::set<std::string>& modules);

}  // namespace artifacts
