#include "artifacts/check/fix.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/spelling.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::uint64_t largest_mended = 16u << 20;

void fix_file(const SafeRoot& root, const std::string& file, Respelled (*respell)(std::string_view),
              FixReport& report) {
  // `check` reports a file that is missing, too large or not regular.
  const FileBytes read = root.read(file, largest_mended);
  if (read.kind != FileKind::regular || read.too_large) return;
  const Respelled respelled = respell(read.bytes);
  std::string why = respelled.left;
  if (why.empty() && !respelled.fixes.empty()) why = root.replace(file, respelled.bytes);
  if (!why.empty()) return report.left.push_back({"", file, 0, fmt::format("left as it was: {}", why)});
  for (const SpellingFix& made : respelled.fixes)
    report.fixed.push_back({std::string(rule_of(made.rule).id), file, made.line, printable(made.what)});
}

nlohmann::json json_of(const std::vector<FixedPlace>& places) {
  nlohmann::json list = nlohmann::json::array();
  for (const FixedPlace& place : places)
    list.push_back({{"rule", place.rule}, {"file", place.file}, {"line", place.line}, {"message", place.message}});
  return list;
}

}  // namespace

kernel::Result<FixReport> fix(const std::string& path) {
  const auto root = SafeRoot::open(path);
  if (!root) return root.problem();
  FixReport report;
  fix_file(*root, "logic/claims.md", respell_claims, report);
  fix_file(*root, "trace/exploration_tree.yaml", respell_tree, report);
  return report;
}

nlohmann::json to_json(const FixReport& report) {
  return {{"fixed", json_of(report.fixed)}, {"left", json_of(report.left)}};
}

std::string to_text(const FixReport& report) {
  std::string text;
  for (const FixedPlace& place : report.fixed)
    text += fmt::format("fixed {}:{} {} {}\n", place.file, place.line, place.rule, place.message);
  return text;
}

}  // namespace artifacts
