#pragma once
// The kernel's whole knowledge: a fold over events. Owned by the kernel thread; everyone else gets copies or JSON.

#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel/study/study_parts.h"

namespace kernel {

/// A study is its parts, and what can only be said of several of them.
struct Study : StudyTerms, Lifecycle, Hypotheses, Experiments, RunBoard, WallClock, Journal, Exploration, Ledger {
  /// Calls `each` with every part of a study, constant or not, in the order in which snapshots store them.
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
  /// Hashes of every workspace that something was registered for, and of the present one.
  std::set<std::string> workspaces() const;
  /// Of all batches, those of earlier ones first.
  std::vector<SizeRecord> all_sizes() const;
  /// Ended, or paused with nothing running, and no reply to come; of one that is captured: nothing runs or waits to.
  bool at_rest() const {
    if (spec.captured() && !outcome && !cancelling)
      return live.empty() && (queue.empty() || state != StudyState::running);
    return state != StudyState::running && live.empty() && (state == StudyState::ended || thinking.under_way == 0);
  }
  /// What a scratch run that an agent ordered runs; null: it runs the study's own command.
  const ScratchOrder* order_of(const Run&) const;
  /// It goes on once a person has decided something, or once a run that it ordered has ended.
  bool rests(const LineOfWork&) const;
  const Resources& resources_of(const Run&) const;
};

/// The number in STUDY-rNUMBER, or 0.
int run_number(const std::string& run_id);
/// The study in STUDY-rNUMBER, or empty.
std::string run_study(const std::string& run_id);

struct State {
  std::map<std::string, Study> studies;

  Study* study(const std::string& id);
  const Study* study(const std::string& id) const;
};

/// Pure fold; also what replay uses. Throws std::logic_error for an event that no state allows (a broken invariant).
void apply(State&, const Event&);

}  // namespace kernel
