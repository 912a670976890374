#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/record.h"
#include "artifacts/write/evidence.h"
#include "base/digest.h"
#include "kernel/measure/metric_sources.h"

namespace artifacts {

using kernel::MetricPoint;
using kernel::Run;
using kernel::Study;

namespace {

constexpr std::uint64_t largest_manifest_read = 256u << 20;
constexpr std::uint64_t largest_copied_log = 1u << 20;
/// A copied log contains the last part of the run's output.
constexpr std::size_t copied_of_log = 64 * 1024;
constexpr std::int64_t largest_log_kept = 64 << 20;

std::string told(const std::optional<kernel::MetricValue>& value) {
  if (!value) return "none";
  if (value->worst) return "worst";
  return fmt::format("{}{}", value->censored ? "at least " : "", value->value);
}

bool same_value(const std::optional<kernel::MetricValue>& a, const std::optional<kernel::MetricValue>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  const bool equal = a->value == b->value || (std::isnan(a->value) && std::isnan(b->value)) ||
                     std::abs(a->value - b->value) <= same_number * std::abs(b->value);
  return equal && a->censored == b->censored && a->worst == b->worst;
}

std::vector<MetricPoint> with_blanks(std::vector<MetricPoint> points, char blank) {
  for (MetricPoint& point : points) {
    std::ranges::replace(point.name, ' ', blank);
    std::ranges::replace(point.item, ' ', blank);
  }
  return points;
}

class EvidenceAudit {
 public:
  EvidenceAudit(const AuditedRecord& record, Findings& findings)
      : record_(record), study_(record.study), findings_(findings) {}

  Carried all() {
    for (const std::string& hash : study_.workspaces())
      carried_[hash] = record_.root.read(workspace_path(hash) + ".manifest", largest_manifest_read).bytes;
    if (!study_.sealed_manifest.empty())
      carried_[study_.sealed_manifest] =
          record_.root.read(std::string(sealed_folder) + ".manifest", largest_manifest_read).bytes;
    for (const kernel::CodeVersion& version : study_.code.versions) {
      if (version.diff.sha256.empty()) continue;  // In a reproduction, which has only the code.
      std::string diff = record_.root.read(version_path(version.id), largest_manifest_read).bytes;
      if (kernel::sha256_hex(diff) != version.diff.sha256)
        findings_.add(RuleId::changed_evidence, version_path(version.id), 0,
                      fmt::format("it is not the diff that the log has the hash of ({:.12}…)", version.diff.sha256));
      carried_[version.diff.sha256] = std::move(diff);
    }
    if (const kernel::CodeAmendment* change = study_.amendment(); change && !change->diff.sha256.empty()) {
      std::string diff = record_.root.read(amendment_path, largest_manifest_read).bytes;
      if (kernel::sha256_hex(diff) != change->diff.sha256)
        findings_.add(RuleId::changed_evidence, amendment_path, 0,
                      fmt::format("it is not the diff that the log has the hash of ({:.12}…)", change->diff.sha256));
      carried_[change->diff.sha256] = std::move(diff);
    }
    for (const kernel::Experiment& e : study_.experiments) experiment(e.registration.experiment);
    if (study_.search) experiment(study_.search->plan.registered.experiment);
    for (const Run& run : study_.runs) {
      log(run, run.out_log, "stdout");
      log(run, run.err_log, "stderr");
    }
    return std::move(carried_);
  }

 private:
  int line_of(const Run& run) const {
    const auto at = record_.ended_at.find(run.number);
    return at == record_.ended_at.end() ? 0 : at->second;
  }

  void experiment(const kernel::ExperimentId& id) {
    const auto read = read_points(record_.root, id);
    const bool reported = std::ranges::any_of(
        study_.runs, [&](const Run& run) { return run.experiment == id && !run.measurement.metrics.sha256.empty(); });
    if (!read && reported)
      findings_.add(RuleId::unread_points, "evidence/results/" + id + ".md", 0,
                    "the points that its runs reported are not part of the artifact");
    for (const Run& run : study_.runs) {
      if (run.experiment != id) continue;
      const bool any = !run.measurement.metrics.sha256.empty();
      if (any && !read) continue;
      const auto at = any ? read->find(study_.run_id(run.number)) : std::map<std::string, RunPoints>::const_iterator();
      const bool found = any && at != read->end();
      if (any) points(run, "evidence/results/" + id + "_points.csv", found ? at->second : RunPoints());
      values(run, found ? at->second : RunPoints());
    }
  }

