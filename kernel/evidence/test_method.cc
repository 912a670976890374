#include "kernel/evidence/test_method.h"

#include <algorithm>

namespace kernel {

namespace {

/// Is each of its tests of one cell against one?
bool is_of_two_cells(const StudySpec& spec, const Hypothesis& h) {
  if (h.over == Over::every) return true;
  return std::all_of(spec.factors.begin(), spec.factors.end(), [&](const Factor& f) {
    return f.levels.size() < 2 || h.where.contains(f.name) || is_block(spec, f.name) ||
           (h.treatment.contains(f.name) && h.control.contains(f.name));
  });
}

}  // namespace

bool in_blocks(const StudySpec& spec) {
  return !spec.design.blocks.empty();
}

bool is_block(std::span<const std::string> blocks, const std::string& factor) {
  return std::find(blocks.begin(), blocks.end(), factor) != blocks.end();
}

bool is_block(const StudySpec& spec, const std::string& factor) {
  return is_block(spec.design.blocks, factor);
}

const char* unit_name(const StudySpec& spec) {
  return in_blocks(spec) ? "block" : "seed";
}

bool may_be_cut(const Metric& metric) {
  return metric.censor_right || metric.on_nan == OnNan::censor || metric.summary.kind == SummaryKind::time_to;
}

TestMethod method_of(const StudySpec& spec, const Hypothesis& h) {
  const Metric* metric = spec.metric(h.metric);
  const bool automatic = h.method == Method::automatic;
  TestMethod method;
  // What is the same in every run of a block still varies between blocks, which are a sample.
  method.exact = h.method == Method::exact || (automatic && metric && metric->deterministic && !in_blocks(spec));
  const bool two_arms = h.has_arms() && h.kind != HypothesisKind::interaction;
  const bool ranks = h.method == Method::rank || automatic;
  method.cut = two_arms && ranks && !method.exact && metric && may_be_cut(*metric);
  method.rank = two_arms && (h.method == Method::rank || method.cut);
  method.share = h.kind == HypothesisKind::compare && automatic && metric && !method.exact && !method.rank &&
                 metric->type == MetricType::proportion && metric->scale == Scale::linear && is_of_two_cells(spec, h) &&
                 (!in_blocks(spec) || spec.design.replicates_max == 1);
  method.log = h.has_arms() && !method.exact && !method.cut &&
               (h.method == Method::log_t || (automatic && metric && metric->scale == Scale::log));
  return method;
}

}  // namespace kernel
