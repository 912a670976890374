// Every sentence of an artifact is in the wording that its etude.json names, never in the newest one.

#include <future>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/write/compose.h"
#include "artifacts/write/etude_json.h"
#include "kernel/verdicts/controls.h"
#include "kernel/wording/wording.h"
#include "tests/artifacts/samples/sample_study.h"

using kernel::Reason;
using kernel::ReasonCode;
using kernel::Study;

namespace {

/// Gives the sample's study a reason of its own at each place; the sample itself has only texts without codes.
std::vector<Reason> add_reasons(Study& study) {
  std::vector<Reason> all;
  const auto reason = [&](ReasonCode code) { return all.emplace_back(Reason{code}); };
  study.outcome = kernel::StudyOutcome::failed;
  study.outcome_detail = reason(ReasonCode::no_candidate_succeeded);
  study.integrity = {{"E01", "time_ms", reason(ReasonCode::ranks_need_positive), {2}}};
  study.check->findings = {{"n", reason(ReasonCode::slope_of_few_runs), true}};
  study.sized->warnings = {reason(ReasonCode::no_replicates_enough)};
  study.sized->sizes.at(0).how = reason(ReasonCode::size_without_pilot);
  study.hypotheses.at(0).result->reason = reason(ReasonCode::requirement_not_measured);
  study.hypotheses.at(0).result->warnings = {reason(ReasonCode::survivors_only)};
  study.hypotheses.at(4).withdrawn = reason(ReasonCode::gate_undecided);
  study.experiments.at(0).planted = study.hypotheses.at(0).result;
  study.experiments.at(0).planted->reason = reason(ReasonCode::all_cut_off);
  const kernel::AaResult& aa = study.experiments.at(0).aa.emplace();
  all.push_back(kernel::aa_reason(study.spec, aa));
  kernel::SearchPlan& plan = study.search.emplace().plan;
  plan.registered.experiment = "S01";
  plan.rule = reason(ReasonCode::worse_than_those_named);
  kernel::GateRecord& gate = study.gates.emplace_back();
  gate.gate.what = reason(ReasonCode::gate_conclude);
  gate.why = reason(ReasonCode::nothing_worth_trying);
  study.runs.at(0).reason = reason(ReasonCode::values_too_large);  // Of the manipulation check.
  study.runs.back().reason = reason(ReasonCode::cancelled_before_start);
  kernel::Node& dead_end = study.nodes.emplace_back();
  dead_end.id = "N99";
  dead_end.type = kernel::NodeType::dead_end;
  dead_end.parents = {study.nodes.front().id};
  state_text(dead_end, "title", reason(ReasonCode::no_version_succeeded));
  state_text(dead_end, "why_failed", reason(ReasonCode::others_had_larger_effect));
  state_text(dead_end, "lesson", reason(ReasonCode::nothing_from_cancelled));
  return all;
}

/// All pages, and the part of etude.json that follows from the log.
std::string composed(const SampleStudy& sample, const Study& study) {
  const artifacts::PackageInput whole = sample.input();
  const artifacts::PackageInput input{study, whole.head, whole.blob, whole.event_lines, whole.tool_version};
  artifacts::Drawings drawings = artifacts::drawings_of(study, input.layout, input.blob);
  std::promise<artifacts::Drawn> none;
  none.set_value({});
  drawings.drawn = none.get_future().share();
  artifacts::Staging pages;
  compose(pages, input, drawings);
  std::string all = recorded_beginning(input);
  for (const auto& [path, page] : pages.pages()) all += page;
  return all;
}

}  // namespace

TEST_CASE("pages and etude.json are composed in the wording of their study") {
  const SampleStudy sample;
  Study study = sample.study();
  const std::vector<Reason> reasons = add_reasons(study);
  const std::string newest = composed(sample, study);
  artifacts::put_in_words(study, kernel::codes_only);
  const std::string other = composed(sample, study);
  for (const Reason& reason : reasons) {
    CAPTURE(newest_words(reason));
    CHECK(newest.find(newest_words(reason)) != std::string::npos);
    CHECK(other.find(newest_words(reason)) == std::string::npos);
    CHECK(other.find(sentence(reason, kernel::codes_only)) != std::string::npos);
  }
  CHECK(newest.find(fmt::format("\"wording\": {},", kernel::wording_version)) != std::string::npos);
  CHECK(other.find("\"wording\": 0,") != std::string::npos);
}

TEST_CASE("an artifact without a wording has the first, and an unknown one is none") {
  CHECK(artifacts::wording_of({{"etude", 1}}) == 1);
  CHECK(artifacts::wording_of({{"wording", kernel::wording_version}}) == kernel::wording_version);
  for (const nlohmann::json& unknown : {nlohmann::json(kernel::codes_only), nlohmann::json(kernel::wording_version + 1),
                                        nlohmann::json("1"), nlohmann::json()})
    CHECK_FALSE(artifacts::wording_of({{"wording", unknown}}));
}
