#pragma once
// An artifact as passages that a search returns: each claim, node, experiment, page of evidence and section of prose,
// with an address and with its text by lines. Reads only below the root; a file that cannot be read is left out.

#include <string>
#include <vector>

#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

struct PassageText {
  std::string field;  ///< Of an entry: the field's name; empty for prose and titles.
  std::string text;   ///< One line of the file; of a node, the whole value.
  int line = 0;
};

struct ArtifactPassage {
  /// "C01", the path of a file, or `FILE#HEADING`. An id that names something else already is `FILE#ID`.
  std::string address;
  std::string kind;  ///< "claim", "experiment plan", the type of a node, "table", "figure", "prose", …
  std::string title;
  std::string file;
  int line = 0;
  std::vector<PassageText> texts;  ///< Without the title.

  /// The texts of the field, joined by blanks; empty if there is none. Ignores case.
  std::string field(std::string_view name) const;
};

/// In the order of a reader: the paper, claims, nodes, experiments, the rest of logic/, evidence, other pages.
std::vector<ArtifactPassage> passages_of(const Artifact& artifact, const SafeRoot& root);

}  // namespace artifacts
