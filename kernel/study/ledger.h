#pragma once
// Used and reserved amounts of a study's budget, and the only place that compares them with the limits of the study and
// of its gates. Pure: the amounts are a fold over events, so a crash neither loses nor repeats one.

#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// Spent by ended work, reserved for live work. Wall time counts as spent while it passes. GPU hours are reserved for a
/// run's time-out (none without one).
struct Amount {
  double reserved = 0, spent = 0;
  double total() const { return reserved + spent; }
};

inline constexpr double seconds_an_hour = 3600;
/// A job that is stopped has this long (s) to tidy up, and the supervisor a moment to see its end.
inline constexpr double most_after_time_out_s = 3;

struct Spending {
  Amount runs, wall_s, usd, tokens, gpu_hours;
};

/// The account for runs that this role orders; opened if there is none.
int account_for(Study&, const std::string& role, const RunsQueued&);
/// The account for model calls; the branch is their line of work.
int account_for(Study&, const std::string& role, const std::string& branch);
/// Charges an ended run.
void settle(Account&, const Run&);
/// Sum of the accounts.
Account spent(const Ledger&);

Spending spending_of(const Study&, Time now);

/// The most that model calls may cost.
struct CallCost {
  double tokens = 0, usd = 0;
};

/// A limit that the next step would exceed.
struct Exceeded {
  Limit limit = Limit::runs;
  Amount used;
  double most = 0;
  std::optional<double> next;  ///< The most that the next step may use; unset if unknown (the limit is reached).
};

/// The first limit that these calls would exceed; without calls, that one more run would exceed. Use of time,
/// GPU hours, money and tokens by a run is unknown in advance: such a limit is exceeded once it is reached.
std::optional<Exceeded> exceeded(const Budget& limits, const Spending&, const std::optional<CallCost>& = std::nullopt);
/// The first limit that this run would exceed: the GPU hours that it may take must be left, too.
std::optional<Exceeded> exceeded_by(const Run&, const Study&, const Budget& limits, const Spending&);
/// The most that a run's devices can be used: devices times time-out. 0 without devices or a time-out.
double most_gpu_hours(const Study&, const Run&);
/// "usd: 0.9 of 1 spent, and the next call may take 0.2", for the pause of a study or the end of a search.
Reason reason_of(const Exceeded&);
/// The limit in a reason from `reason_of`; none for other reasons.
std::optional<std::string> limit_of(const Reason&);

/// Number of runs that may still start; none if there is no limit.
std::optional<std::int64_t> runs_left(const Budget& limits, const Study&);
/// Boot-clock time (ms) at which an open session has used that much wall time.
std::int64_t wall_used_at(const WallClock&, double wall_s);

/// "runs 400, wall 10 min": all limits that are set.
std::string limits_text(const Budget&);

}  // namespace kernel
