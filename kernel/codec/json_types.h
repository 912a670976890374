#pragma once
// JSON forms of the kernel's values, for the event log, registrations and artifacts. Include only at a codec boundary.
// Members read with defaults, so that a newer reader takes an older record.

#include "base/optional_json.h"
#include "kernel/domain/enum_names.h"
#include "kernel/domain/event.h"
#include "kernel/domain/imported_artifact.h"

namespace nlohmann {
template <typename T>
struct adl_serializer<kernel::BoxedOptional<T>> : optional_serializer<kernel::BoxedOptional<T>, T> {};
}  // namespace nlohmann

namespace kernel {

/// Finite numbers as numbers; NaN and the infinities as the strings "NaN", "Infinity", "-Infinity".
nlohmann::json number_json(double value);
/// NaN, Infinity or -Infinity.
std::string_view not_finite_name(double);
double number_from_json(const nlohmann::json&);
/// Whether it is a reason with a code; what has none is a string.
bool is_reason(const nlohmann::json&);
/// Puts the sentence in the place of every such reason in it.
void put_in_words(nlohmann::json&, int wording = wording_version);

// Defined in json_spec.cc and json_records.cc: their templates are too heavy for a header.
#define ETUDE_JSON(Type)                      \
  void to_json(nlohmann::json&, const Type&); \
  void from_json(const nlohmann::json&, Type&)

// Enumerations are their names; an unknown name reads as the first.
#define ETUDE_ENUM(Type, ...) ETUDE_JSON(Type);
#include "kernel/domain/enum_names.def"

ETUDE_JSON(Scalar);
ETUDE_JSON(Level);
ETUDE_JSON(Range);
ETUDE_JSON(Factor);
ETUDE_JSON(Summary);
ETUDE_JSON(Guard);
ETUDE_JSON(Margin);
ETUDE_JSON(SmallestEffect);
ETUDE_JSON(Hypothesis);
ETUDE_JSON(Confirm);
ETUDE_JSON(Looks);
ETUDE_JSON(Fidelity);
ETUDE_JSON(PinnedCell);
ETUDE_JSON(Design);
ETUDE_JSON(Resources);
ETUDE_JSON(Budget);
ETUDE_JSON(GateSpec);
ETUDE_JSON(WorkspaceSpec);
ETUDE_JSON(DataSpec);
ETUDE_JSON(EnvironmentSpec);
ETUDE_JSON(CommandTemplate);
ETUDE_JSON(SealedPath);
ETUDE_JSON(TierSpec);
ETUDE_JSON(EvaluatorSpec);
ETUDE_JSON(StageOutput);
ETUDE_JSON(LargeOutput);
ETUDE_JSON(StageSpec);
ETUDE_JSON(CodeSpec);
ETUDE_JSON(Paper);
ETUDE_JSON(Work);
ETUDE_JSON(Literature);
ETUDE_JSON(ForeignDeadEnd);
ETUDE_JSON(Extended);
ETUDE_JSON(StudySpec);
ETUDE_JSON(MetricSource);
ETUDE_JSON(Metric);

ETUDE_JSON(Toolchain);
ETUDE_JSON(Energy);
ETUDE_JSON(GpuUsage);
ETUDE_JSON(MachineUse);
ETUDE_JSON(Usage);
ETUDE_JSON(EvaluatorOutcome);
ETUDE_JSON(JobOutcome);
ETUDE_JSON(BlobRef);
ETUDE_JSON(WorkspaceRecord);
ETUDE_JSON(DataRecord);
ETUDE_JSON(SealedData);
ETUDE_JSON(EvaluatorTerms);
ETUDE_JSON(ProgramRecord);
ETUDE_JSON(SetupRecord);
ETUDE_JSON(SetupChange);
ETUDE_JSON(EnvironmentRecord);
ETUDE_JSON(Untrue);
ETUDE_JSON(ReproductionTerms);
ETUDE_JSON(Lease);
ETUDE_JSON(PlannedRun);
ETUDE_JSON(Gate);
ETUDE_JSON(ScratchOrder);
ETUDE_JSON(StudyRequirement);
ETUDE_JSON(Section);
ETUDE_JSON(Measurement);
ETUDE_JSON(OutputFile);
ETUDE_JSON(KeptOutput);
ETUDE_JSON(LeftOut);
ETUDE_JSON(Reason);
ETUDE_JSON(CheckFinding);
ETUDE_JSON(SizeRecord);
ETUDE_JSON(Terms);
ETUDE_JSON(Registration);
ETUDE_JSON(RequirementResult);
ETUDE_JSON(LookResult);
ETUDE_JSON(SettingResult);
ETUDE_JSON(HypothesisResult);
ETUDE_JSON(Node);
ETUDE_JSON(Claim);
ETUDE_JSON(Predecessor);
ETUDE_JSON(ForeignItem);
ETUDE_JSON(ImportedArtifact);
ETUDE_JSON(EarlierLooks);
ETUDE_JSON(Rung);
ETUDE_JSON(SearchPlan);
ETUDE_JSON(Candidate);
ETUDE_JSON(FactorEffect);
ETUDE_JSON(CodeStep);
ETUDE_JSON(CodeVersion);
ETUDE_JSON(AaPlan);
ETUDE_JSON(AaResult);
ETUDE_JSON(TokenCount);
ETUDE_JSON(CallEnd);
ETUDE_JSON(LineSubject);
ETUDE_JSON(ToolReturn);
ETUDE_JSON(MetricValue);

#define ETUDE_EVENT(Type, ...) ETUDE_JSON(Type);
#include "kernel/domain/events.def"

#undef ETUDE_JSON

}  // namespace kernel
