#pragma once
// Applies the published rules to the pages of one artifact. Pure; what it finds is in the order of the published
// checker: the tree, the claims, then the other pages, which it reads only if tree and claims have no error.

#include <vector>

#include "artifacts/published/pages.h"
#include "artifacts/read/yaml_value.h"

namespace artifacts::published {

std::vector<PublishedFact> judge(const Pages& pages);
/// The same where another reader reads the tree, too.
std::vector<PublishedFact> judge(const Pages& pages, ParsedYaml& tree);

}  // namespace artifacts::published
