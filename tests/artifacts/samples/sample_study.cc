#include "tests/artifacts/samples/sample_study.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/measure/measure.h"
#include "kernel/wording/wording.h"
#include "stats/basics/contrast.h"
#include "stats/effects/fieller.h"
#include "stats/effects/regression.h"
#include "tests/artifacts/samples/sample_spec.h"

namespace fs = std::filesystem;
using namespace kernel;

namespace {

/// Expected time of one run, in ms.
double time_of(const Cell& cell) {
  const double n = std::stod(cell.at("n"));
  const std::string& algorithm = cell.at("algorithm");
  const std::string& input = cell.at("distribution");
  if (algorithm == "bubble") return (input == "sorted" ? 0.00005 : 0.00006) * n * n + 0.001;
  if (algorithm == "merge") return 0.00021 * n * std::log2(n);
  return 0.0002 * n * std::log2(n) * (input == "sorted" ? 0.92 : input == "random" ? 1.0 : 1.002);
}

/// One value per seed and arm: the mean over the arm's cells, as the kernel's paired test wants it.
std::map<std::uint64_t, double> arm(const Study& study, const Cell& pattern) {
  std::map<std::uint64_t, std::vector<double>> values;
  for (const Run& run : study.runs)
    if (run.evidence() && run.state == RunState::succeeded &&
        matches(study.cells[static_cast<std::size_t>(run.cell)], pattern))
      values[run.seed].push_back(run.measurement.values.at("time_ms").value);
  std::map<std::uint64_t, double> means;
  for (const auto& [seed, list] : values) {
    double sum = 0;
    for (const double value : list) sum += value;
    means[seed] = sum / static_cast<double>(list.size());
  }
  return means;
}

std::array<int, 2> count(const Study& study, const Cell& pattern) {
  std::array<int, 2> counts{};
  for (const Run& run : study.runs)
    if (run.evidence() && matches(study.cells[static_cast<std::size_t>(run.cell)], pattern)) {
      ++counts[0];
      counts[1] += run.state == RunState::succeeded ? 0 : 1;
    }
  return counts;
}

Cell merged(Cell a, const Cell& b) {
  a.insert(b.begin(), b.end());
  return a;
}

HypothesisResult judge(const Study& study, const Hypothesis& h) {
  HypothesisResult r;
  r.id = h.id;
  r.level = 0.99;
  r.power = 0.87;
  if (h.kind == HypothesisKind::slope) {
    std::vector<stats::Point> points;
    const Cell pattern = merged(h.treatment, h.where);
    for (const Run& run : study.runs) {
      const Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
      if (run.evidence() && run.state == RunState::succeeded && matches(cell, pattern))
        points.push_back({std::log(std::stod(cell.at("n"))), std::log(run.measurement.values.at("time_ms").value)});
    }
    const std::vector<std::vector<stats::Point>> strata{points};
    const auto fit = stats::mean_slope(strata);
    const stats::Interval interval = stats::interval(fit->slope, r.level);
    r.effect = fit->slope.estimate;
    r.low = interval.low;
    r.high = interval.high;
    r.se = fit->slope.standard_error;
    r.df = fit->slope.df;
    r.n = {static_cast<int>(points.size()), 0};
  } else {
    const Cell t_arm = merged(h.treatment, h.where), c_arm = merged(h.control, h.where);
    const auto t = arm(study, t_arm), c = arm(study, c_arm);
    std::vector<double> tv, cv;
    for (const auto& [seed, value] : t)
      if (c.contains(seed)) {
        tv.push_back(value);
        cv.push_back(c.at(seed));
      }
    const auto contrast = stats::paired_contrast(tv, cv);
    const stats::Interval interval = stats::interval(*contrast, r.level);
    r.effect = contrast->estimate;
    r.low = interval.low;
    r.high = interval.high;
    r.se = contrast->standard_error;
    r.df = contrast->df;
    double ts = 0, cs = 0;
    for (std::size_t i = 0; i < tv.size(); ++i) ts += tv[i], cs += cv[i];
    r.effect_relative = ts / cs - 1;
    if (const auto ratio = stats::fieller_paired(tv, cv, r.level)) {
      if (ratio->low) r.relative_low = *ratio->low - 1;
      if (ratio->high) r.relative_high = *ratio->high - 1;
    }
    const auto tn = count(study, t_arm), cn = count(study, c_arm);
    r.n = {tn[0], cn[0]};
    r.failed = {tn[1], cn[1]};
  }
  const bool failed = r.failed[0] + r.failed[1] > 0;
  const auto verdict = [&](Verdict v, double p, const char* reason) {
    r.verdict = v;
    r.p = p;
    r.p_corrected = std::min(1.0, 5 * p);
    r.reason = kernel::as_said(reason);
  };
  if (h.id == "H1") verdict(Verdict::supported, 1e-9, "The whole interval lies inside the claimed region.");
  if (h.id == "H2") verdict(Verdict::supported, 0.00021, "The whole interval lies inside the margin of equality.");
  if (h.id == "H3") verdict(Verdict::refuted, 0.99999, "The whole interval lies outside the claimed region.");
  if (h.id == "H4") verdict(Verdict::refuted, 0.98, "The whole interval lies outside the margin of equality.");
  if (h.id == "H5") verdict(Verdict::inconclusive, 0.35, "The interval contains zero.");
  if (failed) verdict(Verdict::inconclusive, *r.p, "Runs failed; the verdict must survive ranking them worst.");
  if (h.id == "H5") r.warnings = {kernel::as_said("the pilot showed skew")};
  return r;
}

Node node(const std::string& id, NodeType type, const std::string& title, std::vector<std::string> parents) {
  Node n;
  n.id = id;
  n.type = type;
  n.title = title;
  n.parents = std::move(parents);
  return n;
}

}  // namespace

