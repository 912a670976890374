#pragma once
// What a study has spent and set aside, and what its limits say to that. Pure: a fold over events has made the numbers,
// so a crash neither loses nor repeats one.

#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// Spent by what has ended, reserved for what lives. Wall time is spent as it passes; a reservation of it, and of
/// GPU hours, is what the live runs may still take by their time-outs (0 where they have none).
struct Amount {
  double reserved = 0, spent = 0;
  double total() const { return reserved + spent; }
};

inline constexpr double seconds_an_hour = 3600;

struct Spending {
  Amount runs, wall_s, usd, tokens, gpu_hours;
};

/// Where runs that this role asks for are charged, in an account opened for them if there is none.
int account_for(Study&, const std::string& role, const RunsQueued&);
/// Where calls of models are charged: the branch is their line of work.
int account_for(Study&, const std::string& role, const std::string& branch);
/// Charges a run that ended.
void settle(Account&, const Run&);
/// The sum of the accounts.
Account spent(const Study&);

Spending spending_of(const Study&, Time now);

/// Which of the limits one more run would go beyond, in words; empty: none.
std::string beyond(const Budget& limits, const Spending&);

/// "runs 400, wall 10 min": every limit that is set.
std::string limits_text(const Budget&);

}  // namespace kernel
