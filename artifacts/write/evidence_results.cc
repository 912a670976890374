
#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/evidence.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/measure/measure.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Purpose;
using kernel::Run;
using kernel::Study;

namespace {

constexpr long long most_point_bytes = 32'000'000;

std::string rows_left_out(std::size_t all, const std::string& csv) {
  if (all <= most_page_rows) return "";
  return fmt::format("\n{} more stand in {}.\n", prose::counted(static_cast<long long>(all - most_page_rows), "run"),
                     csv);
}

const char* const the_log = "the event log, trace/events.jsonl";

std::vector<std::string> csv_header(const kernel::StudyTerms& terms, bool trials) {
  std::vector<std::string> header = {"run"};
  if (trials) header.insert(header.end(), {"purpose", "flipped"});
  for (const kernel::Factor& factor : terms.spec.factors) header.push_back(factor.name);
  if (!terms.spec.stages.empty()) header.push_back("stage");
  header.insert(header.end(), {"seed", "replicate", "attempt", "retry_of", "state", "evidence"});
  for (const kernel::Metric& metric : terms.spec.metrics) {
    header.push_back(metric.name);
    header.push_back(metric.name + "_flag");
  }
  header.insert(header.end(), {"points", "malformed", "started", "ended", "exit", "signal", "cpu_s", "wall_s",
                               "rss_peak_bytes", "others_cpus", "energy_j", "metrics_sha256", "reason"});
  return header;
}

std::vector<std::string> csv_cells(const Study& study, const kernel::RunValues& measured, const Run& run, bool trials) {
  std::vector<std::string> row = {study.run_id(run.number)};
  if (trials) row.insert(row.end(), {std::string(kernel::name(run.purpose)), run.label});
  for (const kernel::Factor& factor : study.spec.factors) row.push_back(value_in(cell_of(study, run), factor.name));
  if (!study.spec.stages.empty()) row.push_back(run.stage.empty() ? study.spec.stages.back().name : run.stage);
  row.insert(row.end(), {std::to_string(run.seed), std::to_string(run.replicate), std::to_string(run.attempt),
                         run.retry_of ? study.run_id(run.retry_of) : "", std::string(kernel::name(run.state)),
                         run.evidence() ? "true" : "false"});
  for (const kernel::Metric& metric : study.spec.metrics) {
    const auto value = measured.of(run, metric);
    row.push_back(value ? exact(value->value) : "");
    row.push_back(value && value->censored ? "censored" : value && value->worst ? "worst" : "");
  }
  const bool exited = run.ended() && run.outcome.end == kernel::JobEnd::exited;
  row.insert(row.end(),
             {std::to_string(run.measurement.points), std::to_string(run.measurement.malformed),
              run.started_ms ? kernel::iso8601(run.started_ms) : "", run.ended_ms ? kernel::iso8601(run.ended_ms) : "",
              exited ? std::to_string(run.outcome.exit) : "",
              run.outcome.signal ? std::to_string(run.outcome.signal) : "", exact(run.outcome.usage.cpu_s),
              exact(run.outcome.usage.wall_s), std::to_string(run.outcome.usage.rss_peak_bytes),
              run.outcome.usage.machine ? exact(run.outcome.usage.machine->others_cpus) : "",
              run.outcome.usage.energy ? exact(run.outcome.usage.energy->joules()) : "", run.measurement.metrics.sha256,
              sentence(run.reason, study.wording)});
  return row;
}

std::string metric_cell(const kernel::RunValues& measured, const Run& run, const kernel::Metric& metric) {
  const auto value = measured.of(run, metric);
  if (!value) return "none";
  if (value->worst) return "worst";
  return (value->censored ? "at least " : "") + prose::rounded(value->value);
}

std::string count_line(const PurposeCounts& counts) {
  std::vector<std::string> parts;
  for (const auto& [state, n] : counts.ended)
    if (n > 0) parts.push_back(fmt::format("{} {}", n, kernel::words_of(state)));
  return prose::counted(counts.total, "run") + (parts.empty() ? "" : ": " + listed(parts)) + ".";
}

std::string experiment_page(const Study& study, const kernel::Experiment& experiment, const std::string& points) {
  const kernel::ExperimentId& id = experiment.registration.experiment;
  const kernel::Node* node = node_of(study, id);
  std::string page = fmt::format("# {}: runs\n\n", id);
  page += fmt::format("**Trace node**: {}\n", node ? node->id : "none");
  const std::vector<std::string> claims = claims_of(study, id);
  page += fmt::format("**Claim**: {}\n", claims.empty() ? "none" : listed(claims));
  page +=
      fmt::format("**Registration**: {}, registered {}\n", experiment.hash, kernel::iso8601(experiment.registered_ms));
  page += fmt::format("**Records**: [{0}.csv]({0}.csv) holds every run with every digit{1}\n\n", id, points);
  page +=
      "Every registered run is listed, whatever its end. `evidence` says which of them count: a run that was "
      "repeated under the same seed is replaced by its repetition.\n\n";
  std::vector<std::string> repeats;
  for (const Run& run : study.runs)
    if (run.experiment == id && run.purpose == Purpose::repeat) repeats.push_back(study.run_id(run.number));
  if (!repeats.empty())
    page += fmt::format("{} repeat{} a run of the manipulation check among the registered runs; {} never {}.\n\n",
                        listed(repeats), repeats.size() == 1 ? "s" : "", repeats.size() == 1 ? "it" : "they",
                        repeats.size() == 1 ? "counts" : "count");
  PlainTable table;
  table.header = {"Run"};
  for (const kernel::Factor& factor : study.spec.factors) table.header.push_back(factor.name);
  for (const char* column : {"Seed", "State", "Evidence"}) table.header.push_back(column);
  for (const kernel::Metric& metric : study.spec.metrics)
    table.header.push_back(metric.name + in_brackets(metric.unit));
  table.header.push_back("Reason");
  std::size_t all = 0;
  const kernel::RunValues measured(study.spec, study);
  for (const Run& run : study.runs) {
    if (run.experiment != id || ++all > most_page_rows) continue;
    std::vector<std::string> row = {study.run_id(run.number)};
    for (const kernel::Factor& factor : study.spec.factors) row.push_back(value_in(cell_of(study, run), factor.name));
    row.insert(row.end(),
               {std::to_string(run.seed), std::string(kernel::name(run.state)), run.evidence() ? "yes" : "no"});
    for (const kernel::Metric& metric : study.spec.metrics) row.push_back(metric_cell(measured, run, metric));
    row.push_back(sentence(run.reason, study.wording));
    table.rows.push_back(std::move(row));
  }
  return page + markdown_table(table) + rows_left_out(all, id + ".csv");
}

/// Long format: one line per reported point.
void write_points(Staging& folder, const PackageInput& input, const kernel::ExperimentId& id, const About& about) {
  folder.stream(
      "evidence/results/" + id + "_points.csv",
      [&](const Sink& sink) {
        sink("run,metric,step,item,value,censored\n");
        for (const Run& run : input.study.runs) {
          if (run.experiment != id || run.measurement.metrics.sha256.empty()) continue;
          std::string lines;
          for (const kernel::MetricPoint& p : kernel::points_from_jsonl(input.blob(run.measurement.metrics.sha256)))
            lines += csv_row({input.study.run_id(run.number), p.name, p.step ? std::to_string(*p.step) : "", p.item,
                              exact(p.value), p.censored ? "true" : "false"});
          sink(lines);
        }
      },
      about);
}

/// The table of an experiment's runs, and the size and number of the points that they reported.
struct RunsTable {
  std::string csv;
  long long bytes = 0, count = 0;
};
RunsTable runs_of(const Study& study, const kernel::ExperimentId& experiment, bool trials) {
  const kernel::RunValues measured(study.spec, study);
  RunsTable table{csv_row(csv_header(study, trials))};
  for (const Run& run : study.runs) {
    if (run.experiment != experiment) continue;
    table.csv += csv_row(csv_cells(study, measured, run, trials));
    table.bytes += run.measurement.metrics.bytes;
    table.count += run.measurement.points;
  }
  return table;
}

void write_experiment(Staging& folder, const PackageInput& input, const kernel::Experiment& experiment) {
  const Study& study = input.study;
  const kernel::ExperimentId& id = experiment.registration.experiment;
  const std::vector<std::string> claims = claims_of(study, id);
  const auto [csv, bytes, count] = runs_of(study, id, false);
  folder.write("evidence/results/" + id + ".csv", csv,
               {"Every run of " + id + " with all its metrics", the_log, claims});
  std::string points;
  if (count > 0 && bytes <= most_point_bytes) {
    write_points(folder, input, id, {"Every point that the runs of " + id + " reported", the_log, claims});
    points = fmt::format(", [{0}_points.csv]({0}_points.csv) every reported point", id);
  } else if (count > 0) {
    points = fmt::format("; its column metrics_sha256 names the {} of reported points, too many to copy",
                         prose::bytes_text(bytes));
  }
  folder.write("evidence/results/" + id + ".md", experiment_page(study, experiment, points),
               {"Run record of " + id, the_log, claims});
}

void write_trials(Staging& folder, const Study& study) {
  const kernel::RunValues measured(study.spec, study);
  std::string csv = csv_row(csv_header(study, true));
  PlainTable table;
  std::size_t all = 0;
  table.header = {"Run", "Purpose", "Flipped", "Cell", "Seed", "State", "Reason"};
  for (const Run& run : study.runs) {
    if (!run.experiment.empty()) continue;
    csv += csv_row(csv_cells(study, measured, run, true));
    if (++all > most_page_rows) continue;
    table.rows.push_back({study.run_id(run.number), std::string(kernel::name(run.purpose)), run.label,
                          cell_text(cell_of(study, run)), std::to_string(run.seed),
                          std::string(kernel::name(run.state)), sentence(run.reason, study.wording)});
  }
  if (table.rows.empty()) return;
  std::string nodes;
  for (const kernel::Node& node : study.nodes)
    if (node.type == kernel::NodeType::experiment && node.experiment.empty())
      nodes += (nodes.empty() ? "" : ", ") + node.id;
  std::string page = "# Trials: runs that are no evidence\n\n";
  page += fmt::format("**Trace node**: {}\n**Claim**: none\n**Records**: [trials.csv](trials.csv)\n\n",
                      nodes.empty() ? "none" : nodes);
  page +=
      "Smoke runs show that the parameters act; a pilot measures the variance that sizes the experiment. Both are "
      "shown, and neither counts for or against a hypothesis. ";
  for (const Purpose purpose : {Purpose::smoke, Purpose::pilot, Purpose::scratch})
    if (const PurposeCounts counts = counts_of_purpose(study, purpose); counts.total)
      page += fmt::format("{}: {} ", kernel::name(purpose), count_line(counts));
  folder.write("evidence/results/trials.md", page + "\n\n" + markdown_table(table) + rows_left_out(all, "trials.csv"),
               {"Smoke and pilot runs: never evidence", the_log, {}});
  folder.write("evidence/results/trials.csv", csv, {"Every smoke and pilot run with its metrics", the_log, {}});
}

/// The runs of the selection with all their metrics, apart from the evidence.
void write_search(Staging& folder, const PackageInput& input) {
  const Study& study = input.study;
  const kernel::ExperimentId& id = study.search->plan.registered.experiment;
  const auto [csv, bytes, count] = runs_of(study, id, true);
  folder.write("evidence/results/" + id + ".csv", csv, {"Every run of the selection " + id, the_log, {}});
  if (count > 0 && bytes <= most_point_bytes)
    write_points(folder, input, id, {"Every point that the runs of " + id + " reported", the_log, {}});
  folder.write("evidence/results/" + id + ".md", search_page(study),
               {"The selection " + id + ": no evidence", the_log, {}});
}

/// The commands that a person ran, each with its code, programs and reported values.
void write_by_hand(Staging& folder, const Study& study) {
  std::string csv = csv_row({"run", "node", "state", "exit", "command", "folder", "workspace", "programs", "metrics"});
  PlainTable table;
  table.header = {"Run", "State", "Command", "Metrics"};
  std::size_t all = 0;
  for (const Run& run : study.runs) {
    const kernel::ScratchOrder* order = study.order_of(run);
    if (!order || !order->by_hand()) continue;
    std::string node, programs, metrics;
    for (const kernel::Node& one : study.nodes)
      if (one.type == kernel::NodeType::experiment && one.runs == std::vector{study.run_id(run.number)}) node = one.id;
    if (order->environment)
      for (const kernel::ProgramRecord& program : order->environment->programs)
        programs += fmt::format("{}{} {}", programs.empty() ? "" : "; ", program.path, program.version);
    for (const auto& [name, value] : run.measurement.values)
      metrics += fmt::format("{}{}={}", metrics.empty() ? "" : "; ", name, exact(value.value));
    const bool exited = run.ended() && run.outcome.end == kernel::JobEnd::exited;
    csv += csv_row({study.run_id(run.number), node, std::string(kernel::name(run.state)),
                    exited ? std::to_string(run.outcome.exit) : "", order->command, order->folder,
                    order->workspace.hash.text(), programs, metrics});
    if (++all <= most_page_rows)
      table.rows.push_back({study.run_id(run.number), std::string(kernel::name(run.state)), order->command, metrics});
  }
  if (table.rows.empty()) return;
  folder.write("evidence/results/by_hand.md",
               "# Commands that a person ran\n\n**Trace node**: none\n**Claim**: none\n**Records**: "
               "[by_hand.csv](by_hand.csv)\n\nEach as it was typed; the code that it ran on lies under its hash in "
               "src/workspace. None of it is evidence.\n\n" +
                   markdown_table(table) + rows_left_out(all, "by_hand.csv"),
               {"Commands that a person ran: never evidence", the_log, {}});
  folder.write("evidence/results/by_hand.csv", csv,
               {"Every command that a person ran, with its code, programs and metrics", the_log, {}});
}

/// The diff of every version of the code to the person's code; a reproduction has only the code.
void write_versions(Staging& folder, const PackageInput& input) {
  for (const kernel::CodeVersion& version : input.study.code.versions) {
    if (version.diff.sha256.empty()) continue;
    folder.write(version_path(version.id), input.blob(version.diff.sha256),
                 {"The diff of version " + version.id + " against the person's own code", the_log, {}});
  }
}

}  // namespace

bool has_points_file(const kernel::RunBoard& board, const kernel::ExperimentId& experiment) {
  long long bytes = 0, count = 0;
  for (const Run& run : board.runs) {
    if (run.experiment != experiment) continue;
    bytes += run.measurement.metrics.bytes;
    count += run.measurement.points;
  }
  return count > 0 && bytes <= most_point_bytes;
}

void write_results(Staging& folder, const PackageInput& input) {
  for (const kernel::Experiment& experiment : input.study.experiments) write_experiment(folder, input, experiment);
  if (input.study.search) write_search(folder, input);
  write_versions(folder, input);
  write_trials(folder, input.study);
  write_by_hand(folder, input.study);
}

}  // namespace artifacts
