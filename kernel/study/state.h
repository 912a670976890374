#pragma once
// The complete state of the kernel: a fold over events. The kernel thread owns it; other threads get copies or JSON.

#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel/study/study_parts.h"

namespace kernel {

/// A study consists of its parts; the functions here need several of them.
struct Study : StudyTerms, Lifecycle, Hypotheses, Experiments, RunBoard, WallClock, Journal, Exploration, Ledger {
  /// Calls `each` with every part of a study, const or not, in the order in which snapshots store them.
  template <typename S, typename Each>
  static void each_part(S& study, const Each& each) {
    const auto parts = [&]<typename... Part>(Part*...) {
      (each(static_cast<std::conditional_t<std::is_const_v<S>, const Part, Part>&>(study)), ...);
    };
    parts(static_cast<StudyTerms*>(nullptr), static_cast<Lifecycle*>(nullptr), static_cast<Hypotheses*>(nullptr),
          static_cast<Experiments*>(nullptr), static_cast<RunBoard*>(nullptr), static_cast<WallClock*>(nullptr),
          static_cast<Journal*>(nullptr), static_cast<Exploration*>(nullptr), static_cast<Ledger*>(nullptr));
  }

  Phase phase() const;
  /// Hashes of the present workspace and of all workspaces with a registration.
  std::set<std::string> workspaces() const;
  /// Of all batches, earlier ones first.
  std::vector<SizeRecord> all_sizes() const;
  /// True if it ended, or is paused with no live run or open model call. Captured: nothing is live or will start.
  bool at_rest() const {
    if (spec.captured() && !outcome && !cancelling)
      return live.empty() && (queue.empty() || state != StudyState::running);
    return state != StudyState::running && live.empty() && (state == StudyState::ended || thinking.under_way == 0);
  }
  /// The order behind a scratch run; null if the run uses the study's own command.
  const ScratchOrder* order_of(const Run&) const;
  /// True if the line waits for a person's decision or for the end of a run that it ordered.
  bool rests(const LineOfWork&) const;
  const Resources& resources_of(const Run&) const;
};

/// NUMBER of STUDY-rNUMBER, or 0.
int run_number(const std::string& run_id);
/// STUDY of STUDY-rNUMBER, or empty.
std::string run_study(const std::string& run_id);

struct State {
  std::map<std::string, Study> studies;

  Study* study(const std::string& id);
  const Study* study(const std::string& id) const;
};

/// Applies one event, live and in replays. Pure. Throws std::logic_error if the event breaks an invariant.
void apply(State&, const Event&);

}  // namespace kernel
