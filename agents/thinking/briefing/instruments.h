#pragma once
// What an agent must know before it plans: how much a metric varies by chance, which levels were run so far, how well
// earlier forecasts did, what is left of the family, of the looks and of the budget, and the results and dead ends that
// touch the plan. Shows nothing of experiments without verdicts. Pure.

#include <string>

#include "kernel/study/state.h"

namespace agents {

/// Empty if nothing is known yet.
std::string instruments_note(const kernel::Study&);

/// Results of earlier studies, and dead ends of this study: those that touch the plan first, with what they share.
std::string past_note(const kernel::Study&);

/// What is left of each limit; empty if there is none. A replay has another clock and other costs, so it ignores this
/// section (calls/role_model.cc).
std::string budget_note(const kernel::StudyTerms&, const kernel::Ledger&, const kernel::Thinking&,
                        const kernel::WallClock&);

/// The bits of surprise at a verdict that was forecast with this probability of `supported`.
double surprise_bits(double forecast, bool supported);

}  // namespace agents
