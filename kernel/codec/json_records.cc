#include <cstdlib>
#include <iterator>
#include <sstream>

#include "kernel/codec/json_macros.h"
#include "kernel/wording/wording.h"

namespace kernel {

using nlohmann::json;

// clang-format off

ETUDE_JSON(Toolchain, path, prefixes, variables)
ETUDE_JSON(Energy, counters, source, from_ms, to_ms, exclusive)
ETUDE_JSON(MachineUse, others_cpus, used_cpus, cpus)
ETUDE_JSON(GpuUsage, utilisation_mean, utilisation_max, memory_peak_bytes, samples)
ETUDE_JSON(EvaluatorOutcome, end, exit, signal, reason, started_ms, ended_ms)
ETUDE_JSON_LATER(JobOutcome, (evaluator), run, token, end, exit, signal, reason, started_ms, ended_ms, usage, sandboxed)
ETUDE_JSON(BlobRef, sha256, bytes)
ETUDE_JSON(ProtectedFile, path, sha256)
ETUDE_JSON(DataRecord, name, path, identity)
ETUDE_JSON(SealedData, tier, place, path, identity)
ETUDE_JSON_LATER(EvaluatorTerms, (workspace), tier, command, data, look, looks)
ETUDE_JSON(ProgramRecord, name, path, version)
ETUDE_JSON(SetupRecord, key, entries)
ETUDE_JSON(SetupChange, key, workspace)
ETUDE_JSON(Lease, cpus, memory_bytes, gpus)
ETUDE_JSON_LATER(PlannedRun, (stage, needs, aa), number, cell, seed, replicate, retry_of, attempt, label, delay_ms)
ETUDE_JSON_LATER(Gate, (call, tool_call, tool, arguments), id, position, on, what)
ETUDE_JSON_LATER(ScratchOrder, (arguments, folder, environment, cell), call, tool_call, line, command, workspace, resources)
ETUDE_JSON_LATER(StudyRequirement, (judge, version), id, question, text, by, hypotheses, file, from, to, workspace, unmet, judged, why)
ETUDE_JSON(Section, name, by, text, written)
ETUDE_JSON_LATER(Measurement, (ignored), values, points, malformed, verdict, reason, metrics)
ETUDE_JSON(OutputFile, path, blob)
ETUDE_JSON(KeptOutput, name, path, sha256, bytes)
ETUDE_JSON(LeftOut, count, more, named)
ETUDE_JSON(CheckFinding, subject, message, serious)
ETUDE_JSON(SizeRecord, hypothesis, replicates, power, sd, how)
ETUDE_JSON(RequirementResult, metric, verdict, effect, low, high, level, p, reason)
ETUDE_JSON(LookResult, number, of, fraction, p)
ETUDE_JSON(SettingResult, levels, effect, low, high, level)
ETUDE_JSON_LATER(HypothesisResult, (requirements, look, blocks, settings, by_shares), id, verdict, effect, effect_relative, low, high, relative_low, relative_high, se, df, level, p, p_corrected, n, failed, power, reason, warnings, bca_low, bca_high, bca_descriptive)
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
    text = sentence(stated[field]);
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
ETUDE_JSON_LATER(Predecessor, (other_code), study, hypothesis, contrast, verdict, reason)
ETUDE_JSON(ForeignItem, kind, item, verdict, title, body)
ETUDE_JSON(ImportedArtifact, id, title, year, doi, authors, source, files, errors, warnings, items, head, context, tested, controls, code)
ETUDE_JSON(EarlierLooks, study, looks)
ETUDE_JSON(Untrue, experiment, what)
ETUDE_JSON(ReproductionTerms, head, log, claims, fresh, sample, seed, untrue)
ETUDE_JSON_LATER(StudyOpened, (predecessors, earlier_looks, sealed, sealed_manifest, reproduction, scoring, set_up_from, versions), id, spec, text, workspace, environment, data, jobs, output, boot_id, reproduces, request)
ETUDE_JSON(HypothesisProposed, hypothesis, batch, exploratory)
ETUDE_JSON(ProposalsClosed, family)
ETUDE_JSON_LATER(RunsQueued, (tier, order), purpose, experiment, cells, runs)
ETUDE_JSON(RunStarted, run)
ETUDE_JSON(RunRequeued, run, why)
ETUDE_JSON_LATER(RunEnded, (kept, cached_from), run, state, outcome, measurement, out_log, err_log, outputs, left_out, output_digest, reason, fingerprint, beside)
ETUDE_JSON(ArmStopped, experiment, cells, runs, fingerprint, reason)
ETUDE_JSON(ManipulationChecked, skipped, findings)
ETUDE_JSON(SampleSized, sizes, warnings)
ETUDE_JSON(ExperimentRegistered, registration, hash)
ETUDE_JSON_LATER(IntegrityFound, (averted), experiment, metric, message, runs)
ETUDE_JSON(AaPlan, cell, replicates)
ETUDE_JSON(AaResult, metric, cell, n, failed, mean, difference, low, high, noise, p, differs)
ETUDE_JSON_LATER(ExperimentAnalysed, (aa, planted), experiment, results)
ETUDE_JSON(BatchOpened, batch, why)
ETUDE_JSON(HypothesisWithdrawn, hypothesis, why, runs)
ETUDE_JSON_LATER(WorkspaceAmended, (setup), why, workspace, experiment, seen, runs)
ETUDE_JSON(TokenCount, input, output, cache_read, cache_written)
ETUDE_JSON(CallEnd, reply, failure, tokens, usd, maybe_paid, attempts, seconds)
ETUDE_JSON(ToolReturn, id, tool, answer, refused)
ETUDE_JSON_LATER(LineSubject, (batch, step, version, workspace, bound, again), purpose)
ETUDE_JSON(LineEnded, line, ending)
ETUDE_JSON(ModelAsked, call, line, model, request, tokens, usd)
ETUDE_JSON(ModelAnswered, call, end)
ETUDE_JSON(ToolReturned, call, answer)
ETUDE_JSON(NoteTaken, text)
ETUDE_JSON(RequirementBound, requirement)
ETUDE_JSON(RequirementJudged, requirement, met, why)
ETUDE_JSON(SectionWritten, section)
ETUDE_JSON(InterimLook, experiment, number, share, results, going_on)
ETUDE_JSON(NodeRecorded, node)
ETUDE_JSON(ClaimRecorded, claim)
ETUDE_JSON(StudyPaused, reason, detail)
ETUDE_JSON(StudyResumed, boot_id, jobs, raised)
ETUDE_JSON(CancellationRequested, why, runs)
ETUDE_JSON(RunCancellationRequested, run)
ETUDE_JSON(StudySteered, text)
ETUDE_JSON(GateOpened, gate)
ETUDE_JSON_LATER(GateDecided, (edited), gate, approved, why)
ETUDE_JSON(StudyConcluded, outcome, detail)
ETUDE_JSON(ArtifactPackaged, path, report, head)
ETUDE_JSON(StudyEnded, outcome, detail)
ETUDE_JSON_LATER(StudyForked, (looks, predecessors), from, seq, head, requeued)
ETUDE_JSON(Rung, candidates, replicates, first_seed, fidelity, refines)
ETUDE_JSON_LATER(SearchPlan, (code), registered, kind, design, metric, goal, resolution, generators, aliases, baseline, fidelity, eta, rungs, top, confirm_replicates, rule)
ETUDE_JSON(Candidate, cell, n, failed, mean, sd, baseline, refined, kept)
ETUDE_JSON(FactorEffect, factors, low, high, effect, se, df, interval_low, interval_high, n, failed, kept)
ETUDE_JSON(SearchRegistered, plan, hash)
ETUDE_JSON(CodeStep, id, op, parents, round)
ETUDE_JSON(CodeVersion, id, step, op, parents, why, workspace, diff)
ETUDE_JSON_LATER(CodePlanned, (over), round, steps)
ETUDE_JSON(CodeProposed, version)
ETUDE_JSON(RungRanked, experiment, rung, candidates, effects, last)

// Keys of later versions are written only if they are set, so that older records keep their bytes.
#define ETUDE_USAGE cpu_s, wall_s, rss_peak_bytes, read_bytes, written_bytes
// A registration's bytes are hashed, so one that was read without terms is written without them.
#define ETUDE_REGISTRATION experiment, batch, family, alpha, hypotheses, cells, replicates, seeds, pairing, order, sizes, metrics, guards, command, workspace, environment, data
// clang-format on

void to_json(json& j, const WorkspaceRecord& w) {
  j = {{"hash", w.hash}, {"files", w.files}, {"bytes", w.bytes}};
  if (!w.protect.empty()) j["protect"] = w.protect;
  if (!w.by.empty()) j["by"] = w.by;
}

void from_json(const json& j, WorkspaceRecord& w) {
  w.hash = WorkspaceHash(j.value("hash", ""));
  w.files = j.value("files", std::int64_t{0});
  w.bytes = j.value("bytes", std::int64_t{0});
  w.protect = j.value("protect", std::vector<ProtectedFile>{});
  w.by = j.value("by", "");
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

void to_json(json& j, const RunStarting& e) {
  j = {{"run", e.run}, {"token", e.token}};
  if (e.lease.cpus > 0) j["lease"] = e.lease;
  if (e.beside > 0) j["beside"] = e.beside;
}

void from_json(const json& j, RunStarting& e) {
  e.run = j.value("run", 0);
  e.token = LaunchToken(j.value("token", ""));
  e.lease = j.value("lease", Lease{});
  e.beside = j.value("beside", 0);
}

// Registrations hash these bytes, so members of later versions are written only if they are set.
void to_json(json& j, const EnvironmentRecord& e) {
  j = {{"toolchain", e.toolchain}, {"programs", e.programs}, {"machine", e.machine}};
  if (e.passed) j["passed"] = *e.passed;
  if (e.setup) j["setup"] = *e.setup;
  if (!e.libraries.empty()) j["libraries"] = e.libraries;
}

void from_json(const json& j, EnvironmentRecord& e) {
  e.toolchain = j.value("toolchain", Toolchain{});
  e.programs = j.value("programs", std::vector<ProgramRecord>{});
  e.machine = j.value("machine", std::map<std::string, std::string>{});
  e.libraries = j.value("libraries", decltype(e.libraries){});
  if (j.contains("setup")) e.setup = j.at("setup").get<SetupRecord>();
  if (j.contains("passed")) e.passed = j.at("passed").get<std::map<std::string, std::string>>();
}

void to_json(json& nlohmann_json_j, const Usage& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, ETUDE_USAGE))
  if (nlohmann_json_t.energy) nlohmann_json_j["energy"] = *nlohmann_json_t.energy;
  if (nlohmann_json_t.gpu) nlohmann_json_j["gpu"] = *nlohmann_json_t.gpu;
  if (nlohmann_json_t.machine) nlohmann_json_j["machine"] = *nlohmann_json_t.machine;
}

