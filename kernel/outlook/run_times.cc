#include "kernel/outlook/run_times.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kernel {

double gap_between_jobs(std::span<const RunTime> runs) {
  struct Part {
    std::vector<std::int64_t> starts, ends;
    int jobs = 1;
  };
  std::map<std::pair<std::string, std::string>, Part> parts;
  for (const RunTime& run : runs) {
    Part& part = parts[{run.study, run.part}];
    part.starts.push_back(run.started_ms);
    part.ends.push_back(run.ended_ms);
    part.jobs = run.jobs;
  }
  GapSum gaps;
  for (auto& [name, part] : parts) gaps.add(std::move(part.starts), std::move(part.ends), part.jobs);
  return gaps.mean();
}

void GapSum::add(std::vector<std::int64_t> starts, std::vector<std::int64_t> ends, int jobs) {
  std::ranges::sort(starts);
  std::ranges::sort(ends);
  // With J places, the start number m has to wait for the end number m − J.
  const auto places = static_cast<std::size_t>(std::max(jobs, 1));
  for (std::size_t m = places; m < starts.size(); ++m) {
    const double gap = static_cast<double>(starts[m] - ends[m - places]) / 1000;
    if (gap < 0 || gap > longest_gap_s) continue;
    seconds += gap;
    ++count;
  }
}

}  // namespace kernel
