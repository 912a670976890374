#pragma once
// Gives the blocks of a Markdown layer their ids (`## C01: title` in every dialect seen), and folds deeper headings
// beneath such a block into fields of it. Never fails; resolves no reference.

#include <span>
#include <string>
#include <string_view>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"

namespace artifacts {

/// `prefixes`: the letters that ids of this layer start with, such as "C", or "O" and "G". `dash_fixable`: `--fix`
/// rewrites headers with a dash (it does so for claims only).
Layer read_layer(std::string_view text, const std::string& file, std::span<const std::string_view> prefixes,
                 bool dash_fixable, Findings& findings);

/// The front matter, its own line numbers kept, and the body.
Paper read_paper(std::string_view text, const std::string& file, Findings& findings);

/// The rows under "## Layer Index": of tables, and of lists with links.
std::vector<IndexRow> layer_index_of(const Layer& paper, bool& has_index);
/// The rows of evidence/README.md, likewise.
std::vector<IndexRow> evidence_index_of(const Layer& readme);

}  // namespace artifacts
