#include "artifacts/check/annotations.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace artifacts {
namespace {

/// In a command, `%`, ends of lines and, in its properties, `:` and `,` have a meaning.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : text)
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      result += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      result += c;
  return result;
}

std::string path_of(const Finding& f, const std::string& folder) {
  return (std::filesystem::path(folder) / f.file).lexically_normal().string();
}

std::string_view github_name(Severity severity) {
  switch (severity) {
    case Severity::critical:
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      break;
  }
  return "notice";
}

std::string_view gitlab_name(Severity severity) {
  switch (severity) {
    case Severity::critical:
      return "critical";
    case Severity::error:
      return "major";
    case Severity::warning:
      return "minor";
    case Severity::info:
      break;
  }
  return "info";
}

}  // namespace

std::string to_github(const CheckReport& report, const std::string& folder) {
  std::string text;
  for (const Finding& f : report.findings) {
    if (!f.same_as.empty()) continue;
    std::string place;
    if (!folder.empty() && !f.file.empty()) place = "file=" + escaped(path_of(f, folder), true) + ",";
    if (!place.empty() && f.line > 0) place += fmt::format("line={},", f.line);
    const std::string shown = folder.empty() && !f.file.empty() ? f.file + ": " + f.message : f.message;
    text += fmt::format("::{} {}title={}::{}\n", github_name(f.severity), place, escaped("etude " + f.rule, true),
                        escaped(shown, false));
  }
  return text;
}

nlohmann::json to_gitlab(const CheckReport& report, const std::string& folder) {
  nlohmann::json list = nlohmann::json::array();
  std::map<std::string, int> same;  // Findings that differ in nothing but the line.
  for (const Finding& f : report.findings) {
    if (!f.same_as.empty()) continue;
    const std::string path = folder.empty() ? report.artifact : path_of(f, folder);
    const std::string told = nlohmann::json{f.rule, f.file, f.message}.dump();
    list.push_back({{"description", folder.empty() && !f.file.empty() ? f.file + ": " + f.message : f.message},
                    {"check_name", f.rule},
                    {"fingerprint", kernel::sha256_hex(fmt::format("{} {}", told, same[told]++))},
                    {"severity", gitlab_name(f.severity)},
                    {"location", {{"path", path}, {"lines", {{"begin", std::max(f.line, 1)}}}}}});
  }
  return list;
}

}  // namespace artifacts