SampleStudy::SampleStudy(const SampleOptions& options)
    : options_(options), head_(chain_start), random_(options.noise * 7919 + 1) {
  std::string folder = (fs::temp_directory_path() / "etude-sample-XXXXXX").string();
  if (!::mkdtemp(folder.data())) throw std::runtime_error("no temporary folder");
  folder_ = folder;
  fs::create_directories(folder_ + "/workspace/lib");
  const std::string text[] = {"def less(a, b): return a < b\n", "#!/bin/sh\nexec python3 sort.py \"$@\"\n",
                              "import lib.order\nprint('sorts')\n"};
  const char* const paths[] = {"lib/order.py", "run.sh", "sort.py"};
  std::string manifest = "{\"etude_manifest\":1}\n";
  for (int i = 0; i < 3; ++i) {
    std::ofstream(folder_ + "/workspace/" + paths[i]) << text[i];
    put(text[i]);
    manifest += "{\"bytes\":" + std::to_string(text[i].size()) + ",\"path\":\"" + paths[i] + "\",\"sha256\":\"" +
                sha256_hex(text[i]) + "\",\"type\":\"" + (i == 1 ? "executable" : "file") + "\"}\n";
  }
  fs::permissions(folder_ + "/workspace/run.sh", fs::perms::owner_exec, fs::perm_options::add);

  StudyOpened opened;
  opened.id = "s1";
  opened.spec = sample_spec(options);
  opened.text = sample_text(options);
  opened.workspace = {WorkspaceHash(put(manifest)), 3, 100, {}};
  opened.environment.programs = {{"python3", "/usr/bin/python3", "Python 3.11.2"}};
  opened.environment.machine = {{"cpu", "Sample CPU 3000"}, {"cores", "2"}, {"memory", "8 GB"}, {"os", "Debian 12"}};
  if (options.data) opened.data = {{"corpus", "/somewhere/corpus", "sha256:" + std::string(64, 'a')}};
  opened.jobs = 2;
  opened.output = folder_ + "/out";
  opened.boot_id = "boot";
  emit(opened);
  Node question = node("N01", NodeType::question, opened.spec.title, {});
  question.fields["description"] = opened.spec.question;
  emit(NodeRecorded{question});
  for (const Hypothesis& h : opened.spec.hypotheses) emit(HypothesisProposed{h, 1, false});
  Node choice = node("N02", NodeType::decision, "Test the hypotheses that the study lists", {"N01"});
  choice.fields = {{"choice", "5 listed hypotheses as one batch"}, {"rationale", "A person fixed them beforehand."}};
  choice.alternatives = {"derive hypotheses from the factors' baselines"};
  emit(NodeRecorded{choice});
  emit(ProposalsClosed{5});

  run(Purpose::smoke, smoke_runs(study(), {}));
  Node smoke = node("N03", NodeType::experiment, "Manipulation check", {"N02"});
  smoke.fields = {{"result", "5 smoke runs ended"}, {"status", "scratch"}, {"exploration", "never evidence"}};
  emit(NodeRecorded{smoke});
  ManipulationChecked check;
  if (options.hostile)
    check.findings = {{"distribution", kernel::as_said(std::string("changed nothing: ") + hostile_text), true}};
  emit(check);
  Node sizing = node("N04", NodeType::decision, "Run a fixed number of replicates", {"N02"});
  sizing.fields = {{"choice", "fixed by the study"}, {"rationale", "min = max"}};
  sizing.alternatives = {"size the sample from a pilot"};
  emit(NodeRecorded{sizing});
  SampleSized sized;
  for (const Hypothesis& h : opened.spec.hypotheses)
    sized.sizes.push_back(
        {h.id, options.replicates, 0.87, std::nullopt, kernel::as_said("Fixed by the study (min = max).")});
  emit(sized);

  Registration registration = registration_of(study(), {"H1", "H2", "H3", "H4", "H5"}, {});
  const std::string hash = sha256_hex(canonical(registration));
  emit(ExperimentRegistered{registration, hash});
  Node experiment = node("N05", NodeType::experiment, "E01: 5 hypotheses", {"N04"});
  experiment.experiment = "E01";
  experiment.fields["registration"] = hash;
  emit(NodeRecorded{experiment});
  run(Purpose::registered, registered_runs(study(), registration));
  ExperimentAnalysed analysed;
  analysed.experiment = "E01";
  for (const Hypothesis& h : registration.hypotheses) analysed.results.push_back(judge(study(), h));
  emit(analysed);

  int number = 0;
  for (const HypothesisRecord& record : std::vector<HypothesisRecord>(study().hypotheses)) {
    Claim claim;
    claim.id = "C0" + std::to_string(++number);
    claim.hypothesis = record.hypothesis.id;
    claim.experiment = "E01";
    claim.title = record.hypothesis.statement;
    claim.statement = record.hypothesis.statement + (record.hypothesis.mechanism.empty()
                                                         ? " (Attribution, not mechanism.)"
                                                         : " Because of " + record.hypothesis.mechanism);
    claim.conditions = "For the workspace, data and environment recorded with this artifact.";
    claim.falsification = "A registered experiment whose interval lies outside the region claimed.";
    claim.status = record.result->verdict == Verdict::supported ? "supported"
                   : record.result->verdict == Verdict::refuted ? "refuted"
                                                                : "hypothesis";
    claim.tags = {"time_ms", "algorithm"};
    emit(ClaimRecorded{claim});
    if (record.result->verdict != Verdict::refuted) continue;
    Node dead = node("N0" + std::to_string(study().nodes.size() + 1), NodeType::dead_end,
                     "Refuted: " + record.hypothesis.statement, {"N05"});
    dead.hypothesis = record.hypothesis.id;
    dead.fields = {{"hypothesis", record.hypothesis.statement},
                   {"failure_mode", "refuted by E01"},
                   {"why_failed", newest_words(record.result->reason)},
                   {"lesson", "Do not build on " + record.hypothesis.id + "."}};
    dead.evidence = {"E01"};
    emit(NodeRecorded{dead});
  }
  emit(StudyConcluded{StudyOutcome::concluded, {}});
}

