#include "artifacts/audit/audit.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/check/rule_groups.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/record.h"
#include "artifacts/read/unpack.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"

namespace artifacts {
namespace {

constexpr std::string_view tool_prefix = "etude ";

/// The program that wrote the artifact, from etude.json.
std::string writer_of(const nlohmann::json& seal) {
  const auto tool = seal.is_object() ? seal.find("tool") : seal.end();
  const std::string name = tool != seal.end() && tool->is_string() ? tool->get<std::string>() : "";
  return name.starts_with(tool_prefix) ? name.substr(tool_prefix.size()) : name;
}

bool claims_a_record(const SafeRoot& root) {
  return root.look(etude_json_file).kind != FileKind::none || root.look(log_file).kind != FileKind::none;
}

class Audit {
 public:
  Audit(const Artifact& artifact, const SafeRoot& root, const AuditOptions& options, Findings& findings)
      : artifact_(artifact), root_(root), options_(options), findings_(findings) {}

  Extent extent{.audited = true};

  void all() {
    const EtudeJson seal = open_seal(root_);
    const std::string writer = writer_of(seal.document);
    const bool same_version = options_.tool_version.empty() || writer == options_.tool_version;
    // Another version may word pages differently, which is no proof of fraud; but the differing lines are not verified.
    const Severity severity = same_version ? Severity::critical : Severity::error;
    RegistrationAudit registration(findings_);
    DecisionAudit decisions(findings_, severity);
    std::map<int, int> ended_at;
    const auto log =
        check_all(artifact_, root_, seal, same_version ? Writer::same : Writer::any, findings_, options_.hashing,
                  [&](const kernel::Study* before, const kernel::Event& event, int line) {
                    registration.see(before, event, line);
                    decisions.see(before, event, line);
                    if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body)) ended_at[ended->run] = line;
                  });
    if (!log) return without_record();
    if (!same_version)
      findings_.add(RuleId::other_version, etude_json_file, 0,
                    fmt::format("etude {} wrote this, and this is etude {}", writer, options_.tool_version));
    extent.recorded = true;
    compare_head(log->head);
    if (!can_be_computed(log->study))
      return findings_.add(
          RuleId::lost_record, log_file, 0,
          "the log names levels, metrics or nodes that its study does not have, or more than can be run");
    const AuditedRecord record{
        artifact_, root_, log->study, log->head, writer, std::move(ended_at), severity, layout_of(seal.document)};
    part("evidence", [&] { carried_ = audit_evidence(record, findings_); });
    part("claims, experiments and nodes", [&] { audit_entries(record, findings_); });
    part("pages", [&] { audit_pages(record, carried_, findings_); });
    part("files without a page", [&] { audit_unlogged_files(record, findings_); });
    if (options_.redraw)
      part("pictures", [&] { extent.pictures = audit_pictures(record, carried_, findings_); });
    else
      extent.pictures = "pictures were not drawn again";
    part("code", [&] { audit_code(record, findings_); });
    part("trails", [&] { audit_trails(record, findings_); });
  }

 private:
  void without_record() {
    if (!options_.head.empty())
      findings_.add(RuleId::wrong_head, log_file, 0,
                    fmt::format("no event log could be followed to {}", quote(options_.head)));
    if (claims_a_record(root_))
      return findings_.add(RuleId::lost_record, log_file, 0,
                           "the record that etude left cannot be followed to its end");
    findings_.add(RuleId::no_record, "", 0, "etude did not write this artifact, so there is no record of its runs");
    audit_stated(artifact_, root_, findings_);
  }

  void compare_head(const std::string& head) {
    extent.head_compared = !options_.head.empty();
    if (!options_.head.empty() && options_.head != head)
      findings_.add(RuleId::wrong_head, log_file, 0,
                    fmt::format("the log ends with {}, not with {}", head, quote(options_.head)));
  }

  /// Recomputing from an impossible record may throw.
  template <typename Part>
  void part(const char* what, Part run) {
    try {
      run();
    } catch (const std::exception& error) {
      findings_.add(RuleId::decision_mismatch, log_file, 0, fmt::format("{}: {}", what, error.what()));
    }
  }

  const Artifact& artifact_;
  const SafeRoot& root_;
  const AuditOptions& options_;
  Findings& findings_;
  Carried carried_;
};

}  // namespace

kernel::Result<CheckReport> audit(const std::string& path, const AuditOptions& options) {
  const auto arrived = Arrived::open(path);
  if (!arrived) return arrived.problem();
  const auto root = SafeRoot::open(arrived->folder());
  if (!root) return root.problem();
  Findings findings;
  const Artifact artifact = read_artifact(*root, findings);
  Audit audit(artifact, *root, options, findings);
  audit.all();
  CheckReport report = report_of(path, findings, {.strict = options.strict});
  report.not_verified = not_verified(artifact, audit.extent);
  return report;
}

}  // namespace artifacts
