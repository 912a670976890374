#pragma once
// What studies leave behind for later studies, and a full-text index of it. Written with the other read models in their
// transaction; an unchanged row costs one look-up.

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

void remember_study(Database&, const kernel::StudyTerms&);
/// With its verdict, once there is one.
void remember_hypothesis(Database&, const kernel::StudyTerms&, const kernel::HypothesisRecord&);
/// Decisions, dead ends, pivots and insights; the study and its hypotheses cover the other nodes.
void remember_node(Database&, const kernel::StudyTerms&, const kernel::Node&);
void remember_claim(Database&, const kernel::StudyTerms&, const kernel::Claim&);
/// The message of people to the agents at `position`.
void remember_word(Database&, const kernel::Study&, std::size_t position);

/// All content of an artifact, under its id.
void remember_import(Database&, const kernel::ImportedArtifact&);

/// Records which papers the study may search.
void remember_papers(Database&, const kernel::StudyTerms&);
/// Indexes the pages of papers that are not indexed yet. `fetch` returns a blob's bytes; a text for which it throws
/// StoreFault is left out.
void index_papers(Database&, const kernel::StudyTerms&,
                  const std::function<std::string(const std::string& sha256)>& fetch);

/// Deletes all rows except the papers' pages, which need not be read again.
void forget_all(Database&);

/// The text and pages of a file that was in some study's corpus.
std::optional<kernel::Paper> paper_of(Database&, const std::string& sha256);

/// The best matches first; without words the newest first. Words are never query syntax.
std::vector<kernel::Recollection> recall(Database&, const kernel::RecallQuery&);

}  // namespace memory
