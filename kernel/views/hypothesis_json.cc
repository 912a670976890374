#include <nlohmann/json.hpp>

#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/inference/test_method.h"
#include "kernel/verdicts/cautions.h"
#include "kernel/views/json_parts.h"
#include "kernel/views/result_text.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"

namespace kernel {

using nlohmann::json;

namespace {

json requirements_shape(const HypothesisRecord& record, int wording) {
  json list = json::array();
  for (std::size_t i = 0; i < record.hypothesis.requirements.size(); ++i) {
    const Requirement& required = record.hypothesis.requirements[i];
    json one = {{"metric", required.metric},
                {"direction", name(required.direction)},
                {"margin", margin_shape(required.margin)}};
    if (record.result && i < record.result->requirements.size()) {
      const RequirementResult& r = record.result->requirements[i];
      one.update({{"verdict", name(r.verdict)},
                  {"effect", number_or_null(r.effect)},
                  {"interval", interval_shape(r.low, r.high)},
                  {"level", r.level},
                  {"p", number_or_null(r.p)},
                  {"reason", sentence(r.reason, wording)}});
    }
    list.push_back(std::move(one));
  }
  return list;
}

/// The result of each setting that the hypothesis averages over.
json settings_shape(const StudySpec& spec, const std::vector<SettingResult>& settings) {
  json list = json::array();
  for (const SettingResult& one : settings)
    list.push_back({{"levels", cell_shape(spec, one.levels)},
                    {"effect", number_or_null(one.effect)},
                    {"interval", one.level > 0 ? interval_shape(one.low, one.high) : json()},
                    {"level", one.level > 0 ? json(one.level) : json()}});
  return list;
}

json other_shape(const std::optional<OtherVerdict>& other) {
  return other ? json{{"verdict", name(other->verdict)}, {"p", other->p}} : json();
}

json reading_shape(const Reading& reading, const ShownResult& text) {
  json shape = {{"runs", reading.runs},
                {"left_out", reading.left_out},
                {"standardised", number_or_null(reading.standardised)},
                {"planned_power", number_or_null(reading.planned_power)},
                {"by_ranks", other_shape(reading.by_ranks)},
                {"outliers", reading.outliers},
                {"without_outlier", other_shape(reading.without_outlier)},
                {"heterogeneity", nullptr},
                {"text", text.reading}};
  if (const auto& in = reading.heterogeneity)
    shape["heterogeneity"] = {{"settings", in->settings},
                              {"range", {in->lowest, in->highest}},
                              {"i2", in->i2},
                              {"prediction", in->low || in->high ? interval_shape(in->low, in->high) : json()}};
  return shape;
}

json predecessors_shape(const StudyTerms& terms, const Hypothesis& h) {
  json list = json::array();
  for (const Predecessor& p : predecessors_of(terms, h))
    list.push_back(
        {{"study", p.study}, {"hypothesis", p.hypothesis}, {"verdict", name(p.verdict)}, {"other_code", p.other_code}});
  return list;
}

}  // namespace

json hypothesis_shape(const HypothesisRecord& record, const Study& study) {
  const Hypothesis& h = record.hypothesis;
  json shape = {{"id", h.id},
                {"statement", h.statement},
                {"mechanism", or_null(h.mechanism)},
                {"by", h.by},
                {"confidence", h.confidence ? json(*h.confidence) : json()},
                {"kind", name(h.kind)},
                {"metric", h.metric},
                {"treatment", cell_shape(study.spec, h.treatment)},
                {"control", cell_shape(study.spec, h.control)},
                {"where", cell_shape(study.spec, h.where)},
                {"direction", name(h.direction)},
                {"margin", margin_shape(h.margin)},
                {"smallest_effect", {{name(h.smallest_effect.kind), h.smallest_effect.value}}},
                {"method", method_used(study.spec, record).name()},
                {"pairing", name(study.spec.design.pairing)},
                {"batch", record.batch},
                {"status", record.exploratory ? "exploratory"
                           : record.result    ? "final"
                                              : "open"},
                {"experiment", or_null(record.experiment.text())},
                {"withdrawn", or_null(sentence(record.withdrawn, study.wording))},
                {"context", context_key(study.spec, study.workspace, study.data)},
                {"contrast", contrast_key(h)},
                {"predecessors", predecessors_shape(study, h)}};
  if (study.spec.design.reading) shape["unit"] = name(h.unit);
  const bool one_interval = study.spec.design.rule == VerdictRule::one_interval;
  if (one_interval) shape["by_runs"] = or_null(runs_key(study.spec, h));
  if (const Experiment* of = study.experiment(record.experiment); of && one_interval)
    shape["scratch_looks"] = scratch_looks(study, *of, h);
  if (h.kind == HypothesisKind::slope) {
    shape["along"] = h.along;
    shape["scale"] = name(h.slope_scale);
    shape["value"] = h.slope_value;
  }
  if (!h.steps.empty()) {
    shape["along"] = h.along;
    shape["levels"] = h.steps;
  }
  if (in_blocks(study.spec))
    shape["blocks"] = {{"factors", study.spec.design.blocks}, {"count", block_count(study.spec)}};
  if (!h.requirements.empty()) shape["requires"] = requirements_shape(record, study.wording);
  if (!record.result) {
    for (const char* key : {"verdict", "effect", "effect_relative", "interval", "interval_relative", "level", "p",
                            "p_corrected", "n", "failed", "power", "reason"})
      shape[key] = nullptr;
    // Whatever it was, it keeps its slot.
    if (study.outcome && !record.experiment.empty() && one_interval) {
      shape["p"] = shape["p_corrected"] = 1.0;
      shape["reason"] = sentence({ReasonCode::unfinished}, study.wording);
    }
    return shape;
  }
  const HypothesisResult& r = *record.result;
  shape["verdict"] = name(r.verdict);
  shape["effect"] = number_or_null(r.effect);
  shape["effect_relative"] = number_or_null(r.effect_relative);
  shape["interval"] = interval_shape(r.low, r.high);
  shape["interval_relative"] =
      r.relative_low || r.relative_high ? interval_shape(r.relative_low, r.relative_high) : json();
  shape["interval_bca"] = r.bca_low || r.bca_high ? interval_shape(r.bca_low, r.bca_high) : json();
  shape["level"] = r.level;
  shape["p"] = number_or_null(r.p);
  shape["p_corrected"] = number_or_null(r.p_corrected);
  if (!r.settings.empty()) shape["settings"] = settings_shape(study.spec, r.settings);
  if (r.look) shape["look"] = {{"number", r.look->number}, {"of", r.look->of}, {"fraction", r.look->fraction}};
  shape["n"] = r.n;
  if (in_blocks(study.spec)) shape["blocks"]["tested"] = r.blocks;
  shape["failed"] = r.failed;
  if (r.reading) shape["reading"] = reading_shape(*r.reading, shown(study.spec, record, study.wording));
  shape["power"] = number_or_null(r.power);
  shape["reason"] = sentence(r.reason, study.wording);
  shape["warnings"] = sentences(r.warnings, study.wording);
  return shape;
}

}  // namespace kernel
