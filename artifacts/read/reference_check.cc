#include "artifacts/read/reference_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {

KnownIds::KnownIds(const Artifact& artifact) {
  const auto take = [](const Layer& layer, std::unordered_set<std::string>& into) {
    for (const Block& block : layer.blocks)
      if (!block.id.empty()) into.insert(block.id);
  };
  take(artifact.claims, claims);
  take(artifact.experiments, experiments);
  take(artifact.problem, observations);
  for (std::size_t i = 0; i < artifact.tree.nodes.size(); ++i)
    if (const std::string& id = artifact.tree.nodes[i].id; !id.empty()) nodes.emplace(id, static_cast<int>(i));
}

void ReferenceCheck::claim(const std::string& id, std::string_view file, int line, std::string_view by,
                           Severity severity) const {
  if (known_.claims.contains(id)) return;
  if (!artifact_.claims.present) severity = std::min(severity, Severity::warning);
  findings_.add_as(severity, RuleId::unknown_claim, file, line,
                   fmt::format("{} refers to {}, which {}", by, quote(id),
                               artifact_.claims.present ? "is no claim" : "cannot be looked up"));
}

void ReferenceCheck::experiment(const std::string& id, std::string_view file, int line, std::string_view by) const {
  if (known_.experiments.contains(id) || !artifact_.experiments.present) return;
  findings_.add(RuleId::unknown_experiment, file, line,
                fmt::format("{} refers to {}, which is no experiment", by, quote(id)));
}

FoundPath find_path(const SafeRoot& root, const std::vector<PathFrom>& readings) {
  FoundPath found{.path = {}, .outside = true, .directory = false};
  for (const PathFrom& from : readings) {
    if (from.path.empty()) continue;
    const auto path = joined(from.folder, from.path);
    if (!path) continue;
    const FileKind kind = path->empty() ? FileKind::directory : root.look(*path).kind;
    if (kind == FileKind::regular || kind == FileKind::directory)
      return {.path = *path, .outside = false, .directory = kind == FileKind::directory};
    if (kind != FileKind::outside) found.outside = false;
  }
  return found;
}

bool require_path(const FoundPath& found, std::string_view shown, std::string_view file, int line, std::string_view by,
                  Severity severity, Findings& findings) {
  if (found.outside)
    findings.add_as(severity, RuleId::outside_root, file, line,
                    fmt::format("{} names {}, which lies outside the artifact", by, quote(shown)));
  else if (found.path.empty() && !found.directory)
    findings.add_as(severity, RuleId::missing_file, file, line,
                    fmt::format("{} names {}, which does not exist", by, quote(shown)));
  return !found.outside && (!found.path.empty() || found.directory);
}

std::string missing_fields(std::span<const Block> blocks, std::initializer_list<FieldNames> wanted) {
  std::string missing;
  for (const FieldNames& names : wanted) {
    const bool there = std::ranges::any_of(blocks, [&](const Block& block) {
      return std::ranges::any_of(names, [&](std::string_view name) { return block.field(name); });
    });
    if (!there) missing += fmt::format("{}**{}**", missing.empty() ? "" : ", ", *names.begin());
  }
  return missing;
}

}  // namespace artifacts
