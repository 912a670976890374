#pragma once
// What happened in a study, when and where: slices in lanes, counters and flows for a viewer of traces. Made from the
// study's events in one pass; the same events give the same timeline. It holds no value of a metric. One thread.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernel/study/state.h"

namespace kernel {

/// The groups of lanes, in the order in which they are shown.
enum class LaneGroup { study, hypotheses, experiments, claims, agents, cpus, devices };

/// One row of the timeline. Slices of a lane nest or follow each other; they never overlap in part.
struct Lane {
  LaneGroup group = LaneGroup::study;
  int number = 0;  ///< Counts from 1 within its group.

  bool operator==(const Lane&) const = default;
};

/// Times are microseconds after the study's opening.
struct LaneNamed {
  Lane lane;
  std::string name;
};
/// Lasts at least one microsecond. A slice comes before those that it contains.
struct TimeSlice {
  Lane lane;
  std::int64_t begin = 0, end = 0;
  std::string name, category;
  nlohmann::json facts = nlohmann::json::object();
};
/// All series of one counter.
struct CounterValues {
  std::string name;
  std::int64_t at = 0;
  std::map<std::string, double> series;
};
/// A point of a flow; it lies at the begin of a slice of the lane. Flow points come after all slices.
struct FlowPoint {
  enum class Kind { begin, step, end };
  Kind kind = Kind::begin;
  int flow = 0;
  std::string name;
  Lane lane;
  std::int64_t at = 0;
};
using TimelineItem = std::variant<LaneNamed, TimeSlice, CounterValues, FlowPoint>;

/// Maps the clocks of events to microseconds that never decrease: the boot clock within a boot, and the wall clock from
/// one boot to the next.
class TimelineClock {
 public:
  /// `new_boot`: the event may be the first one of another boot.
  std::int64_t at(Time, bool new_boot);
  /// The time of a wall clock's value, as it was at the last event.
  std::int64_t at_wall(std::int64_t wall_ms) const { return (wall_ms - last_.wall_ms) * 1000 + now_; }

 private:
  bool begun_ = false;
  Time last_;
  std::int64_t now_ = 0;
};

class Timeline {
 public:
  explicit Timeline(std::function<void(const TimelineItem&)> out) : out_(std::move(out)) {}

  /// The next event of the study, and the study after it.
  void add(const Event&, const Study& after);
  /// Ends everything that has not ended, at the last event, with the fact `unfinished`. To be called once, at the end.
  void finish();

 private:
  struct Recorder;

  /// A slice that has not ended, with the complete ones that it contains.
  struct OpenSlice {
    TimeSlice slice;
    std::vector<TimeSlice> inner{};
    std::int64_t inner_end = 0;  ///< End of the last inner slice, or the begin.
  };
  struct OpenRun {
    std::vector<OpenSlice> slices;                       ///< One in each of its lanes.
    std::vector<int> cpus;                               ///< Its slots.
    std::vector<std::pair<std::string, int>> devices{};  ///< Ids of devices, and places in their pools.
  };
  struct OpenCall {
    std::string line, model;
    std::int64_t begin = 0;
  };
  struct OpenLine {
    OpenSlice slice;
    std::string pool;
    int place = 0;
  };
  /// The lanes of one kind, of which the lowest free one is taken.
  struct Pool {
    LaneGroup group = LaneGroup::study;
    std::vector<Lane> lanes{};
    std::vector<bool> taken{};
  };

  Lane new_lane(LaneGroup, std::string name);
  /// The place of a free lane in the pool; its lane is named after the pool, from the second on with its number.
  int take(Pool&, const std::string& name, bool always_numbered = false);
  /// Begins at a time, or once the lane is free.
  OpenSlice open_at(std::int64_t begin, const Lane&, std::string name, std::string category, nlohmann::json facts);
  OpenSlice open(const Lane&, std::string name, std::string category, nlohmann::json facts = nlohmann::json::object());
  /// Adds a complete slice that follows the inner slices so far, as far as it lies after them.
  static void put_inside(OpenSlice&, std::int64_t begin, std::int64_t end, std::string name, std::string category,
                         nlohmann::json facts = nlohmann::json::object());
  void close(OpenSlice&&);
  void close_run(int number, const JobOutcome*, nlohmann::json facts);
  void close_call(int number, std::string_view name, nlohmann::json facts);
  void close_line(const std::string& id, nlohmann::json facts);
  /// Reports them if one has changed.
  void count(const std::string& name, std::map<std::string, double> series);
  void point(const HypothesisId&, FlowPoint::Kind, const TimeSlice&);
  void follow_study(const Study&);

  const std::function<void(const TimelineItem&)> out_;
  TimelineClock clock_;
  std::int64_t now_ = 0;
  std::map<LaneGroup, int> lanes_;  ///< How many lanes each group has.
  std::map<std::pair<LaneGroup, int>, std::int64_t> ends_;
  Pool cpus_{LaneGroup::cpus}, gates_{LaneGroup::study};
  std::map<std::string, Pool> agents_;   ///< By role.
  std::map<std::string, Pool> devices_;  ///< By id; more than one lane where runs share a device.
  std::map<int, OpenRun> runs_;
  std::set<int> ahead_;  ///< Runs recorded as starting while `jobs` others ran: they have not begun.
  std::map<int, OpenCall> calls_;
  std::map<std::string, OpenLine> lines_;
  std::map<HypothesisId, OpenSlice> hypotheses_;
  std::map<HypothesisId, TimeSlice> proposed_;  ///< Where each hypothesis's flow begins.
  std::map<ExperimentId, OpenSlice> experiments_;
  std::vector<OpenSlice> claims_;
  std::map<std::string, std::pair<OpenSlice, int>> open_gates_;
  std::map<std::string, OpenSlice> stages_;  ///< What the study is in: "state" and "phase".
  std::map<std::string, Lane> stage_lanes_;
  std::map<std::string, std::map<std::string, double>> counted_;
  std::vector<HypothesisId> flows_;  ///< The flow of flows_[i] is number i + 1.
  std::vector<FlowPoint> points_;
};

}  // namespace kernel
