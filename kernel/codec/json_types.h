#pragma once
// JSON forms of the kernel's values, for the event log, registrations and artifacts. Include only at a codec boundary,
// and before any other use of an optional's JSON. A missing member reads as its default, so that older records can be
// read.

#include <optional>

#include <nlohmann/json.hpp>

#include "kernel/domain/enum_names.h"
#include "kernel/domain/event.h"
#include "kernel/domain/imported_artifact.h"

namespace nlohmann {
/// JSON of optional values: null if there is none.
template <typename Optional, typename T>
struct optional_serializer {
  static void to_json(json& j, const Optional& value) {
    if (value)
      j = *value;
    else
      j = nullptr;
  }
  static void from_json(const json& j, Optional& value) {
    if (j.is_null())
      value.reset();
    else
      value = j.get<T>();
  }
};
template <typename T>
struct adl_serializer<std::optional<T>> : optional_serializer<std::optional<T>, T> {};
template <typename T>
struct adl_serializer<kernel::BoxedOptional<T>> : optional_serializer<kernel::BoxedOptional<T>, T> {};
}  // namespace nlohmann

namespace kernel {

/// Finite numbers as numbers; other values as the strings "NaN", "Infinity" and "-Infinity".
nlohmann::json number_json(double value);
/// NaN, Infinity or -Infinity.
std::string_view not_finite_name(double);
double number_from_json(const nlohmann::json&);
/// True for a reason with a code; a reason without one is a string.
bool is_reason(const nlohmann::json&);
/// Replaces every such reason in the document with its sentence.
void put_in_words(nlohmann::json&, int wording);

// Defined in json_records.cc, because the templates are expensive to compile.
#define ETUDE_JSON(Type)                      \
  void to_json(nlohmann::json&, const Type&); \
  void from_json(const nlohmann::json&, Type&);

// An enumerator is written as its name; an unknown name is read as the first enumerator.
#define ETUDE_ENUM(Type, ...) ETUDE_JSON(Type)
#include "kernel/domain/enum_names.def"

NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_JSON, Scalar, Level, Range, Factor, Summary, Guard, Objective, Margin,
                                         SmallestEffect, Hypothesis, Confirm, Looks, Fidelity, PinnedCell, Design,
                                         Resources, Budget, GateSpec, WorkspaceSpec, DataSpec, EnvironmentSpec,
                                         CommandTemplate, SealedPath, TierSpec, EvaluatorSpec, StageOutput, LargeOutput,
                                         StageSpec, CodeSpec, Paper, Work, Literature, ForeignDeadEnd, Author,
                                         Publication, Extended, StudySpec, MetricSource, Metric, Heterogeneity,
                                         OtherVerdict, Reading))

NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(
    ETUDE_JSON, Toolchain, Energy, GpuUsage, MachineUse, Usage, EvaluatorOutcome, JobOutcome, BlobRef, IgnoredEntry,
    IgnoredFiles, WorkspaceRecord, DataRecord, SealedData, PaidAnswers, EvaluatorTerms, ProgramRecord, SetupRecord,
    SetupChange, EnvironmentRecord, Untrue, ReproductionTerms, Lease, PlannedRun, Gate, ScratchOrder, StudyRequirement,
    Section, Measurement, OutputFile, KeptOutput, LeftOut, Reason, LineSubject, CheckFinding, CodePlace, CodeLine,
    CodeAmendment, ComparedValue, NoisyShift, SizeRecord, Terms, Registration, RequirementResult, LookResult,
    SettingResult, HypothesisResult, Node, Claim, Predecessor, ForeignItem, ImportedArtifact, EarlierLooks, EarlierPeak,
    Rung, SearchPlan, Candidate, NoiseFloor, FactorEffect, CodeStep, CodeVersion, AaPlan, AaResult, MetricValue))
NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_JSON, AskedAs, TokenCount, ReplyOrigin, UnderstatedUse, CallEnd,
                                         ToolReturn))

#define ETUDE_EVENT(Type, ...) ETUDE_JSON(Type)
#include "kernel/domain/events.def"

#undef ETUDE_JSON

}  // namespace kernel
