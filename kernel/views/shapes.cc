#include "kernel/views/shapes.h"

#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/domain/enum_names.h"
#include "kernel/outlook/time_left.h"
#include "kernel/runs/job.h"
#include "kernel/runs/memory_forecast.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/ledger.h"
#include "kernel/study/requirements.h"
#include "kernel/verdicts/controls.h"
#include "kernel/views/agents_code.h"
#include "kernel/views/json_parts.h"
#include "kernel/views/models_shape.h"
#include "kernel/views/waiting.h"
#include "kernel/wording/wording.h"

namespace kernel {

using nlohmann::json;

namespace {

/// A member of an object. A list of plain pairs would first become arrays, which takes twice as long. Runs have many
/// members, and each commit writes those of a study.
struct Entry {
  const char* key;
  mutable json value;  ///< Mutable so that it is moved; initializer lists would copy it.
};

json object(std::initializer_list<Entry> entries) {
  json::object_t members;
  for (const Entry& entry : entries) members.emplace(entry.key, std::move(entry.value));
  return members;
}

json entry(const json& limit, const json& reserved, const json& spent) {
  return object({{"limit", limit}, {"reserved", reserved}, {"spent", spent}});
}

json energy_entry(const std::optional<EnergySpent>& energy) {
  json shape = entry(nullptr, 0, energy ? json(energy->joules) : json());
  shape["runs"] = energy ? energy->runs : 0;
  shape["exclusive"] = energy ? json(energy->exclusive) : json();
  return shape;
}

json run_ids(const StudyTerms& study, const std::vector<int>& numbers) {
  json ids = json::array();
  for (const int number : numbers) ids.push_back(study.run_id(number));
  return ids;
}

/// The outputs that the home keeps as the run left them.
json kept_shape(const Run& run) {
  json list = json::array();
  for (const KeptOutput& kept : run.kept)
    list.push_back({{"name", or_null(kept.name)}, {"path", kept.path}, {"sha256", kept.sha256}, {"bytes", kept.bytes}});
  return list;
}

/// Looks at the test data; null without test data.
json looks_shape(const Study& study) {
  const auto& test = study.spec.evaluator.test;
  if (!test) return {};
  return {{"limit", test->looks}, {"used", looks_used(study)}, {"earlier", study.test_looks.earlier}};
}

}  // namespace

json usage_shape(const Usage& usage) {
  json shape = object({{"cpu_s", usage.cpu_s},
                       {"wall_s", usage.wall_s},
                       {"rss_peak_bytes", usage.rss_peak_bytes},
                       {"read_bytes", usage.read_bytes},
                       {"written_bytes", usage.written_bytes},
                       {"others_cpus", usage.machine ? json(usage.machine->others_cpus) : json()},
                       {"machine", usage.machine},
                       {"energy", nullptr},
                       {"gpu", usage.gpu}});
  if (const BoxedOptional<Energy>& energy = usage.energy)
    shape["energy"] = {{"joules", energy->joules()},
                       {"source", energy->source},
                       {"counters", energy->counters},
                       {"exclusive", energy->exclusive},
                       {"window", {time_or_null(energy->from_ms), time_or_null(energy->to_ms)}}};
  return shape;
}

/// One entry per role and branch; `reserved` counts live runs.
json accounts_shape(const Study& study) {
  std::vector<std::int64_t> live(study.accounts.size());
  for (const int number : study.live) ++live.at(static_cast<std::size_t>(study.run(number)->account));
  json accounts = json::array();
  for (std::size_t i = 0; i < study.accounts.size(); ++i) {
    const Account& account = study.accounts[i];
    json shape = object({{"role", account.role},
                         {"branch", account.branch},
                         {"runs", entry(nullptr, live[i], account.runs)},
                         {"run_s", account.run_seconds},
                         {"gpu_hours", account.gpu_seconds / seconds_an_hour},
                         {"calls", account.calls},
                         {"tokens", account.tokens},
                         {"usd", account.usd},
                         {"energy_j", energy_entry(account.energy)}});
    if (study.spec.design.reading && account.cached_tokens > 0)
      shape["cache_hit"] = static_cast<double>(account.cached_tokens) / static_cast<double>(account.prompt_tokens);
    accounts.push_back(std::move(shape));
  }
  return accounts;
}

json ledger_shape(const Study& study) {
  const Account all = spent(study);
  const Budget& budget = study.spec.budget;
  // The time is that of the last event, so that a document is the same whenever it is made.
  const Spending spent = spending_of(study, {0, study.last_boot_ms});
  json shape = object({{"runs", entry(budget.runs, study.live.size(), all.runs)},
                       {"wall_s", entry(budget.wall_s, spent.wall_s.reserved, spent.wall_s.spent)},
                       {"usd", entry(budget.usd, spent.usd.reserved, spent.usd.spent)},
                       {"tokens", entry(budget.tokens, study.thinking.tokens_aside, all.tokens)},
                       {"gpu_hours", entry(budget.gpu_hours, spent.gpu_hours.reserved, spent.gpu_hours.spent)},
                       {"energy_j", energy_entry(all.energy)},
                       {"accounts", accounts_shape(study)}});
  if (json models = models_shape(study); !models.is_null()) shape["models"] = std::move(models);
  if (!study.answers.empty()) shape["answers"] = paid_answers_shape(study.answers);
  if (const auto others = other_models_words(study); !others.empty()) shape["other_models"] = others;
  if (const auto words = understated_words(study, study.wording); !words.empty()) shape["understated"] = words;
  return shape;
}

json requirements_shape(const Study& study) {
  json list = json::array();
  for (const StudyRequirement& one : study.thinking.requirements) {
    const bool open = one.judged == Judgement::open || !is_current(study, one);
    list.push_back({{"id", one.id},
                    {"of", one.question ? "question" : "method"},
                    {"version", or_null(one.version)},
                    {"text", one.text},
                    {"by", one.by},
                    {"hypotheses", one.hypotheses},
                    {"file", or_null(one.file)},
                    {"lines", one.file.empty() ? json() : json({one.from, one.to})},
                    {"unmet", or_null(one.unmet)},
                    {"judged", one.question || open ? json() : json(one.judged)},
                    {"judge", open ? json() : or_null(one.judge)},
                    {"why", open ? json() : or_null(one.why)}});
  }
  return list;
}

json gates_shape(const Journal& journal, int wording) {
  json gates = json::array();
  for (const GateRecord& record : journal.gates)
    gates.push_back({{"id", record.gate.id},
                     {"on", name(record.gate.on)},
                     {"what", sentence(record.gate.what, wording)},
                     {"opened", time_or_null(record.opened_ms)},
                     {"decision", record.decided ? json(record.approved ? "approve" : "reject") : json()},
                     {"why", or_null(sentence(record.why, wording))},
                     {"by", or_null(record.by)},
                     {"tool", or_null(record.gate.tool)},
                     {"arguments", or_null(record.edited.empty() ? record.gate.arguments : record.edited)}});
  return gates;
}

namespace {

json aa_shape(const StudySpec& spec, const Experiment& experiment, int wording) {
  const AaResult& aa = *experiment.aa;
  return {{"experiment", experiment.registration.experiment},
          {"metric", aa.metric},
          {"cell", cell_shape(spec, aa.cell)},
          {"n", aa.n},
          {"failed", aa.failed},
          {"mean", number_or_null(aa.mean)},
          {"difference", number_or_null(aa.difference)},
          {"interval", interval_shape(aa.low, aa.high)},
          {"noise", number_or_null(aa.noise)},
          {"p", number_or_null(aa.p)},
          {"differs", aa.differs},
          {"text", sentence(aa_reason(spec, aa), wording)}};
}

json planted_shape(const Experiment& experiment, int wording) {
  const HypothesisResult& r = *experiment.planted;
  return {{"experiment", experiment.registration.experiment},
          {"found", r.verdict == Verdict::supported},
          {"effect", number_or_null(r.effect)},
          {"interval", interval_shape(r.low, r.high)},
          {"level", r.level},
          {"n", r.n},
          {"text", planted_words(r, wording)}};
}

json left_shape(const Study& study, const TimeLeft& left) {
  json wall;
  if (left.wall_s) wall = {{"expected", left.wall_s->value}, {"low", left.wall_s->low}, {"high", left.wall_s->high}};
  return {{"runs", {left.least_runs, left.most_runs}},
          {"open", left.open},
          {"wall_s", std::move(wall)},
          {"gpu_hours", number_or_null(left.gpu_hours)},
          // What a model's calls will cost is not known before they are made.
          {"usd", study.spec.agents == "builtin" ? json(0) : json()},
          {"from", left.from}};
}

/// {"machine","device"}: how good forecasts of memory were; absent where there were none.
json memory_shape(const Study& study) {
  json shape = json::object();
  for (const bool on_device : {false, true})
    if (const auto errors = forecast_errors(study.memory_outcomes, on_device))
      shape[on_device ? "device" : "machine"] = {{"runs", errors->runs},
                                                 {"exceeded", errors->exceeded},
                                                 {"median_error", errors->median_error},
                                                 {"newest",
                                                  {{"run", study.run_id(errors->newest.run)},
                                                   {"forecast_bytes", errors->newest.forecast_bytes},
                                                   {"peak_bytes", errors->newest.peak_bytes}}}};
  return shape;
}

/// Notes, decisions and dead ends of people, the newest last.
json remarks_shape(const Exploration& study) {
  constexpr std::size_t most_shown = 50;
  std::vector<const Node*> remarks;
  for (const Node& node : study.nodes)
    if (!node.by.empty() && node.type != NodeType::experiment) remarks.push_back(&node);
  json list = json::array();
  for (std::size_t i = remarks.size() - std::min(remarks.size(), most_shown); i < remarks.size(); ++i)
    list.push_back({{"id", remarks[i]->id},
                    {"type", name(remarks[i]->type)},
                    {"title", remarks[i]->title},
                    {"runs", remarks[i]->runs},
                    {"time", time_or_null(remarks[i]->time_ms)}});
  return list;
}

/// What the manipulation check found wrong.
json check_shape(const Study& study) {
  json findings = json::array();
  if (study.check)
    for (const CheckFinding& finding : study.check->findings)
      findings.push_back({{"subject", finding.subject},
                          {"message", sentence(finding.message, study.wording)},
                          {"serious", finding.serious}});
  return findings;
}

}  // namespace

json study_shape(const Study& study, const std::string& head) {
  json hypotheses = json::array();
  for (const HypothesisRecord& record : study.hypotheses) hypotheses.push_back(hypothesis_shape(record, study));
  json runs = {{"total", study.runs.size()}, {"scratch", study.counted.scratch}, {"cached", study.counted.cached}};
  for (const RunState state : enumerators<RunState>())
    runs[std::string(name(state))] = study.counted.in[static_cast<std::size_t>(state)];
  json metrics = json::array();
  for (const Metric& metric : study.spec.metrics)
    metrics.push_back({{"name", metric.name},
                       {"unit", or_null(metric.unit)},
                       {"goal", name(metric.goal)},
                       {"primary", metric.primary}});
  json integrity = json::array();
  for (const IntegrityFound& found : study.integrity)
    integrity.push_back({{"experiment", found.experiment},
                         {"metric", found.metric},
                         {"message", sentence(found.message, study.wording)}});
  json aa = json::array(), planted = json::array();
  for (const Experiment& experiment : study.experiments) {
    if (experiment.aa) aa.push_back(aa_shape(study.spec, experiment, study.wording));
    if (experiment.planted) planted.push_back(planted_shape(experiment, study.wording));
  }
  if (study.search) runs["search"] = study.search->runs;
  json shape = object(
      {{"id", study.id},
       {"title", study.spec.title},
       {"question", study.spec.question},
       {"kind", name(study.spec.kind)},
       {"state", name(study.state)},
       {"stage", name(study.phase())},
       {"reason", study.pause_reason ? json(name(*study.pause_reason)) : json()},
       {"detail", or_null(sentence(study.pause_reason ? study.pause_detail : study.outcome_detail, study.wording))},
       {"outcome", study.outcome && study.state == StudyState::ended ? json(name(*study.outcome)) : json()},
       {"head", study.sealed_head.empty() ? head : study.sealed_head},
       {"opened", time_or_null(study.opened_ms)},
       {"ended", time_or_null(study.ended_ms)},
       {"jobs", study.jobs},
       {"output", study.output},
       {"study_file", study.spec.file},
       {"metrics", std::move(metrics)},
       {"correction", name(study.spec.design.correction)},
       {"aa", std::move(aa)},
       {"planted", std::move(planted)},
       {"integrity", std::move(integrity)},
       {"looks", looks_shape(study)},
       {"hypotheses", std::move(hypotheses)},
       {"runs", std::move(runs)},
       {"ledger", ledger_shape(study)},
       {"gates", gates_shape(study, study.wording)},
       {"requirements", requirements_shape(study)},
       {"steering", study.steering},
       {"reproduces", study.reproduction ? json(study.reproduction->head) : json()},
       {"forked_from", study.fork ? json(*study.fork) : json()},
       {"request", or_null(study.request)},
       {"artifact", or_null(study.artifact)},
       {"report", or_null(study.report)}});
  if (study.priority != 0) shape["priority"] = study.priority;
  if (const auto limit = limit_of(study.pause_detail)) shape["limit"] = *limit;
  if (json code = agents_code_shape(study); !code.is_null()) shape["agents_code"] = std::move(code);
  if (study.search) shape["search"] = search_shape(study);
  // Artifacts of earlier wordings lack it.
  const bool with_check = study.wording >= 7 || study.wording == codes_only;
  if (json findings = check_shape(study); with_check && !findings.empty())
    shape["manipulation_check"] = std::move(findings);
  const bool tells_skipped = study.wording >= 10 || study.wording == codes_only;
  if (tells_skipped && study.check && study.check->skipped) shape["manipulation_check_skipped"] = true;
  if (json waiting = waiting_shape(study); !waiting.empty()) shape["waiting"] = std::move(waiting);
  if (const auto left = time_left(study)) shape["left"] = left_shape(study, *left);
  if (json memory = memory_shape(study); !memory.empty()) shape["memory"] = std::move(memory);
  if (json remarks = remarks_shape(study); !remarks.empty()) shape["remarks"] = std::move(remarks);
  return shape;
}

namespace {

json lease_shape(const Lease& lease) {
  json shape = {{"cpus", lease.cpus}, {"memory_bytes", lease.memory_bytes}, {"gpus", lease.gpus}};
  if (lease.gpu_share) shape["gpu_share"] = *lease.gpu_share / 1000.0;
  if (lease.forecast_bytes > 0) shape["forecast_bytes"] = lease.forecast_bytes;
  if (lease.forecast_gpu_bytes > 0) shape["forecast_gpu_bytes"] = lease.forecast_gpu_bytes;
  for (const GpuCandidate& one : lease.candidates)
    shape["candidates"].push_back({{"gpu", one.id}, {"free", one.free / 1000.0}});
  return shape;
}

json any_run_shape(const Study& study, const Run& run) {
  json metrics = json::object();
  for (const auto& [metric, value] : run.measurement.values) metrics[metric] = number_json(value.value);
  const bool exited = run.ended() && run.outcome.end == JobEnd::exited;
  json shape = object({{"id", study.run_id(run.number)},
                       {"study", study.id},
                       {"number", run.number},
                       // Runs of earlier stages are not evidence, so they name no experiment.
                       {"experiment", or_null(run.stage.empty() ? run.experiment.text() : "")},
                       {"purpose", name(run.purpose)},
                       {"retry_of", run.retry_of ? json(study.run_id(run.retry_of)) : json()},
                       {"attempt", run.attempt},
                       {"label", or_null(run.label)},
                       {"stage", or_null(run.stage)},
                       {"tier", run.tier == Tier::none ? json() : json(name(run.tier))},
                       {"needs", run_ids(study, run.needs)},
                       {"factors", cell_shape(study.spec, study.cells[static_cast<std::size_t>(run.cell)])},
                       {"seed", run.seed},
                       {"replicate", run.replicate},
                       {"state", name(run.state)},
                       {"launch", run.token.empty() ? json() : json(launch_name(run.token))},
                       {"evidence", run.evidence()},
                       {"metrics", std::move(metrics)},
                       {"points", run.measurement.points},
                       {"malformed_metrics", run.measurement.malformed},
                       {"ignored_metrics", run.measurement.ignored},
                       {"outputs_left_out",
                        {{"count", run.left_out.count}, {"more", run.left_out.more}, {"named", run.left_out.named}}},
                       {"started", time_or_null(run.started_ms)},
                       {"ended", time_or_null(run.ended_ms)},
                       {"exit", exited ? json(run.outcome.exit) : json()},
                       {"signal", run.outcome.signal ? json(run.outcome.signal) : json()},
                       {"sandboxed", run.outcome.sandboxed},
                       {"kept", kept_shape(run)},
                       {"usage", usage_shape(run.outcome.usage)},
                       {"lease", lease_shape(run.lease)},
                       {"beside", run.beside},
                       {"fingerprint", or_null(run.fingerprint)},
                       {"cached_from", or_null(run.cached_from)},
                       {"blobs",
                        {{"metrics", or_null(run.measurement.metrics.sha256)},
                         {"stdout", or_null(run.out_log.sha256)},
                         {"stderr", or_null(run.err_log.sha256)}}},
                       {"reason", or_null(sentence(run.reason, study.wording))}});
  if (run.continues > 0) shape["continues"] = study.run_id(run.continues);
  if (!run.outcome.node.empty()) shape["node"] = run.outcome.node;
  if (run.usage_over_time) shape["blobs"]["usage"] = run.usage_over_time->sha256;
  if (run.log_order) shape["blobs"]["log_order"] = run.log_order->sha256;
  // A limit of the study's own is none.
  if (run.outcome.end == JobEnd::gpu_memory)
    shape["out_of_memory"] = "gpu";
  else if (run.outcome.end == JobEnd::memory && run.outcome.reason.code != ReasonCode::memory_exceeded)
    shape["out_of_memory"] = "machine";
  return shape;
}

}  // namespace

json run_shape(const Study& study, const Run& run) {
  json shape = any_run_shape(study, run);
  const ScratchOrder* order = study.order_of(run);
  if (!order || !order->by_hand()) return shape;
  shape["command"] = order->arguments;
  shape["folder"] = or_null(order->folder);
  shape["workspace"] = order->workspace.hash;
  shape["request"] = order->tool_call;
  return shape;
}

json graph_shape(const Exploration& study) {
  json nodes = json::array();
  for (const Node& node : study.nodes) {
    nodes.push_back({{"id", node.id},
                     {"type", name(node.type)},
                     {"title", node.title},
                     {"parents", node.parents},
                     {"fields", node.fields},
                     {"alternatives", node.alternatives},
                     {"evidence", node.evidence},
                     {"experiment", or_null(node.experiment.text())},
                     {"hypothesis", or_null(node.hypothesis.text())}});
    if (node.by.empty()) continue;
    nodes.back().update({{"by", node.by}, {"runs", node.runs}, {"time", time_or_null(node.time_ms)}});
  }
  return {{"nodes", std::move(nodes)}};
}

}  // namespace kernel
