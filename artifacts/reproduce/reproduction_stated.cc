#include <charconv>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/read/safe_root.h"
#include "artifacts/reproduce/reproduction.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/etude_json.h"
#include "base/csv_records.h"
#include "kernel/design/design.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/derived_metrics.h"

namespace artifacts {

using kernel::Run;
using kernel::Study;
using kernel::Untrue;

namespace {

constexpr std::uint64_t largest_results = 256u << 20;
/// Per file; a rewritten file need not be reported row by row.
constexpr std::size_t most_told = 5;
const std::string results_folder = "evidence/results/";

/// The same number in another spelling agrees.
bool same_number(const std::string& stated, const std::string& recorded) {
  if (stated == recorded) return true;
  double a = 0, b = 0;
  const auto number = [](const std::string& text, double& value) {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc() && end.ptr == text.data() + text.size();
  };
  return number(stated, a) && number(recorded, b) && a == b;
}

/// The value that the log gives for a column of the table of runs; none for columns that are no evidence.
std::optional<std::string> recorded_cell(const Study& study, const kernel::RunValues& values, const Run& run,
                                         const std::string& column) {
  if (column == "seed") return std::to_string(run.seed);
  if (column == "state") return std::string(kernel::name(run.state));
  if (column == "evidence") return run.evidence() ? "true" : "false";
  if (study.spec.factor(column)) return value_in(cell_of(study, run), column);
  const kernel::Metric* metric = study.spec.metric(column);
  if (!metric) return std::nullopt;
  const auto value = values.of(run, *metric);
  return value ? exact(value->value) : "";
}

class StatedRuns {
 public:
  StatedRuns(const Study& study, kernel::ExperimentId experiment, std::string file)
      : study_(study), values_(study), experiment_(std::move(experiment)), file_(std::move(file)) {}

  std::vector<Untrue> read(std::string_view text) {
    kernel::CsvRecords records(text);
    if (!records.next()) return {say("holds no table")};
    const std::vector<std::string> header = records.fields();
    while (records.next() && found_.size() < most_told) row(header, records);
    if (found_.size() < most_told)
      for (const Run& run : study_.runs)
        if (run.experiment == experiment_ && run.evidence() && !seen_.contains(run.number) && found_.size() < most_told)
          found_.push_back(say(fmt::format("lacks {}, which the log has", study_.run_id(run.number))));
    return std::move(found_);
  }

 private:
  Untrue say(const std::string& what) const { return {experiment_, file_ + " " + what}; }

  void row(const std::vector<std::string>& header, const kernel::CsvRecords& records) {
    const std::vector<std::string>& fields = records.fields();
    if (!records.sound() || fields.size() != header.size() || header.empty() || header.front() != "run")
      return found_.push_back(say("holds a row that is none")), void();
    const Run* run = study_.run(kernel::run_number(fields.front()));
    if (!run || study_.run_id(run->number) != fields.front() || run->experiment != experiment_)
      return found_.push_back(say("states " + quote(fields.front()) + ", a run that the log does not have")), void();
    seen_.insert(run->number);
    for (std::size_t c = 1; c < header.size(); ++c) {
      const auto recorded = recorded_cell(study_, values_, *run, header[c]);
      // A ' protects text that a spreadsheet would compute.
      const std::string stated = fields[c].starts_with("'") ? fields[c].substr(1) : fields[c];
      if (!recorded || same_number(stated, *recorded) || same_number(fields[c], *recorded)) continue;
      found_.push_back(say(fmt::format("states {} = {} for {}, and the log records {}", printable(header[c]),
                                       stated.empty() ? "nothing" : shortened(printable(stated), 60), fields.front(),
                                       recorded->empty() ? "nothing" : printable(*recorded))));
    }
  }

  const Study& study_;
  const kernel::RunValues values_;
  const kernel::ExperimentId experiment_;
  const std::string file_;
  std::set<int> seen_;
  std::vector<Untrue> found_;
};

/// The registered seed of the run's replicate; null if there is none.
const std::uint64_t* registered_for(const kernel::Registration& r, const kernel::Cell& cell, int replicate) {
  for (std::size_t c = 0; c < r.cells.size(); ++c)
    if (r.cells[c] == cell) return kernel::registered_seed(r, c, replicate);
  return nullptr;
}

void add_seeds(const Study& study, std::vector<Untrue>& found) {
  for (const kernel::Experiment& e : study.experiments)
    for (const Run& run : study.runs) {
      if (run.experiment != e.registration.experiment || !run.evidence()) continue;
      const std::uint64_t* seed = registered_for(e.registration, cell_of(study, run), run.replicate);
      if (seed && *seed != run.seed && found.size() < most_told)
        found.push_back({run.experiment, fmt::format("{} ran with the seed {}, and {} was registered",
                                                     study.run_id(run.number), run.seed, *seed)});
    }
}

/// Statements of etude.json about runs that differ from the log.
void add_sealed(const nlohmann::json& seal, const Study& study, std::vector<Untrue>& found) {
  const auto runs = seal.find("runs");
  if (runs == seal.end() || !runs->is_array() || runs->size() != study.runs.size())
    return found.push_back({"", "etude.json does not list the runs that the log has"}), void();
  std::size_t i = 0, told = 0;
  each_recorded_run(study, [&](const nlohmann::json& run) {
    const auto where = first_difference((*runs)[i], run, false);
    if (where && ++told <= most_told)
      found.push_back({study.runs[i].experiment, fmt::format("etude.json states something else of {} than the log: {}",
                                                             study.run_id(study.runs[i].number), *where)});
    ++i;
  });
}

/// "E01" of "evidence/tables/verdicts_E01.md"; empty if there is none.
kernel::ExperimentId experiment_in(const kernel::Experiments& study, const std::string& path) {
  for (const kernel::Experiment& e : study.experiments)
    if (path.find(e.registration.experiment.text()) != std::string::npos) return e.registration.experiment;
  return "";
}

}  // namespace

std::vector<Untrue> untrue_in(const SafeRoot& root, const nlohmann::json& seal, const Study& study) {
  std::vector<Untrue> found;
  std::set<std::string> told;
  for (const kernel::Experiment& e : study.experiments) {
    const std::string file = results_folder + e.registration.experiment + ".csv";
    const FileBytes read = root.read(file, largest_results);
    if (!read.whole()) continue;
    const std::vector<Untrue> here = StatedRuns(study, e.registration.experiment, file).read(read.bytes);
    if (!here.empty()) told.insert(file);
    found.insert(found.end(), here.begin(), here.end());
  }
  add_seeds(study, found);
  add_sealed(seal, study, found);
  const nlohmann::json files = seal.value("files", nlohmann::json::object());
  for (const auto& [path, hash] : files.items()) {
    if (!path.starts_with("evidence/") || told.contains(path) || !hash.is_string()) continue;
    const auto own = root.sha256(path, largest_results);
    if (own == hash.get<std::string>()) continue;
    found.push_back(
        {experiment_in(study, path), printable(path) + (own ? " was changed since it was written" : " is missing")});
  }
  return found;
}

}  // namespace artifacts
