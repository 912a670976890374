#pragma once
// A preregistration as Markdown: the questions of AsPredicted.org, answered once for each registration of a study. What
// answers them is the registration and the events before it, so that a later event changes nothing of an earlier part.

#include <string>

#include "artifacts/read/safe_root.h"

namespace artifacts {

/// The page. The problem: no artifact of etude, a broken record, or nothing was registered.
kernel::Result<std::string> preregistration_page(const SafeRoot&);
/// The same from a log alone, such as one that ends with a registration. `wording`: that of the artifact.
kernel::Result<std::string> preregistration_of_log(std::string_view log, int wording);

}  // namespace artifacts