void from_json(const json& nlohmann_json_j, Usage& nlohmann_json_t) {
  const Usage nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, ETUDE_USAGE))
  if (nlohmann_json_j.contains("energy")) nlohmann_json_j.at("energy").get_to(nlohmann_json_t.energy);
  if (nlohmann_json_j.contains("gpu")) nlohmann_json_j.at("gpu").get_to(nlohmann_json_t.gpu);
  if (nlohmann_json_j.contains("machine")) nlohmann_json_j.at("machine").get_to(nlohmann_json_t.machine);
}

void to_json(json& j, const Terms& t) {
  j = {{"design", t.design},       {"stopping", t.stopping},       {"factors", t.factors}, {"constants", t.constants},
       {"resources", t.resources}, {"environment", t.environment}, {"seed", t.seed},       {"run_seeds", t.run_seeds}};
  if (!t.protect.empty()) j["protect"] = t.protect;
  if (t.evaluator) j["evaluator"] = *t.evaluator;
}

void from_json(const json& j, Terms& t) {
  const auto read = [&](const char* key, auto& member) {
    if (j.contains(key)) j.at(key).get_to(member);
  };
  read("design", t.design);
  read("stopping", t.stopping);
  read("factors", t.factors);
  read("constants", t.constants);
  read("resources", t.resources);
  read("protect", t.protect);
  read("evaluator", t.evaluator);
  read("environment", t.environment);
  read("seed", t.seed);
  read("run_seeds", t.run_seeds);
}