SampleStudy::~SampleStudy() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

artifacts::PackageInput SampleStudy::input() const {
  return {study(), head_,
          [this](const std::string& hash) {
            const auto at = blobs_.find(hash);
            return at == blobs_.end() ? std::string() : at->second;
          },
          [this](const std::function<void(std::string_view)>& line) {
            for (const std::string& text : lines_) line(text);
          },
          "0.1.0"};
}

void SampleStudy::emit(EventBody body) {
  now_ms_ += 10;
  const Event event{"s1", "kernel", {now_ms_, now_ms_}, std::move(body)};
  StoredEvent stored = to_stored(event, head_);
  stored.seq = static_cast<std::int64_t>(lines_.size()) + 1;
  head_ = stored.hash;
  lines_.push_back(stored.json_line());
  apply(state_, event);
}

std::string SampleStudy::put(const std::string& bytes) {
  const std::string hash = sha256_hex(bytes);
  blobs_[hash] = bytes;
  return hash;
}

void SampleStudy::run(Purpose purpose, const RunsQueued& queued) {
  emit(queued);
  const int first = queued.runs.front().number;
  const int planned = static_cast<int>(queued.runs.size());
  for (int number = first; number <= static_cast<int>(study().runs.size()); ++number) {
    const Run job = *study().run(number);
    const Cell& cell = study().cells[static_cast<std::size_t>(job.cell)];
    emit(RunStarting{number, LaunchToken("token" + std::to_string(number))});
    emit(RunStarted{number});
    now_ms_ += 40;
    RunEnded ended;
    ended.run = number;
    ended.state = RunState::succeeded;
    ended.outcome.end = JobEnd::exited;
    ended.outcome.started_ms = now_ms_ - 40;
    ended.outcome.ended_ms = now_ms_;
    ended.outcome.usage = {0.03, 0.04, 9'000'000, 0, 0};
    ended.outcome.sandboxed = true;
    std::vector<MetricPoint> points;
    for (int step = 0; step < 3; ++step) {
      random_ = random_ * 1103515245u + 12345u;
      const double u = static_cast<double>((random_ >> 8) & 0xffff) / 65536.0 - 0.5;
      points.push_back({"time_ms", options_.slower * time_of(cell) * (1 + 0.08 * u), step, "", false});
    }
    points.push_back({"misplaced", 0, std::nullopt, "", false});
    if (options_.hostile) points.push_back({std::string("x\",") + hostile_text, 1, std::nullopt, "=cmd|' /C'", false});
    // The median without the first, which warms up.
    const double median = points[1].value + (points[2].value - points[1].value) / 2;
    ended.measurement.values = {{"time_ms", {median, false, false}}, {"misplaced", {0, false, false}}};
    ended.measurement.points = static_cast<std::int64_t>(points.size());
    const std::string jsonl = points_jsonl(points);
    ended.measurement.metrics = {put(jsonl), static_cast<std::int64_t>(jsonl.size())};
    const std::string log = options_.hostile ? hostile_text : "sorted " + std::to_string(job.seed) + "\n";
    ended.out_log = {put(log), static_cast<std::int64_t>(log.size())};
    const int index = number - first;
    const bool registered = purpose == Purpose::registered && options_.failures && number < first + planned;
    const bool third = cell.at("distribution") != "random" && cell.at("distribution") != "sorted";
    RunsQueued again;
    if (registered && third && job.replicate == 2 && cell.at("n") == "2000") {
      ended.state = RunState::failed;
      ended.outcome.exit = 1;
      ended.reason =
          kernel::as_said(options_.hostile ? std::string("exit status 1: ") + hostile_text : "exit status 1");
      const std::string error = "Traceback: IndexError\n\xff\xfe not text\n";
      ended.err_log = {put(error), static_cast<std::int64_t>(error.size())};
      ended.measurement = {};
    } else if (registered && third && job.replicate == 3 && cell.at("n") == "1000") {
      ended.state = RunState::timed_out;
      ended.outcome.end = JobEnd::timed_out;
      ended.reason = kernel::as_said("timed out after 60 s");
      ended.measurement = {};
    } else if (registered && (index == 4 || index == 9)) {
      ended.state = index == 4 ? RunState::lost : RunState::failed;
      ended.reason = kernel::as_said(index == 4 ? "vanished without an outcome" : "asked for a retry (exit 75)");
      if (index == 4) ended.outcome.end = JobEnd::lost;
      if (index == 9) ended.outcome.exit = 75;
      ended.measurement = {};
      again.purpose = purpose;
      again.experiment = queued.experiment;
      again.cells = {cell};
      PlannedRun retry;
      retry.number = static_cast<int>(study().runs.size()) + 1;
      retry.seed = job.seed;
      retry.replicate = job.replicate;
      retry.retry_of = number;
      retry.attempt = 2;
      again.runs = {retry};
    }
    emit(ended);
    if (!again.runs.empty()) emit(again);
  }
}
