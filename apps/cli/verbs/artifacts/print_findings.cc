#include "apps/cli/verbs/artifacts/print_findings.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "apps/cli/terminal/terminal_text.h"
#include "artifacts/check/annotations.h"

namespace cli {

void add_findings_format(CLI::App& verb, FindingsFormat& format) {
  static const std::map<std::string, FindingsFormat> formats{
      {"text", FindingsFormat::text}, {"github", FindingsFormat::github}, {"gitlab", FindingsFormat::gitlab}};
  verb.add_option_function<std::string>(
          "--format", [&format](const std::string& name) { format = formats.at(name); },
          "github: annotations of a workflow; gitlab: a report of code quality; text")
      ->check(CLI::IsMember({"text", "github", "gitlab"}));
}

int print_findings(const Context& context, const kernel::Result<artifacts::CheckReport>& report,
                   const std::string& artifact, FindingsFormat format, const nlohmann::json& more) {
  if (!report) return fail(bad_input, report.problem());
  std::error_code error;
  // Both services want paths of the repository, where their jobs start.
  const std::string folder =
      std::filesystem::is_directory(artifact, error) ? std::filesystem::proximate(artifact, error).string() : "";
  if (context.json) {
    nlohmann::json document = artifacts::to_json(*report);
    document.update(more);
    print_json(document);
  } else if (format == FindingsFormat::gitlab) {
    print_json(artifacts::to_gitlab(*report, folder));
  } else if (format == FindingsFormat::github) {
    fmt::print("{}{}", printable(artifacts::to_github(*report, folder)), printable(artifacts::summary_text(*report)));
  } else {
    fmt::print("{}", printable(artifacts::to_text(*report)));
  }
  return report->ok ? ok : wanting;
}

}  // namespace cli