void to_json(json& nlohmann_json_j, const Registration& nlohmann_json_t) {
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, ETUDE_REGISTRATION))
  if (!nlohmann_json_t.stages.empty()) nlohmann_json_j["stages"] = nlohmann_json_t.stages;
  if (nlohmann_json_t.terms) nlohmann_json_j["terms"] = *nlohmann_json_t.terms;
  if (nlohmann_json_t.aa) nlohmann_json_j["aa"] = *nlohmann_json_t.aa;
  if (nlohmann_json_t.first_seed > 0) nlohmann_json_j["first_seed"] = nlohmann_json_t.first_seed;
  if (nlohmann_json_t.planted) nlohmann_json_j["planted"] = *nlohmann_json_t.planted;
  if (!nlohmann_json_t.amends.empty()) nlohmann_json_j["amends"] = nlohmann_json_t.amends;
}

void from_json(const json& nlohmann_json_j, Registration& nlohmann_json_t) {
  const Registration nlohmann_json_default_obj{};
  NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, ETUDE_REGISTRATION))
  if (nlohmann_json_j.contains("stages")) nlohmann_json_j.at("stages").get_to(nlohmann_json_t.stages);
  if (nlohmann_json_j.contains("terms")) nlohmann_json_t.terms = nlohmann_json_j.at("terms").get<Terms>();
  if (nlohmann_json_j.contains("aa")) nlohmann_json_t.aa = nlohmann_json_j.at("aa").get<AaPlan>();
  if (nlohmann_json_j.contains("first_seed")) nlohmann_json_j.at("first_seed").get_to(nlohmann_json_t.first_seed);
  if (nlohmann_json_j.contains("amends")) nlohmann_json_j.at("amends").get_to(nlohmann_json_t.amends);
  if (nlohmann_json_j.contains("planted")) nlohmann_json_t.planted = nlohmann_json_j.at("planted").get<Hypothesis>();
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
