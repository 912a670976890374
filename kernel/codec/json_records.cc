// The JSON of plain structs, as lists of their members.
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "kernel/codec/json_types.h"
#include "kernel/wording/wording.h"

namespace kernel {

using nlohmann::json;

// A map by hypothesis is an object, as a map by name is.
void to_json(json& j, const std::map<HypothesisId, int>& map) {
  j = json::object();
  for (const auto& [id, number] : map) j[id.text()] = number;
}
void from_json(const json& j, std::map<HypothesisId, int>& map) {
  for (const auto& [id, number] : j.get_ref<const json::object_t&>()) map[HypothesisId(id)] = number.get<int>();
}

// Members of later versions are written only if they are set, so that older records keep their bytes.
template <typename T>
bool is_set(const T& value) {
  if constexpr (requires { value.has_value(); })
    return value.has_value();
  else if constexpr (requires { value.empty(); })
    return !value.empty();
  else
    return value != T{};
}

// One instantiation per member type; nlohmann's own macros make one per member, which takes minutes to compile.
template <typename T>
void write_member(json::object_t& object, const char* name, const T& value) {
  object[name] = value;
}
template <typename T>
void write_later_member(json::object_t& object, const char* name, const T& value) {
  if (is_set(value)) object[name] = value;
}
template <typename T>
void read_member(const json& object, const char* name, T& value) {
  const auto found = object.find(std::string(name));
  if (found != object.end()) found->get_to(value);
}

#define ETUDE_WRITE(member) write_member(object, #member, value.member);
#define ETUDE_WRITE_LATER(member) write_later_member(object, #member, value.member);
#define ETUDE_READ(member) read_member(j, #member, value.member);
#define ETUDE_EACH(Do, ...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(Do, __VA_ARGS__))
#define ETUDE_UNWRAP(...) __VA_ARGS__

#define ETUDE_JSON_AS(Type, write, read)                                                    \
  void to_json(json& j, const Type& value) {                                                \
    json::object_t object;                                                                  \
    write j = std::move(object);                                                            \
  }                                                                                         \
  void from_json(const json& j, Type& value) {                                              \
    if (!j.is_object()) throw json::type_error::create(302, #Type " is not an object", &j); \
    value = Type{};                                                                         \
    read                                                                                    \
  }

// Members by name. A missing one keeps its default, so that this program reads older records.
#define ETUDE_JSON(Type, ...) \
  ETUDE_JSON_AS(Type, ETUDE_EACH(ETUDE_WRITE, __VA_ARGS__), ETUDE_EACH(ETUDE_READ, __VA_ARGS__))

// The same, and members of later versions in brackets.
#define ETUDE_JSON_LATER(Type, Later, ...)                                                                    \
  ETUDE_JSON_AS(Type, ETUDE_EACH(ETUDE_WRITE, __VA_ARGS__) ETUDE_EACH(ETUDE_WRITE_LATER, ETUDE_UNWRAP Later), \
                ETUDE_EACH(ETUDE_READ, __VA_ARGS__) ETUDE_EACH(ETUDE_READ, ETUDE_UNWRAP Later))

// clang-format off

ETUDE_JSON(Scalar, text, number)
ETUDE_JSON(Level, name, value, bundle)
ETUDE_JSON(Range, low, high, log)
ETUDE_JSON(Factor, name, type, levels, range, baseline)
ETUDE_JSON(Summary, kind, last_k, target_metric, target)
ETUDE_JSON(Derived, from, relative_to, ratio)
ETUDE_JSON_LATER(Metric, (derived), name, unit, goal, primary, summary, warmup, source, type, scale, deterministic, on_nan, censor_right)
ETUDE_JSON(Guard, metric, at_most, at_least)
ETUDE_JSON_LATER(Objective, (limit, margin), metric)
ETUDE_JSON(Margin, kind, value)
ETUDE_JSON(SmallestEffect, kind, value)
ETUDE_JSON(Requirement, metric, direction, margin)
ETUDE_JSON_LATER(Hypothesis, (steps, requirements, difference, confidence, unit), id, statement, mechanism, by, kind, metric, treatment, control, where, direction, margin, smallest_effect, method, over, along, slope_scale, slope_value, line)
ETUDE_JSON_LATER(Confirm, (most), top, replicates)
ETUDE_JSON_LATER(Looks, (anytime), at, futility)
ETUDE_JSON(Fidelity, factor, eta)
ETUDE_JSON(PinnedCell, cell, seeds)
ETUDE_JSON_LATER(Design, (correction, confirm, planted, looks, blocks, pinned, rule, reading, search), alpha, power, replicates_min, replicates_max, pairing, family, pilot, max_failed, smoke, order, warmup_runs, settled)
ETUDE_JSON_LATER(Resources, (gpus, gpu_memory_bytes, gpu_share, node), cpus, memory_bytes, disk_bytes, timeout_s, network, sandbox)
ETUDE_JSON(Budget, wall_s, runs, usd, tokens, gpu_hours)
ETUDE_JSON_LATER(GateSpec, (tools, wait_s, unanswered), on, above, pause)
ETUDE_JSON_LATER(WorkspaceSpec, (allow_secrets), path, exclude, max_bytes)
ETUDE_JSON(Protect, pattern, line)
ETUDE_JSON(DataSpec, name, path, identity, declared_id)
ETUDE_JSON(EnvironmentSpec, use, set, pass)
ETUDE_JSON(CommandTemplate, shell, words)
ETUDE_JSON(SealedPath, path, place, identity, line)
ETUDE_JSON(TierSpec, command, data, looks)
ETUDE_JSON_LATER(EvaluatorSpec, (validation, test), protect)
ETUDE_JSON(StageOutput, name, path)
ETUDE_JSON(LargeOutput, retain, pattern)
ETUDE_JSON(StageSpec, name, needs, run, factors, outputs, resources)
ETUDE_JSON_LATER(CodeSpec, (idle_steps, calls, floor, retest), drafts, branches, debug_depth, versions)
ETUDE_JSON(Paper, path, sha256, bytes, text, pages)
ETUDE_JSON_LATER(Work, (parts), key, type, title, year, venue, authors, doi, arxiv, url)
ETUDE_JSON(Literature, corpus, papers, references, references_sha256, works)
ETUDE_JSON(ForeignDeadEnd, id, title, lesson)
ETUDE_JSON(Author, name, orcid)
ETUDE_JSON(Publication, authors, license, code_license, data_license)
ETUDE_JSON(Extended, source, id, title, doi, files, head, workspace, controls, dead_ends)
ETUDE_JSON_LATER(StudySpec, (stages, large_outputs, cache, setup, setup_files, setup_key, fidelity, literature, code, extends, seeds, retries, publication, objectives), title, question, kind, workspace, environment, data, run, factors, constants, excludes, metrics, guards, hypotheses, design, evaluator, resources, budget, gates, keep_outputs, agents, seed, file)

ETUDE_JSON(Toolchain, path, prefixes, variables)
ETUDE_JSON(Energy, counters, source, from_ms, to_ms, exclusive)
ETUDE_JSON(MachineUse, others_cpus, used_cpus, cpus)
ETUDE_JSON(GpuUsage, utilisation_mean, utilisation_max, memory_peak_bytes, samples)
ETUDE_JSON(EvaluatorOutcome, end, exit, signal, reason, started_ms, ended_ms)
ETUDE_JSON_LATER(JobOutcome, (evaluator, node), run, token, end, exit, signal, reason, started_ms, ended_ms, usage, sandboxed)
ETUDE_JSON(BlobRef, sha256, bytes)
ETUDE_JSON(ProtectedFile, path, sha256)
ETUDE_JSON(DataRecord, name, path, identity)
ETUDE_JSON(SealedData, tier, place, path, identity)
ETUDE_JSON(PaidAnswers, file, hash, model, answers, tokens, usd)
ETUDE_JSON_LATER(EvaluatorTerms, (workspace), tier, command, data, look, looks)
ETUDE_JSON(ProgramRecord, name, path, version)
ETUDE_JSON(SetupRecord, key, entries)
ETUDE_JSON(SetupChange, key, workspace)
ETUDE_JSON_LATER(Lease, (gpu_share, forecast_bytes, forecast_gpu_bytes), cpus, memory_bytes, gpus)
ETUDE_JSON_LATER(PlannedRun, (stage, needs, aa, repeats), number, cell, seed, replicate, retry_of, attempt, label, delay_ms)
ETUDE_JSON_LATER(Gate, (call, tool_call, tool, arguments), id, position, on, what)
ETUDE_JSON_LATER(ScratchOrder, (arguments, folder, environment, cell), call, tool_call, line, command, workspace, resources)
namespace {

/// A requirement without the kernel's reason.
struct RequirementOfTexts : StudyRequirement {};
ETUDE_JSON_LATER(RequirementOfTexts, (judge, version), id, question, text, by, hypotheses, file, from, to, workspace, unmet, judged, why)

}  // namespace

// In JSON, a requirement that the kernel stated is its reason.
void to_json(json& j, const StudyRequirement& requirement) {
  to_json(j, RequirementOfTexts{requirement});
  if (!requirement.stated.empty()) j["text"] = requirement.stated;
}

void from_json(const json& j, StudyRequirement& requirement) {
  json texts = j;
  Reason stated;
  if (texts.is_object() && texts.contains("text") && is_reason(texts["text"])) {
    stated = texts["text"].get<Reason>();
    texts["text"] = newest_words(stated);
  }
  RequirementOfTexts read;
  from_json(texts, read);
  requirement = std::move(read);
  requirement.stated = std::move(stated);
}
ETUDE_JSON(Section, name, by, text, written)
ETUDE_JSON_LATER(Measurement, (ignored, items), values, points, malformed, verdict, reason, metrics)
ETUDE_JSON(OutputFile, path, blob)
ETUDE_JSON(KeptOutput, name, path, sha256, bytes)
ETUDE_JSON(LeftOut, count, more, named)
ETUDE_JSON(CheckFinding, subject, message, serious)
ETUDE_JSON(SizeRecord, hypothesis, replicates, power, sd, how)
ETUDE_JSON(RequirementResult, metric, verdict, effect, low, high, level, p, reason)
ETUDE_JSON(LookResult, number, of, fraction, p)
ETUDE_JSON(SettingResult, levels, effect, low, high, level)
ETUDE_JSON(Heterogeneity, settings, lowest, highest, i2, low, high)
ETUDE_JSON(OtherVerdict, verdict, p)
ETUDE_JSON(Reading, runs, left_out, standardised, planned_power, heterogeneity, by_ranks, outliers, without_outlier, outlier_run)
ETUDE_JSON_LATER(HypothesisResult, (requirements, look, blocks, settings, by_shares, reading), id, verdict, effect, effect_relative, low, high, relative_low, relative_high, se, df, level, p, p_corrected, n, failed, power, reason, warnings, bca_low, bca_high, bca_descriptive)
namespace {

/// A node without the kernel's reasons.
struct NodeOfTexts : Node {};
ETUDE_JSON_LATER(NodeOfTexts, (written, by, runs), id, type, title, parents, fields, alternatives, evidence, experiment, hypothesis, time_ms)

}  // namespace

// In JSON, a text that the kernel stated is its reason.
void to_json(json& j, const Node& node) {
  to_json(j, NodeOfTexts{node});
  for (const auto& [field, reason] : node.stated) (field == "title" ? j["title"] : j["fields"][field]) = reason;
}

void from_json(const json& j, Node& node) {
  std::map<std::string, Reason> stated;
  json texts = j;
  const auto take = [&](const std::string& field, json& text) {
    if (!is_reason(text)) return;
    stated[field] = text.get<Reason>();
    text = newest_words(stated[field]);
  };
  if (texts.is_object() && texts.contains("title")) take("title", texts["title"]);
  if (texts.is_object() && texts.contains("fields"))
    for (auto& [field, text] : texts["fields"].items()) take(field, text);
  NodeOfTexts read;
  from_json(texts, read);
  node = std::move(read);
  node.stated = std::move(stated);
}
ETUDE_JSON_LATER(Claim, (written), id, hypothesis, experiment, title, statement, conditions, falsification, status, depends_on, tags)
ETUDE_JSON_LATER(Predecessor, (other_code, by_runs), study, hypothesis, contrast, verdict, reason)
ETUDE_JSON(ForeignItem, kind, item, verdict, title, body)
ETUDE_JSON(ImportedArtifact, id, title, year, doi, authors, source, files, errors, warnings, items, head, context, tested, controls, code)
ETUDE_JSON(EarlierLooks, study, looks)
ETUDE_JSON(Untrue, experiment, what)
ETUDE_JSON(ReproductionTerms, head, log, claims, fresh, sample, seed, untrue)
ETUDE_JSON_LATER(StudyOpened, (predecessors, earlier_looks, sealed, sealed_manifest, reproduction, scoring, set_up_from, versions, priority, answers), id, spec, text, workspace, environment, data, jobs, output, boot_id, reproduces, request)
ETUDE_JSON(HypothesisProposed, hypothesis, batch, exploratory)
ETUDE_JSON(ProposalsClosed, family)
ETUDE_JSON_LATER(RunsQueued, (tier, order, draw), purpose, experiment, cells, runs)
ETUDE_JSON_LATER(RunStarting, (lease, beside), run, token)
ETUDE_JSON(RunStarted, run)
ETUDE_JSON(RunRequeued, run, why)
ETUDE_JSON_LATER(RunEnded, (usage_over_time, kept, cached_from), run, state, outcome, measurement, out_log, err_log, outputs, left_out, output_digest, reason, fingerprint, beside)
ETUDE_JSON(ArmStopped, experiment, cells, runs, fingerprint, reason)
ETUDE_JSON(ManipulationChecked, skipped, findings)
ETUDE_JSON(SampleSized, sizes, warnings)
ETUDE_JSON(ExperimentRegistered, registration, hash)
ETUDE_JSON_LATER(IntegrityFound, (averted), experiment, metric, message, runs)
ETUDE_JSON_LATER(AaPlan, (seeds), cell, replicates)
ETUDE_JSON(AaResult, metric, cell, n, failed, mean, difference, low, high, noise, p, differs)
ETUDE_JSON_LATER(ExperimentAnalysed, (aa, planted), experiment, results)
ETUDE_JSON(BatchOpened, batch, why)
ETUDE_JSON(HypothesisWithdrawn, hypothesis, why, runs)
ETUDE_JSON(CodePlace, file, from, to)
ETUDE_JSON(CodeAmendment, by, line, original, amended, diff, places, mends)
ETUDE_JSON(ComparedValue, cell, metric, original, again, amended)
ETUDE_JSON(NoisyShift, metric, shift, low, high, smallest)
ETUDE_JSON_LATER(CodeCompared, (unchecked), original, amended, values, noisy)
ETUDE_JSON_LATER(WorkspaceAmended, (setup, amendment), why, workspace, experiment, seen, runs)
ETUDE_JSON(TokenCount, input, output, cache_read, cache_written)
ETUDE_JSON_LATER(ReplyOrigin, (tier, fingerprint), model)
ETUDE_JSON(UnderstatedUse, stated, least)
ETUDE_JSON_LATER(CallEnd, (again_in_s, notes, origin, by_batch, understated), reply, failure, tokens, usd, maybe_paid, attempts, seconds)
ETUDE_JSON(ReadLines, file, from, to)
ETUDE_JSON_LATER(ToolReturn, (read, why), id, tool, answer, refused)
ETUDE_JSON_LATER(LineSubject, (batch, step, version, workspace, bound, again), purpose)
ETUDE_JSON(LineEnded, line, ending)
ETUDE_JSON_LATER(AskedAs, (effort, unpriced), model)
ETUDE_JSON_LATER(ModelAsked, (instead, shown, as), call, line, model, request, tokens, usd)
ETUDE_JSON(ModelAnswered, call, end)
ETUDE_JSON(CallBatched, call, batch, service, until_ms)
ETUDE_JSON(ToolReturned, call, answer)
ETUDE_JSON(NoteTaken, text)
ETUDE_JSON(RequirementBound, requirement)
ETUDE_JSON(RequirementJudged, requirement, met, why)
ETUDE_JSON(SectionWritten, section)
ETUDE_JSON(InterimLook, experiment, number, share, results, going_on)
ETUDE_JSON(NodeRecorded, node)
ETUDE_JSON(ClaimRecorded, claim)
ETUDE_JSON(StudyPaused, reason, detail)
ETUDE_JSON_LATER(StudyResumed, (priority), boot_id, jobs, raised)
ETUDE_JSON(CancellationRequested, why, runs)
ETUDE_JSON(RunCancellationRequested, run)
ETUDE_JSON(StudySteered, text)
ETUDE_JSON(GateOpened, gate)
ETUDE_JSON_LATER(GateDecided, (edited), gate, approved, why)
ETUDE_JSON(StudyConcluded, outcome, detail)
ETUDE_JSON(PicturesDrawn, files, trouble)
ETUDE_JSON(ArtifactPackaged, path, report, head)
ETUDE_JSON(StudyEnded, outcome, detail)
ETUDE_JSON_LATER(StudyForked, (looks, predecessors, slots), from, seq, head, requeued)
ETUDE_JSON_LATER(Rung, (proposes, decides), candidates, replicates, first_seed, fidelity, refines)
ETUDE_JSON_LATER(SearchPlan, (code, confirm_most, objectives), registered, kind, design, metric, goal, resolution, generators, aliases, baseline, fidelity, eta, rungs, top, confirm_replicates, rule)
ETUDE_JSON_LATER(Candidate, (estimate, estimate_sd, second_mean, second_sd, second_estimate, second_estimate_sd), cell, n, failed, mean, sd, baseline, refined, kept)
ETUDE_JSON(FactorEffect, factors, low, high, effect, se, df, interval_low, interval_high, n, failed, kept)
ETUDE_JSON(SearchRegistered, plan, hash)
ETUDE_JSON(CodeStep, id, op, parents, round)
ETUDE_JSON_LATER(CodeVersion, (lines), id, step, op, parents, why, workspace, diff)
ETUDE_JSON_LATER(CodePlanned, (over), round, steps)
ETUDE_JSON(CodeProposed, version)
ETUDE_JSON(NoiseFloor, runs, sd, quantile, again, compared, least, gain)
ETUDE_JSON_LATER(RungRanked, (floor), experiment, rung, candidates, effects, last)
ETUDE_JSON(CodeLine, reads, place, by_agent, reported)
ETUDE_JSON(IgnoredEntry, path, bytes)
ETUDE_JSON(IgnoredFiles, count, bytes, largest)
ETUDE_JSON_LATER(WorkspaceRecord, (protect, by, seed_pins, reads, ignored), hash, files, bytes)
ETUDE_JSON_LATER(EnvironmentRecord, (passed, setup, libraries), toolchain, programs, machine)
ETUDE_JSON_LATER(Usage, (energy, gpu, machine), cpu_s, wall_s, rss_peak_bytes, read_bytes, written_bytes)
ETUDE_JSON_LATER(Terms, (protect, evaluator), design, stopping, factors, constants, resources, environment, seed, run_seeds)
ETUDE_JSON_LATER(Registration, (stages, terms, aa, first_seed, planted, amends, draw), experiment, batch, family, alpha, hypotheses, cells, replicates, seeds, pairing, order, sizes, metrics, guards, command, workspace, environment, data)
// clang-format on

void to_json(json& j, const MetricSource& source) {
  struct Members {
    json& j;
    void operator()(const FromMetricsFile&) { j = {{"from", "metrics"}}; }
    void operator()(const FromStdout& out) { j = {{"from", "stdout"}, {"pattern", out.pattern}}; }
    void operator()(const FromJsonFile& at) { j = {{"from", "file"}, {"file", at.file}, {"pointer", at.pointer}}; }
    void operator()(const FromJsonLines& lines) {
      j = {{"from", "jsonl"}, {"file", lines.file}, {"key", lines.key}, {"step", lines.step}};
    }
    void operator()(const FromEvaluator&) { j = {{"from", "evaluator"}}; }
    void operator()(const FromCsv& table) {
      j = {{"from", "csv"}, {"file", table.file}, {"key", table.key}, {"step", table.step}};
    }
  };
  std::visit(Members{j}, source);
}

void from_json(const json& j, MetricSource& source) {
  const std::string from = j.value("from", "metrics");
  if (from == "stdout")
    source = FromStdout{j.at("pattern")};
  else if (from == "file")
    source = FromJsonFile{j.at("file"), j.at("pointer")};
  else if (from == "jsonl")
    source = FromJsonLines{j.at("file"), j.at("key"), j.at("step")};
  else if (from == "csv")
    source = FromCsv{j.at("file"), j.at("key"), j.at("step")};
  else if (from == "evaluator")
    source = FromEvaluator{};
  else
    source = FromMetricsFile{};
}

namespace {

/// How an older log names the subject of a line of work: the first word, and the positions of the ids; 0 if absent.
struct SubjectWords {
  std::string_view first;
  LinePurpose purpose;
  std::size_t batch = 0, version = 0, workspace = 0, bound = 0;
};
constexpr SubjectWords subject_words[] = {
    {"what", LinePurpose::propose},                   // "what to test"
    {"mend", LinePurpose::mend, 0, 0, 1},             // "mend HASH"
    {"requirements", LinePurpose::require, 3, 0, 5},  // "requirements of batch 1 on HASH"
    {"review", LinePurpose::review, 0, 0, 1, 2},      // "review HASH BOUND"
    {"unmet", LinePurpose::unmet, 0, 0, 2},           // "unmet by HASH"
    {"vetting", LinePurpose::vet, 0, 1, 3},           // "vetting v2 on HASH"
    {"batch", LinePurpose::analyse, 1},               // "batch 1"
    {"the", LinePurpose::write},                      // "the report"
};

/// Derives the subject of a line of work of an older log. "…, time 2" means that one such line came before.
LineSubject subject_in(const std::string& line, const std::string& about) {
  std::istringstream text(about);
  std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  LineSubject subject;
  if (words.size() > 2 && words[words.size() - 2] == "time") {
    subject.again = std::atoi(words.back().c_str()) - 1;
    words.resize(words.size() - 2);
    words.back().pop_back();  // Removes the comma.
  }
  const auto word = [&](std::size_t n) { return n > 0 && n < words.size() ? words[n] : ""; };
  for (const SubjectWords& form : subject_words) {
    if (words.empty() || words.front() != form.first) continue;
    subject.purpose = form.purpose;
    subject.batch = std::atoi(word(form.batch).c_str());
    subject.version = word(form.version);
    subject.workspace = word(form.workspace);
    subject.bound = word(form.bound);
  }
  // "improve v2"; the line has the step's id.
  if (!words.empty() && named<CodeOperator>(words.front())) {
    subject.purpose = LinePurpose::step;
    subject.step = line;
  }
  return subject;
}

}  // namespace

void to_json(json& j, const LineOpened& e) {
  j = {{"line", e.line}, {"role", e.role}, {"about", e.about}};
  if (!e.upcast) j["subject"] = e.subject;
}

void from_json(const json& j, LineOpened& e) {
  e.line = j.value("line", "");
  e.role = j.value("role", "");
  e.about = j.value("about", "");
  e.upcast = !j.contains("subject");
  e.subject = e.upcast ? subject_in(e.line, e.about) : j.at("subject").get<LineSubject>();
}

void to_json(json& j, const MetricValue& m) {
  j = {{"value", number_json(m.value)}};
  if (m.censored) j["censored"] = true;
  if (m.worst) j["worst"] = true;
}

void from_json(const json& j, MetricValue& m) {
  m.value = number_from_json(j.at("value"));
  m.censored = j.value("censored", false);
  m.worst = j.value("worst", false);
}

}  // namespace kernel
