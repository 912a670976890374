#pragma once
// What a study has spent and set aside, and the only place where that is compared with limits: those of the study and
// those of its gates. Pure: a fold over events has made the numbers, so a crash neither loses nor repeats one.

#include <optional>
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
Account spent(const Ledger&);

Spending spending_of(const Study&, Time now);

/// The most that calls of models may take.
struct CallCost {
  double tokens = 0, usd = 0;
};

/// A limit that what comes next would exceed.
struct Exceeded {
  Limit limit = Limit::runs;
  Amount used;
  double most = 0;
  std::optional<double> next;  ///< What comes next, at most; unset: nobody knows, and the limit is reached.
};

/// The first limit that these calls would exceed; without calls, the first that one more run would. How much time,
/// GPU hours, money or tokens a run will take is not known: such a limit is exceeded once it is reached.
std::optional<Exceeded> exceeded(const Budget& limits, const Spending&, const std::optional<CallCost>& = std::nullopt);
/// "usd: 0.9 of 1 spent, and the next call may take 0.2", for a study's pause or the end of a search.
std::string text_of(const Exceeded&);

/// How many more runs may start; none: no limit.
std::optional<std::int64_t> runs_left(const Budget& limits, const Study&);
/// Boot clock, ms: when an open session has used that much wall time.
std::int64_t wall_used_at(const WallClock&, double wall_s);

/// "runs 400, wall 10 min": every limit that is set.
std::string limits_text(const Budget&);

}  // namespace kernel
