#include "apps/session/prepare/run_history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/session/home/tried_runs.h"
#include "base/digest.h"
#include "base/manifest.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/views/json_parts.h"
#include "memory/files/blobs.h"
#include "memory/store/reader.h"
#include "memory/workspace/evaluator_files.h"
#include "memory/workspace/snapshot.h"

namespace session {

namespace {

constexpr int most_runs = 20'000;
constexpr std::size_t most_studies = 5;
// Reading them delays the start of a study.
constexpr int most_runs_with_peaks = 2'000;
constexpr std::size_t most_peaks = 256;

/// The runs of the newest studies of the list, which begins with those of the newest.
void keep_newest_studies(std::vector<memory::TimedRun>& runs) {
  std::set<std::string> studies;
  const auto beyond = std::ranges::find_if(runs, [&](const memory::TimedRun& run) {
    if (studies.size() == most_studies && !studies.contains(run.time.study)) return true;
    studies.insert(run.time.study);
    return false;
  });
  runs.erase(beyond, runs.end());
}

/// Of studies with the same commands and code that were opened before this one.
std::vector<memory::TimedRun> runs_of_earlier_studies(const memory::Reader& reader, const std::string& study) {
  const auto opened = reader.moments(study, 0, 1, "StudyOpened");
  if (opened.empty()) return {};
  const auto terms = std::get<kernel::StudyOpened>(opened.front().decoded().body);
  std::set<std::string> before;
  for (std::string& id : reader.ids()) {
    if (id == study) break;
    before.insert(std::move(id));
  }
  std::vector<memory::TimedRun> runs = reader.run_times(kernel::command_key(terms.spec), most_runs);
  std::erase_if(runs, [&](const memory::TimedRun& run) {
    return !before.contains(run.time.study) || run.workspace != terms.workspace.hash.text();
  });
  keep_newest_studies(runs);
  return runs;
}

/// A text that is equal for two studies if their commands, environment variables, constants, data and code are equal.
/// The study file is no part of the code here, since levels change in it.
std::string conditions_of(const kernel::StudyOpened& study, const memory::Blobs& blobs) {
  const std::string study_file = kernel::sha256_hex(study.text);
  std::string conditions = kernel::context_key(study.spec, {}, study.data);
  const auto files = kernel::read_manifest(blobs.get(study.workspace.hash.text()));
  if (!files) return conditions + study.workspace.hash.text();
  for (const kernel::ManifestEntry& file : *files)
    if (file.sha256 != study_file) conditions += fmt::format("\n{} {} {}", file.path, file.sha256, file.target);
  return conditions;
}

/// Factor and level as views show it → the level's name.
std::map<std::pair<std::string, std::string>, std::string> names_of_shown_levels(const kernel::StudySpec& spec) {
  std::map<std::pair<std::string, std::string>, std::string> names;
  for (const kernel::Factor& factor : spec.factors)
    for (const kernel::Level& level : factor.levels) {
      const kernel::Cell shown = kernel::shown_cell(kernel::cell_shape(spec, {{factor.name, level.name}}));
      names[{factor.name, shown.at(factor.name)}] = level.name;
    }
  return names;
}

}  // namespace

kernel::TimeBasis RunHistory::basis_for(const kernel::PlannedWork& work) const {
  kernel::TimeBasis for_plan = basis;
  kernel::count_cells(for_plan, work, kernel::DurationModel(times));
  return for_plan;
}

RunHistory run_history(const std::string& home, const kernel::StudySpec& spec) {
  const std::string commands = kernel::command_key(spec);
  std::vector<memory::TimedRun> runs = memory::Reader(home).run_times(commands, most_runs);
  std::vector<TriedRun> tries = tried_runs(HomePaths{home}, commands);
  RunHistory history;
  if (runs.empty() && tries.empty()) return history;

  kernel::WorkspaceSpec code = spec.workspace;
  for (std::string& pattern : memory::sealed_patterns(spec)) code.exclude.push_back(std::move(pattern));
  const auto hash = memory::hash_now(code, home);
  const auto is_other = [&](const auto& run) { return !hash || run.workspace != hash->text(); };
  history.basis.same_code = !std::ranges::all_of(runs, is_other) || !std::ranges::all_of(tries, is_other);
  if (history.basis.same_code) {
    std::erase_if(runs, is_other);
    std::erase_if(tries, is_other);
  }
  keep_newest_studies(runs);
  for (memory::TimedRun& run : runs) {
    history.basis.studies.insert(run.time.study);
    ++history.basis.runs;
    history.times.push_back(std::move(run.time));
  }
  history.gap_s = kernel::gap_between_jobs(history.times);
  // A try has the machine to itself, so runs of studies tell more.
  std::set<kernel::Cell> known;
  for (const kernel::RunTime& run : history.times) known.insert(run.cell);
  std::erase_if(tries, [&](const TriedRun& run) { return known.contains(run.time.cell); });
  history.basis.tries = static_cast<int>(tries.size());
  for (TriedRun& run : tries) history.times.push_back(std::move(run.time));
  return history;
}

std::vector<kernel::EarlierPeak> earlier_peaks(const std::string& home, const kernel::StudyOpened& study) {
  const memory::Reader reader(home);
  std::vector<memory::TimedRun> runs = reader.run_times(kernel::command_key(study.spec), most_runs_with_peaks);
  keep_newest_studies(runs);
  const memory::Blobs blobs(HomePaths{home}.blobs());
  const std::string own = conditions_of(study, blobs);
  std::map<std::string, bool> same;  // Study → whether it ran under these conditions.
  const auto is_same = [&](const std::string& earlier) {
    const auto [known, fresh] = same.try_emplace(earlier, false);
    if (!fresh || !reader.moments(earlier, 0, 1, "WorkspaceAmended").empty()) return known->second;
    const auto opened = reader.moments(earlier, 0, 1, "StudyOpened");
    if (opened.empty()) return false;
    const auto terms = std::get<kernel::StudyOpened>(opened.front().decoded().body);
    // A lost file of an earlier study must not keep this one from starting.
    return known->second = blobs.exists(terms.workspace.hash.text()) && conditions_of(terms, blobs) == own;
  };
  const auto level_names = names_of_shown_levels(study.spec);
  std::map<std::pair<kernel::Cell, std::string>, kernel::EarlierPeak> peaks;
  for (const memory::TimedRun& run : runs) {
    if ((run.peak_bytes == 0 && run.gpu_peak_bytes == 0) || !is_same(run.time.study)) continue;
    kernel::Cell cell = run.time.cell;
    for (auto& [factor, level] : cell)
      if (const auto named = level_names.find({factor, level}); named != level_names.end()) level = named->second;
    const auto key = std::pair(cell, run.time.stage);
    if (peaks.size() == most_peaks && !peaks.contains(key)) continue;
    kernel::EarlierPeak& peak = peaks[key];
    peak.cell = std::move(cell);
    peak.stage = run.time.stage;
    peak.bytes = std::max(peak.bytes, run.peak_bytes);
    peak.gpu_bytes = std::max(peak.gpu_bytes, run.gpu_peak_bytes);
  }
  std::vector<kernel::EarlierPeak> list;
  for (auto& [key, peak] : peaks) list.push_back(std::move(peak));
  return list;
}

std::vector<ExperimentTime> experiment_times(const std::string& home, const std::string& study) {
  const memory::Reader reader(home);
  const std::vector<memory::TimedRun> runs = reader.run_times_of(study);
  const std::vector<memory::TimedRun> earlier = runs_of_earlier_studies(reader, study);
  std::vector<ExperimentTime> times;
  const auto is_in = [](const memory::TimedRun& run, const std::string& experiment) {
    return run.experiment == experiment && run.purpose != "search";
  };
  std::set<std::string> names;
  for (const memory::TimedRun& run : runs)
    if (!run.experiment.empty() && run.purpose != "search") names.insert(run.experiment);
  for (const std::string& experiment : names) {
    ExperimentTime time;
    time.experiment = experiment;
    kernel::PlannedWork work;
    std::map<std::pair<std::string, kernel::Cell>, int> kinds;
    std::int64_t first = 0, last = 0;
    int jobs = 1, gpus = 0;
    bool over = true;
    for (const memory::TimedRun& run : runs) {
      if (!is_in(run, experiment)) continue;
      // A cancelled run took no time, so neither side counts it.
      if (run.state == "cancelled") continue;
      const auto [kind, fresh] =
          kinds.try_emplace({run.time.stage, run.time.cell}, static_cast<int>(work.kinds.size()));
      if (fresh) work.kinds.push_back({run.time.stage, run.time.cell, run.time.gpus});
      if (work.parts.empty()) work.parts.push_back(experiment);
      work.runs.push_back({kind->second, 0, {}});
      jobs = run.time.jobs;
      gpus = std::max(gpus, run.time.gpus * run.time.jobs);
      over = over && run.time.ended_ms > 0;
      if (run.time.started_ms > 0) first = first == 0 ? run.time.started_ms : std::min(first, run.time.started_ms);
      last = std::max(last, run.time.ended_ms);
    }
    time.runs = static_cast<int>(work.runs.size());
    if (time.runs == 0) continue;
    if (over) time.took_s = static_cast<double>(last - first) / 1000;
    std::vector<kernel::RunTime> before;
    for (const memory::TimedRun& run : runs)
      if (!is_in(run, experiment) && run.state == "succeeded" && (first == 0 || run.time.ended_ms <= first))
        before.push_back(run.time);
    for (const memory::TimedRun& run : earlier) before.push_back(run.time);
    time.basis.runs = static_cast<int>(before.size());
    for (const kernel::RunTime& run : before) time.basis.studies.insert(run.study);
    if (!before.empty()) {
      const kernel::DurationModel model(before);
      kernel::count_cells(time.basis, work, model);
      if (const auto prediction = kernel::predicted(work, work, model, {jobs, gpus}, kernel::gap_between_jobs(before)))
        time.wall_s = prediction->wall_s;
    }
    times.push_back(std::move(time));
  }
  return times;
}

nlohmann::json predictions_shape(const std::string& home, const std::string& study) {
  using nlohmann::json;
  // No digit beyond a millisecond means anything.
  const auto rounded = [](double seconds) { return std::round(seconds * 1000) / 1000; };
  json shape = json::array();
  for (const ExperimentTime& time : experiment_times(home, study)) {
    json wall;
    if (const auto& s = time.wall_s)
      wall = {{"expected", rounded(s->value)}, {"low", rounded(s->low)}, {"high", rounded(s->high)}};
    shape.push_back({{"experiment", time.experiment},
                     {"runs", time.runs},
                     {"basis", time.basis.runs > 0 ? json(kernel::basis_words(time.basis)) : json()},
                     {"wall_s", std::move(wall)},
                     {"took_s", time.took_s ? json(rounded(*time.took_s)) : json()}});
  }
  return shape;
}

}  // namespace session
