#pragma once
// Writes what was read under the format's canonical names: reading it again gives the same content, but for lines,
// quoting and, in Markdown, what no reader keeps (comments, code outside fields). Pure.

#include <map>
#include <string>
#include <string_view>

#include "artifacts/read/model.h"

namespace artifacts {

/// trace/exploration_tree.yaml: every node under `tree:`, its keys by their canonical names.
std::string write_tree(const Tree&);
/// A Markdown layer: `## C01: title`, `- **Name**: text`, tables and prose, in the order in which they stood.
std::string write_layer(const Layer&);
/// PAPER.md: the front matter with every key, and the body.
std::string write_paper(const PaperPage&);

/// All that was read, by its path; what no reader reads (code, data, pictures) is none of it.
std::map<std::string, std::string> write_artifact(const Artifact&);

/// What the format calls a field that an older dialect wrote ("Falsification"); the name itself where it is no alias.
std::string_view canonical_field(std::string_view name);

}  // namespace artifacts
