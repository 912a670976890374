#pragma once
// Gives the blocks of a Markdown layer their ids (`## C01: title` in every known dialect), and turns deeper headings
// under a block into its fields. Never fails; resolves no reference.

#include <span>
#include <string>
#include <string_view>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"

namespace artifacts {

/// `prefixes`: first letters of ids in this layer, such as "C", or "O" and "G". `dash_fixable`: whether `--fix`
/// rewrites headers with a dash, which it does only for claims.
Layer read_layer(std::string_view text, const std::string& file, std::span<const std::string_view> prefixes,
                 bool dash_fixable, Findings& findings);

/// The front matter, with its line numbers, and the body.
PaperPage read_paper_page(std::string_view text, const std::string& file, Findings& findings);

/// The rows under "## Layer Index", from tables and from lists with links.
std::vector<IndexRow> layer_index_of(const Layer& paper, bool& has_index);
/// The rows of evidence/README.md, likewise.
std::vector<IndexRow> evidence_index_of(const Layer& readme);

}  // namespace artifacts
