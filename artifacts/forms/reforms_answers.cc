#include <algorithm>

#include <fmt/format.h>

#include "artifacts/forms/reporting_checklist.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "prose/numbers.h"

namespace artifacts {
namespace reforms {
namespace {

using From = AnsweredFrom;

const RecordAddress workspace_index{"src/artifacts.md", "Code"}, parameters{"src/configs/parameters.md", "Parameters"},
    limits_page{"logic/solution/constraints.md", "Limits"}, scope_page{"logic/solution/constraints.md", "Scope"},
    hardware{"src/environment.md", "Hardware and system"}, data_page{"data/dataset.md", "Data"},
    data_sources_page{"src/environment.md", "Data sources"}, terms{"logic/concepts.md", "Concepts"},
    how_runs_went{"report.md", "How the runs went"}, design_in_report{"report.md", "Design"};

/// Nothing in a record of etude can answer it: it is the author's to say.
ChecklistAnswer authors_word(std::string what) {
  return {AnswerWord::not_recorded, std::move(what) + " It is for the author to state."};
}

ChecklistAnswer no_data_set() {
  return {AnswerWord::not_applicable, "No data set is declared; the code is the only input.", {data_sources_page}};
}

ChecklistAnswer nothing_registered() {
  return {AnswerWord::not_applicable, "No experiment was registered, so there is no result to report.", {}};
}

std::vector<RecordAddress> tables_of(const From& from, const char* kind) {
  std::vector<RecordAddress> where;
  for (const kernel::Experiment& e : from.study.experiments)
    where.push_back({fmt::format("evidence/tables/{}_{}.md", kind, e.registration.experiment), ""});
  return where;
}

std::vector<RecordAddress> and_also(std::vector<RecordAddress> where, std::initializer_list<RecordAddress> more) {
  where.insert(where.end(), more);
  return where;
}

FlowCounts sum_of(const From& from) {
  FlowCounts sum;
  for (const ExperimentFlow& flow : from.flows) sum.add(flow.whole);
  return sum;
}

std::string metric_names(const kernel::StudySpec& spec) {
  std::vector<std::string> names;
  for (const kernel::Metric& metric : spec.metrics)
    names.push_back(metric.name + in_brackets(metric.unit) + (metric.primary ? ", the primary one" : ""));
  return listed(names);
}

ChecklistAnswer population(const From& from) {
  if (from.study.experiments.empty()) return nothing_registered();
  return {
      AnswerWord::yes,
      "The claims hold for the registered settings on the machine that ran them, and for no others. Each claim names "
      "its settings.",
      {scope_page, {"logic/claims.md", "Claims"}}};
}

ChecklistAnswer why_population(const From&) {
  return authors_word("The record has the settings, not why they were chosen.");
}

ChecklistAnswer why_learning(const From&) {
  return authors_word("The record does not say whether or why the code uses machine learning.");
}

ChecklistAnswer dataset(const From& from) {
  if (from.study.data.empty()) return no_data_set();
  const bool hashed = std::ranges::none_of(
      from.study.data, [](const kernel::DataRecord& data) { return data.identity.starts_with("declared:"); });
  return {AnswerWord::partly,
          fmt::format(
              "{} {}. No link or DOI is recorded.", prose::counted(std::ssize(from.study.data), "data set"),
              hashed ? "identified by the hash of the bytes" : "identified, at least one of them by declaration only"),
          {data_page}};
}

ChecklistAnswer code(const From& from) {
  return {
      AnswerWord::yes,
      fmt::format("The workspace that ran is in the artifact, byte for byte, and named by the SHA-256 of its manifest: "
                  "{}.",
                  from.study.workspace.hash.text()),
      {workspace_index, {"src/study.yaml", ""}}};
}

ChecklistAnswer infrastructure(const From& from) {
  if (from.study.environment.machine.empty()) return {AnswerWord::not_recorded, "The machine was not recorded.", {}};
  return {AnswerWord::yes,
          "Recorded before the first run: " + hardware_words(from.study) + ".",
          {hardware, {"src/environment.md", "Programs and versions"}}};
}

ChecklistAnswer readme(const From& from) {
  const bool there = std::ranges::find(from.files.entries, "README.md", &Entry::path) != from.files.entries.end();
  if (!there) return {AnswerWord::no, "The artifact was written before etude added a README.md.", {}};
  return {
      AnswerWord::yes, "It says how to check the artifact and how to run it again.", {{"README.md", "Check and run"}}};
}

ChecklistAnswer reproduction_script(const From& from) {
  if (from.study.spec.captured())
    return {AnswerWord::no, "The work was captured; nothing was registered that could be run again and compared.", {}};
  return {AnswerWord::yes,
          "`etude reproduce` runs the registered design again from the study file and the workspace, and compares each "
          "claim.",
          {{"src/study.yaml", ""}, {"README.md", "Check and run"}}};
}

ChecklistAnswer data_sources(const From& from) {
  if (from.study.data.empty()) return no_data_set();
  return {
      AnswerWord::partly,
      "Path and identity of each data set are recorded before the first run. Who collected it, when, and how it was "
      "annotated is not.",
      {data_page}};
}

ChecklistAnswer about_data(const From& from, const char* what) {
  return from.study.data.empty() ? no_data_set() : authors_word(what);
}

ChecklistAnswer sampling_frame(const From& from) {
  return about_data(from, "The record identifies the data, not what they are a sample of.");
}

ChecklistAnswer why_dataset(const From& from) {
  return about_data(from, "The record does not say why these data were used.");
}

ChecklistAnswer outcome_variable(const From& from) {
  if (from.study.experiments.empty()) return nothing_registered();
  return {AnswerWord::yes,
          fmt::format("The primary metric is {}. Its definition and its mean in every cell are in the artifact.",
                      from.study.spec.primary().name),
          and_also(tables_of(from, "cells"), {terms})};
}

ChecklistAnswer sample_size(const From& from) {
  if (from.flows.empty()) return nothing_registered();
  const FlowCounts sum = sum_of(from);
  return {AnswerWord::yes,
          fmt::format("{} planned, {} analysed. The flow of runs on this page has them by arm and by cell.",
                      prose::counted(sum.planned, "run"), sum.analysed),
          tables_of(from, "verdicts")};
}

ChecklistAnswer missing_data(const From& from) {
  const FlowCounts sum = sum_of(from);
  if (sum.analysed == 0) return {AnswerWord::not_applicable, "No registered run was analysed.", {}};
  return {AnswerWord::yes,
          fmt::format("{} of {} have no value of {} ({}). Each counts against its arm.", sum.unmeasured,
                      prose::counted(sum.analysed, "analysed run"),
                      from.study.spec.reported(from.study.spec.primary()).name,
                      prose::percent(static_cast<double>(sum.unmeasured) / sum.analysed)),
          {how_runs_went}};
}

ChecklistAnswer representative(const From& from) {
  return about_data(from, "The record does not say what the data represent.");
}

ChecklistAnswer excluded_samples(const From& from) {
  if (from.flows.empty()) return nothing_registered();
  const FlowCounts sum = sum_of(from);
  return {
      AnswerWord::yes,
      fmt::format("{} excluded: {} replaced by a repetition under the same seed, {} without an end, {} of experiments "
                  "that were not analysed. No run is left out for its value.",
                  prose::counted(sum.excluded(), "run"), sum.replaced, sum.never_ended, sum.not_analysed),
      {how_runs_went}};
}

ChecklistAnswer corrupt_samples(const From& from) {
  long long malformed = 0;
  for (const kernel::Run& run : from.study.runs) malformed += run.measurement.malformed;
  return {AnswerWord::yes,
          fmt::format(
              "Bounds of metrics make a run invalid ({}), and so does a value that is not finite, as the metric "
              "declares. {} could not be read.",
              prose::counted(std::ssize(from.study.spec.guards), "bound"), prose::counted(malformed, "metric line")),
          {scope_page, how_runs_went}};
}

ChecklistAnswer transformations(const From& from) {
  if (from.study.experiments.empty()) return nothing_registered();
  return {
      AnswerWord::partly,
      "How one value of a metric comes of what a run reports is registered. What the code does with its data before "
      "is only in the code.",
      {terms, workspace_index}};
}

ChecklistAnswer models(const From& from) {
  if (from.study.spec.factors.empty()) return authors_word("The record has the code, and no description of models.");
  return {
      AnswerWord::partly,
      "What ran is recorded as factors, levels, constants and code. The record does not describe which models the code "
      "trains.",
      {parameters, workspace_index}};
}

ChecklistAnswer why_models(const From&) {
  return authors_word("The record does not say why these models were chosen.");
}

ChecklistAnswer evaluation(const From& from) {
  if (from.study.experiments.empty()) return nothing_registered();
  const kernel::EvaluatorSpec& evaluator = from.study.spec.evaluator;
  const bool scored = evaluator.validation || evaluator.test;
  return {scored ? AnswerWord::yes : AnswerWord::partly,
          scored
              ? "An evaluator scored the outputs in a sandbox of its own, on data that no job sees. Tests, seeds and "
                "replicates were registered."
              : "Tests, seeds and replicates were registered. The jobs report their own scores; splits of the data are "
                "only in the code.",
          {design_in_report, {"src/configs/parameters.md", "Registered tests"}}};
}

ChecklistAnswer selection(const From& from) {
  if (!from.study.search)
    return {AnswerWord::not_applicable, "Nothing was selected: each registered arm is reported.", {design_in_report}};
  const std::string id = from.study.search->plan.registered.experiment.text();
  return {AnswerWord::yes,
          fmt::format(
              "{} selected by a registered rule. Its runs are no evidence, and what it selected was tested on fresh "
              "seeds.",
              id),
          {{"evidence/results/" + id + ".md", ""}}};
}

ChecklistAnswer tuning(const From& from) {
  if (!from.study.search)
    return {AnswerWord::not_recorded,
            "The study tuned nothing. Whether the levels were tuned before it is not recorded.",
            {}};
  const std::string id = from.study.search->plan.registered.experiment.text();
  return {AnswerWord::yes,
          fmt::format("Ranges, candidates, rungs and the number of runs ({}) of {} are recorded.",
                      from.study.search->runs, id),
          {{"evidence/results/" + id + ".md", ""}, parameters}};
}

ChecklistAnswer baselines(const From& from) {
  const auto compared = std::ranges::count_if(
      from.study.hypotheses, [](const kernel::HypothesisRecord& record) { return record.hypothesis.has_arms(); });
  if (compared == 0) return authors_word("No hypothesis compares two arms.");
  return {AnswerWord::partly,
          fmt::format(
              "{} a control by name, run on the same seeds and code. That it is the right control is for the author "
              "to justify.",
              prose::counted(compared, "hypothesis") + (compared == 1 ? " has" : " have")),
          {{"logic/experiments.md", ""}}};
}

ChecklistAnswer only_training_data(const From& from) {
  const kernel::EvaluatorSpec& evaluator = from.study.spec.evaluator;
  if (!evaluator.validation && !evaluator.test)
    return authors_word("The jobs read all of their data; no evaluator keeps test data apart.");
  return {
      AnswerWord::partly,
      fmt::format("{} of the evaluator are left out of the workspace and read by no job{}. What the code does with the "
                  "other data is only in the code.",
                  prose::counted(std::ssize(from.study.sealed), "data file"),
                  evaluator.test ? ", and each use of the test data is counted" : ""),
      {design_in_report}};
}

ChecklistAnswer dependencies(const From&) {
  return authors_word("The record does not compare training data with test data.");
}

ChecklistAnswer legitimate_features(const From&) {
  return authors_word("The record does not describe the inputs of a model.");
}

ChecklistAnswer metrics(const From& from) {
  if (from.study.spec.metrics.empty()) return authors_word("No metric was declared.");
  return {AnswerWord::partly,
          fmt::format("{}. Each has its definition and its goal. Why it suits the task is for the author to state.",
                      metric_names(from.study.spec)),
          {terms}};
}

ChecklistAnswer uncertainty(const From& from) {
  if (from.study.experiments.empty()) return nothing_registered();
  return {
      AnswerWord::yes,
      "Each effect has its interval with its level, its standard error and the number of units; intervals hold for the "
      "whole family.",
      and_also(tables_of(from, "verdicts"), {{"PAPER.md", "Results"}})};
}

ChecklistAnswer tests(const From& from) {
  if (from.study.experiments.empty()) return nothing_registered();
  return {
      AnswerWord::yes,
      "The study file and the design choose the test of each hypothesis before the data, never the values. Its "
      "assumptions are listed, and what the data say against them is a warning beside the verdict.",
      {{"logic/problem.md", "Assumptions"}, {"report.md", "Hypothesis by hypothesis"}, {"PAPER.md", "Limitations"}}};
}

ChecklistAnswer external_validity(const From& from) {
  if (!from.study.reproduces.empty())
    return {AnswerWord::partly, "The study repeats a recorded one, on this machine.", {design_in_report}};
  const auto several = std::ranges::count_if(from.study.hypotheses, [](const kernel::HypothesisRecord& record) {
    return record.result && record.result->settings.size() > 1;
  });
  if (several == 0) return authors_word("Nothing was measured beyond the registered settings.");
  return {AnswerWord::partly,
          fmt::format("{} the effect in each of several settings. Nothing was measured on other machines.",
                      prose::counted(several, "hypothesis") + (several == 1 ? " has" : " have")),
          {{"report.md", "Hypothesis by hypothesis"}}};
}

ChecklistAnswer not_expected_to_hold(const From&) {
  return {AnswerWord::yes,
          "The limits of the study are listed, with the warnings of each verdict.",
          {limits_page, {"PAPER.md", "Limitations"}}};
}

}  // namespace
}  // namespace reforms

const std::vector<ChecklistItem>& reforms_items() {
  static const std::vector<ChecklistItem> items = {
#define ETUDE_REFORMS(id, module, function, text) {id, module, text, &reforms::function},
#include "artifacts/forms/reforms_items.def"
  };
  return items;
}

}  // namespace artifacts
