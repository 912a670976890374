#pragma once
// What studies leave behind for those that come after them, and the index of its words. Rows are written with the other
// read models, in their transaction; a row that says what it said costs one look-up.

#include <vector>

#include "kernel/recollection.h"
#include "kernel/state.h"
#include "memory/database.h"

namespace memory {

void remember_study(Database&, const kernel::Study&);
/// With its verdict, once there is one.
void remember_hypothesis(Database&, const kernel::Study&, const kernel::HypothesisRecord&);
/// Decisions, dead ends, pivots and insights; others are said by the study and its hypotheses.
void remember_node(Database&, const kernel::Study&, const kernel::Node&);
void remember_claim(Database&, const kernel::Study&, const kernel::Claim&);
/// The `position`-th thing that people said to the agents.
void remember_word(Database&, const kernel::Study&, std::size_t position);

void forget_all(Database&);

/// The best first; without words the newest first. Words are words: nothing in them is a query's syntax.
std::vector<kernel::Recollection> recall(Database&, const kernel::RecallQuery&);

}  // namespace memory
