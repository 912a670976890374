#include "artifacts/check/check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/rule_groups.h"
#include "artifacts/published/judge_artifact.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/references.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/read/unpack.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// Adds what the published rules say, as the configuration wants it.
void add_published(const SafeRoot& root, const published::Configuration& configuration, ParsedYaml& tree,
                   Findings& findings) {
  for (const published::PublishedFact& found : published::judge(published::read_pages(root, root.list()), tree)) {
    const published::RuleSetting& setting = configuration.of(found.code);
    const published::PublishedRule& rule = published::rule_of(found.code);
    if (setting.reported)
      findings.add_published(
          {rule.name, setting.severity, found.file, found.line, found.what, rule.mend, setting.fixable});
  }
}

std::string line_of(const Finding& f) {
  const std::string place = f.line > 0 ? fmt::format("{}:{}", f.file, f.line) : f.file;
  return fmt::format("{} {} {} {}\n", name_of(f.severity), place.empty() ? "." : place, f.rule, f.message);
}

}  // namespace

std::optional<RecordedLog> check_all(const Artifact& artifact, const SafeRoot& root, const EtudeJson& seal,
                                     Writer writer, Findings& findings, const HashObserver& hashing,
                                     const LogObserver& observer) {
  check_files(artifact, root, findings);
  const KnownIds known(artifact);
  check_indexes(artifact, known, root, findings);
  check_layers(artifact, known, root, findings);
  check_sources(artifact, findings);
  check_evidence(artifact, known, root, findings);
  check_execution(artifact, root, findings);
  check_texts(artifact, root, findings);
  check_tree(artifact, known, findings);
  check_links(root, findings);
  auto log = check_record(artifact, root, seal, writer, findings, observer);
  check_hashes(artifact, root, seal, log ? &log->study : nullptr, findings, hashing);
  return log;
}

std::vector<std::string> not_verified(const Artifact& artifact, const Extent& extent) {
  std::vector<std::string> open;
  if (extent.recorded) {
    if (!extent.audited) open.push_back("pages and numbers were not computed again from the event log: etude audit");
    if (!extent.head_compared)
      open.push_back(
          "the head of the event log was not compared with the one that the study printed: etude audit --head HASH");
    if (!extent.pictures.empty()) open.push_back(extent.pictures);
    open.push_back("no run was started again: etude reproduce");
  } else {
    open.push_back("no number was computed again: there is no event log of etude that could be followed");
    open.push_back("no code was run: etude reproduce --command");
  }
  const auto works = static_cast<std::size_t>(
      std::ranges::count_if(artifact.related_work.blocks, [](const Block& block) { return is_id(block.id, "RW"); }));
  if (works > 0)
    open.push_back(fmt::format("the {} in logic/related_work.md {} not looked up: whether {}", counted(works, "work"),
                               works == 1 ? "was" : "were", works == 1 ? "it exists" : "they exist"));
  return open;
}

CheckReport report_of(const std::string& path, const Findings& findings, const CheckOptions& options) {
  CheckReport report;
  report.artifact = printable(path);
  report.errors = findings.count(Severity::error) + findings.count(Severity::critical);
  report.warnings = findings.count(Severity::warning);
  report.ok = report.errors == 0 && !(options.strict && report.warnings > 0);
  report.findings = findings.sorted();
  return report;
}

kernel::Result<CheckReport> check(const std::string& path, const CheckOptions& options) {
  const auto arrived = Arrived::open(path);
  if (!arrived) return arrived.problem();
  auto root = SafeRoot::open(arrived->folder());
  if (!root) return root.problem();
  // A zip is judged as if it had no surroundings.
  published::ConfigurationChoice choice = options.configuration;
  choice.ignored = choice.ignored || (choice.path.empty() && arrived->folder() != path);
  const auto configuration = published::find_configuration(arrived->folder(), choice);
  if (!configuration) return configuration.problem();
  if (!options.repository.empty())
    if (auto problem = root->surround(arrived->folder(), options.repository)) return *problem;
  Findings findings;
  ParsedYaml tree;
  add_published(*root, *configuration, tree, findings);
  if (!options.strict) findings.defer_to_published();
  const Artifact artifact = read_artifact(*root, findings, tree);
  const auto log = check_all(artifact, *root, open_seal(*root), Writer::any, findings, options.hashing);
  CheckReport report = report_of(path, findings, options);
  report.not_verified = not_verified(artifact, {.recorded = log.has_value()});
  report.configuration = printable(configuration->path());
  return report;
}

nlohmann::json to_json(const Finding& f) {
  return {
      {"rule", f.rule}, {"severity", name_of(f.severity)}, {"file", f.file}, {"line", f.line}, {"message", f.message}};
}

nlohmann::json to_json(const CheckReport& report) {
  nlohmann::json findings = nlohmann::json::array();
  for (const Finding& f : report.findings) {
    nlohmann::json& entry = findings.emplace_back(to_json(f));
    entry["fixable"] = f.fixable;
    entry["published"] = f.published;
    if (!f.same_as.empty()) entry["same_as"] = f.same_as;
  }
  nlohmann::json document{{"artifact", report.artifact},     {"ok", report.ok},
                          {"errors", report.errors},         {"warnings", report.warnings},
                          {"findings", std::move(findings)}, {"not_verified", report.not_verified}};
  if (!report.configuration.empty()) document["configuration"] = report.configuration;
  return document;
}

std::string to_text(const CheckReport& report) {
  std::string text;
  for (const Finding& f : report.findings)
    if (f.published) text += line_of(f);
  for (const Finding& f : report.findings)
    if (!f.published && f.same_as.empty()) text += line_of(f);
  return text + summary_text(report);
}

std::string summary_text(const CheckReport& report) {
  std::string text = fmt::format("{}: {}, {}: {}\n", report.artifact, counted(report.errors, "error"),
                                 counted(report.warnings, "warning"), report.ok ? "ok" : "not ok");
  for (const std::string& open : report.not_verified) text += "not verified: " + open + "\n";
  return text;
}

}  // namespace artifacts
