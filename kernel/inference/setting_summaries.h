#pragma once
// Descriptions beside a test: each setting's arms, and the shapes that a reader should be warned of. Pure; any thread.

#include <span>
#include <string>
#include <vector>

#include "kernel/domain/reason.h"
#include "kernel/evidence/observations.h"
#include "kernel/evidence/sample.h"

namespace kernel {

struct ArmSummary {
  int n = 0, failed = 0, unusable = 0;  ///< Runs with a value, that failed, whose value is no finite number.
  std::optional<double> mean, sd, median;
};

/// Heterogeneity: each setting of the crossed factors by itself.
struct SettingSummary {
  Cell levels;
  ArmSummary treatment, control;  ///< Slopes: all runs are `treatment`.
  std::optional<double> effect;
};

std::vector<SettingSummary> summaries_of(const StudySpec&, const Hypothesis&, std::span<const Setting>);

/// Treatment minus control, averaged over the settings that have values in both arms; of a slope the mean slope.
std::optional<double> plain_effect(std::span<const SettingSummary>);

/// Skew beyond what chance gives (|G1| above 1 and above twice its standard error under normality: Joanes & Gill 1998),
/// and for unpaired arms a variance ratio above 4. Samples under 5 are not judged.
/// `rank`: what it means for ranks.
std::vector<Reason> shape_warnings(const Sample&, bool rank);

}  // namespace kernel