  /// The rows must be the run's points, byte for byte; the log has their hash.
  void points(const Run& run, const std::string& file, const RunPoints& read) {
    const std::string& hash = run.measurement.metrics.sha256;
    std::string bytes = kernel::points_jsonl(read.points);
    // Tables show these characters as blanks.
    for (const char blank : {'\t', '\n'})
      if (kernel::sha256_hex(bytes) != hash) bytes = kernel::points_jsonl(with_blanks(read.points, blank));
    if (kernel::sha256_hex(bytes) != hash) {
      bytes = kernel::points_jsonl(read.points);
      if (read.exact || !read.understood)
        findings_.add(RuleId::changed_evidence, file, read.line,
                      fmt::format("the points of {} are not those that the log has the hash of ({:.12}…)",
                                  study_.run_id(run.number), hash));
      else
        findings_.add_as(Severity::warning, RuleId::unread_points, file, read.line,
                         fmt::format("the points of {} have names that no table shows byte for byte, so their hash "
                                     "says nothing",
                                     study_.run_id(run.number)));
    }
    carried_[hash] = std::move(bytes);
  }

  /// A run's values follow from its points.
  void values(const Run& run, const RunPoints& read) {
    if (!run.stage.empty()) return;
    std::unordered_map<std::string, std::vector<const MetricPoint*>> series;
    for (const MetricPoint& point : read.points) series[point.name].push_back(&point);
    for (const kernel::Metric& metric : study_.spec.metrics) {
      if (metric.derived) continue;  // Follows from the values of two runs.
      const bool time_to = metric.summary.kind == kernel::SummaryKind::time_to;
      const kernel::Metric* target = time_to ? study_.spec.metric(metric.summary.target_metric) : nullptr;
      const kernel::Summarised computed =
          kernel::summarise(metric, series[time_to ? metric.summary.target_metric : metric.name],
                            target ? target->goal : kernel::Goal::minimize);
      const auto at = run.measurement.values.find(metric.name);
      const auto recorded = at == run.measurement.values.end() ? std::nullopt : std::optional(at->second);
      if (same_value(recorded, computed.value)) continue;
      findings_.add(RuleId::metric_mismatch, log_file, line_of(run),
                    fmt::format("{} of {} is recorded as {}, and its points give {}", metric.name,
                                study_.run_id(run.number), told(recorded), told(computed.value)));
    }
  }

  void log(const Run& run, const kernel::BlobRef& blob, const char* stream) {
    const kernel::ScratchOrder* order = study_.order_of(run);
    const bool by_hand = order && order->by_hand();
    if ((run.state == kernel::RunState::succeeded && !by_hand) || blob.sha256.empty()) return;
    const std::string file = fmt::format("evidence/logs/{}.{}.log", study_.run_id(run.number), stream);
    FileBytes read = record_.root.read(file, largest_copied_log);
    if (!read.whole()) return;
    const bool whole = blob.bytes <= static_cast<std::int64_t>(copied_of_log);
    if (whole && kernel::sha256_hex(read.bytes) != blob.sha256) {
      findings_.add(
          RuleId::changed_evidence, file, 0,
          fmt::format("this is not what {} printed: the log has another hash of it", study_.run_id(run.number)));
    }
    if (!whole && blob.bytes <= largest_log_kept && read.bytes.size() >= copied_of_log)
      // Only the end of the log is in the artifact, and only the end is shown.
      read.bytes = std::string(static_cast<std::size_t>(blob.bytes) - copied_of_log, ' ') +
                   read.bytes.substr(read.bytes.size() - copied_of_log);
    carried_[blob.sha256] = std::move(read.bytes);
  }

  const AuditedRecord& record_;
  const Study& study_;
  Findings& findings_;
  Carried carried_;
};

}  // namespace

Carried audit_evidence(const AuditedRecord& record, Findings& findings) {
  return EvidenceAudit(record, findings).all();
}

}  // namespace artifacts
