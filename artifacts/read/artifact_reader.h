#pragma once
// Reads an artifact below a SafeRoot: its Markdown layers with their ids and fields, PAPER.md, the exploration tree in
// every dialect, both indexes, and the list of files. Never fails: what is missing is missing in the model, what is
// malformed or tolerated becomes a finding. Resolves no reference and judges no graph.

#include <span>
#include <string>
#include <string_view>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/read/yaml_value.h"

namespace artifacts {

/// `prefixes`: first letters of ids in this layer, such as "C", or "O" and "G". `dash_fixable`: whether `--fix`
/// rewrites headers with a dash, which it does only for claims.
Layer read_layer(std::string_view text, const std::string& file, std::span<const std::string_view> prefixes,
                 bool dash_fixable, Findings& findings);

/// The front matter, with its line numbers, and the body.
PaperPage read_paper_page(std::string_view text, const std::string& file, Findings& findings);

/// The rows under "## Layer Index", from tables and from lists with links.
std::vector<IndexRow> layer_index_of(const Layer& paper, bool& has_index);
/// The rows of evidence/README.md, from tables and from lists with links.
std::vector<IndexRow> evidence_index_of(const Layer& readme);

Artifact read_artifact(const SafeRoot& root, Findings& findings);
/// The same where the published rules read the tree, too (artifacts/published).
Artifact read_artifact(const SafeRoot& root, Findings& findings, ParsedYaml& tree);

/// The canonical key for an older dialect's key on a node of this type; the key itself if it is no alias.
std::string_view canonical_key(TreeNodeType type, std::string_view key);

Tree read_tree(std::string_view text, const std::string& file, Findings& findings);
Tree read_tree(std::string_view text, const std::string& file, Findings& findings, ParsedYaml& parsed);

}  // namespace artifacts
