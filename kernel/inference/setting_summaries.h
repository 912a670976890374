#pragma once
// Descriptions in addition to a test: the arms of each setting, and warnings about shapes. Pure; any thread.

#include <span>
#include <vector>

#include "kernel/domain/reason.h"
#include "kernel/evidence/observations.h"
#include "kernel/evidence/sample.h"

namespace kernel {

struct ArmSummary {
  int n = 0, failed = 0, unusable = 0;  ///< Runs with a value, failed runs, and runs without a finite value.
  std::optional<double> mean, sd, median;
};

/// One setting of the crossed factors, to show heterogeneity.
struct SettingSummary {
  Cell levels;
  ArmSummary treatment, control;  ///< For slopes, all runs are `treatment`.
  std::optional<double> effect;
};

std::vector<SettingSummary> summaries_of(const StudySpec&, const Hypothesis&, std::span<const Setting>);

/// Treatment minus control, averaged over the settings that have values in both arms; for a slope, the mean slope.
std::optional<double> plain_effect(std::span<const SettingSummary>);

/// Skew beyond what chance gives (|G1| above 1 and above twice its standard error under normality: Joanes & Gill 1998),
/// and for unpaired arms a variance ratio above 4. Samples under 5 are not judged. `rank`: what it means for ranks.
std::vector<Reason> shape_warnings(const Sample&, bool rank);

}  // namespace kernel
