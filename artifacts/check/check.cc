#include "artifacts/check/check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/rule_groups.h"
#include "artifacts/published/judge_artifact.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/read/unpack.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// Adds what the published rules say, as the configuration wants it.
void add_published(const SafeRoot& root, const published::Configuration& configuration, Findings& findings) {
  for (const published::PublishedFact& found : published::judge(published::read_pages(root, root.list()))) {
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
  check_hashes(artifact, root, seal, findings, hashing);
  return check_record(artifact, root, seal, writer, findings, observer);
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
  add_published(*root, *configuration, findings);
  if (!options.strict) findings.defer_to_published();
  check_all(read_artifact(*root, findings), *root, open_seal(*root), Writer::any, findings, options.hashing);
  CheckReport report = report_of(path, findings, options);
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
  nlohmann::json document{{"artifact", report.artifact},
                          {"ok", report.ok},
                          {"errors", report.errors},
                          {"warnings", report.warnings},
                          {"findings", std::move(findings)}};
  if (!report.configuration.empty()) document["configuration"] = report.configuration;
  return document;
}

std::string to_text(const CheckReport& report) {
  std::string text;
  for (const Finding& f : report.findings)
    if (f.published) text += line_of(f);
  for (const Finding& f : report.findings)
    if (!f.published && f.same_as.empty()) text += line_of(f);
  text += fmt::format("{}: {}, {}: {}\n", report.artifact, counted(report.errors, "error"),
                      counted(report.warnings, "warning"), report.ok ? "ok" : "not ok");
  return text;
}

}  // namespace artifacts
