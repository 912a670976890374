#pragma once
// Running an artifact again: what it recorded, made ready to run, and what a second run says about each claim. Trusts
// the artifact in nothing that it can verify, and lets it relax no confinement. Runs nothing itself. Pure but for
// reading files beneath the artifact; any thread.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernel/result.h"
#include "kernel/state.h"

namespace artifacts {

/// An artifact of ours, verified: the event log's chain leads to its head, registrations have their hashes, the
/// workspace and the study file are the recorded ones.
struct Recorded {
  std::string artifact;    ///< As it was given.
  kernel::StudySpec spec;  ///< What to run again: registered hypotheses and sizes, no smoke run, sandbox, no network.
  kernel::Study study;     ///< As it was recorded.
  std::string head;
  std::vector<std::string> notes;  ///< What was taken from the artifact's wishes, for people.
};

/// A problem where the folder is no artifact of ours, was changed, or asks for what an artifact may not have.
kernel::Result<Recorded> read_recorded(const std::string& path);

/// From best to worst.
enum class ClaimOutcome { reproduced, not_attempted, failed_to_run, diverged };
std::string_view name_of(ClaimOutcome);

struct ClaimComparison {
  std::string claim, hypothesis;
  ClaimOutcome outcome = ClaimOutcome::not_attempted;
  std::string reason;  ///< One sentence.
  std::optional<kernel::HypothesisResult> recorded, observed;
  std::string recorded_text, observed_text;  ///< "supported, -97.7 % [-97.8 %, -97.5 %]".
};

struct EnvironmentDifference {
  std::string what, recorded, observed;
};

struct ReproductionReport {
  std::string artifact, study;
  ClaimOutcome outcome = ClaimOutcome::not_attempted;  ///< The worst claim's.
  std::vector<ClaimComparison> claims;
  std::vector<EnvironmentDifference> environment;
};

/// `again`: the study that ran `recorded.spec`, ended or not. A claim is reproduced when the verdict agrees, or when
/// the difference of the effects lies inside the 99 % prediction interval t·√(se₁² + se₂²), t by Welch and
/// Satterthwaite (Spence and Stanley, "Prediction interval: what to expect when you're expecting a replication", PLoS
/// ONE 11 (2016)); on another processor ratios are compared, never absolute times. Deterministic metrics agree exactly
/// or not at all, an inconclusive claim by being inconclusive again.
ReproductionReport compare(const Recorded&, const kernel::Study& again);

/// The contract's `reproduce` shape.
nlohmann::json to_json(const ReproductionReport&);
std::string to_text(const ReproductionReport&);

}  // namespace artifacts
