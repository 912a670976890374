#pragma once
// What studies leave behind for those that come after them, and the index of its words. Rows are written with the other
// read models, in their transaction; a row that says what it said costs one look-up.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/imported_artifact.h"
#include "kernel/domain/literature.h"
#include "kernel/domain/recall.h"
#include "kernel/study/state.h"
#include "memory/log/database.h"

namespace memory {

void remember_study(Database&, const kernel::Study&);
/// With its verdict, once there is one.
void remember_hypothesis(Database&, const kernel::Study&, const kernel::HypothesisRecord&);
/// Decisions, dead ends, pivots and insights; others are said by the study and its hypotheses.
void remember_node(Database&, const kernel::Study&, const kernel::Node&);
void remember_claim(Database&, const kernel::Study&, const kernel::Claim&);
/// The `position`-th thing that people said to the agents.
void remember_word(Database&, const kernel::Study&, std::size_t position);

/// All that an artifact says, under its id.
void remember_import(Database&, const kernel::ImportedArtifact&);

/// Which papers it may search.
void remember_papers(Database&, const kernel::Study&);
/// The pages of those papers whose text is not indexed yet; `fetch`: a blob's bytes, which may throw StoreFault: such a
/// text is left out.
void index_papers(Database&, const kernel::Study&, const std::function<std::string(const std::string& sha256)>& fetch);

/// All but the papers' pages, which need not be read again.
void forget_all(Database&);

/// What a file's text and pages were when some study had it in its corpus.
std::optional<kernel::Paper> paper_of(Database&, const std::string& sha256);

/// The best first; without words the newest first. Words are words: nothing in them is a query's syntax.
std::vector<kernel::Recollection> recall(Database&, const kernel::RecallQuery&);

}  // namespace memory
