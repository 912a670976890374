#include "kernel/timeline/chrome_trace.h"

#include <array>

namespace kernel {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> group_names = {"study",  "hypotheses", "experiments", "claims",
                                                         "agents", "CPU slots",  "devices"};

int process_of(LaneGroup group) {
  return static_cast<int>(group) + 1;
}

json at(const Lane& lane, std::string_view kind) {
  return {{"ph", kind}, {"pid", process_of(lane.group)}, {"tid", lane.number}};
}

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

ChromeTrace::ChromeTrace(std::function<void(std::string_view)> write, const json& facts) : write_(std::move(write)) {
  write_("{\"displayTimeUnit\":\"ms\",\"otherData\":" + text_of(facts) + ",\"traceEvents\":[");
}

void ChromeTrace::put(const json& event) {
  write_((first_ ? "\n" : ",\n") + text_of(event));
  first_ = false;
}

void ChromeTrace::name_group(LaneGroup group) {
  if (!named_.insert(group).second) return;
  const int process = process_of(group);
  put({{"ph", "M"},
       {"name", "process_name"},
       {"pid", process},
       {"args", {{"name", group_names.at(static_cast<std::size_t>(group))}}}});
  put({{"ph", "M"}, {"name", "process_sort_index"}, {"pid", process}, {"args", {{"sort_index", process}}}});
}

void ChromeTrace::add(const TimelineItem& item) {
  struct Writer {
    ChromeTrace& trace;

    void operator()(const LaneNamed& named) const {
      trace.name_group(named.lane.group);
      ++trace.counts_.lanes;
      json name = at(named.lane, "M"), place = name;
      name.update(json{{"name", "thread_name"}, {"args", {{"name", named.name}}}});
      place.update(json{{"name", "thread_sort_index"}, {"args", {{"sort_index", named.lane.number}}}});
      trace.put(name);
      trace.put(place);
    }
    void operator()(const TimeSlice& slice) const {
      ++trace.counts_.slices;
      json event = at(slice.lane, "X");
      event.update(json{{"name", slice.name},
                        {"cat", slice.category},
                        {"ts", slice.begin},
                        {"dur", slice.end - slice.begin},
                        {"args", slice.facts}});
      trace.put(event);
    }
    void operator()(const CounterValues& counter) const {
      ++trace.counts_.counters;
      trace.name_group(LaneGroup::study);
      trace.put({{"ph", "C"},
                 {"name", counter.name},
                 {"pid", process_of(LaneGroup::study)},
                 {"tid", 0},
                 {"ts", counter.at},
                 {"args", counter.series}});
    }
    void operator()(const FlowPoint& point) const {
      using Kind = FlowPoint::Kind;
      if (point.kind == Kind::begin) ++trace.counts_.flows;
      json event = at(point.lane, point.kind == Kind::begin ? "s" : point.kind == Kind::step ? "t" : "f");
      event.update(json{{"name", point.name}, {"cat", "hypothesis"}, {"id", point.flow}, {"ts", point.at}});
      if (point.kind == Kind::end) event["bp"] = "e";  // Binds to the slice around it, not to the next one.
      trace.put(event);
    }
  };
  std::visit(Writer{*this}, item);
}

void ChromeTrace::finish() {
  write_("\n]}\n");
}

}  // namespace kernel
