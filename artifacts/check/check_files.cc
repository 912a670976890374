#include <array>
#include <map>

#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 10> mandatory{
    "PAPER.md",
    "logic/problem.md",
    "logic/claims.md",
    "logic/concepts.md",
    "logic/experiments.md",
    "logic/solution/constraints.md",
    "logic/related_work.md",
    "src/environment.md",
    "trace/exploration_tree.yaml",
    "evidence/README.md",
};
constexpr std::uint64_t stub_size = 10;

void check_mandatory(const SafeRoot& root, Findings& findings) {
  for (const std::string_view path : mandatory) {
    const Entry entry = root.look(std::string(path));
    std::string what;
    if (entry.kind == FileKind::none)
      what = "the mandatory file is missing";
    else if (entry.kind == FileKind::directory)
      what = "a directory stands where the mandatory file should be";
    else if (entry.kind != FileKind::regular)
      what = "the mandatory file is not a regular file of the artifact";
    else if (entry.size <= stub_size)
      what = fmt::format("the mandatory file holds {} bytes; more than {} are needed", entry.size, stub_size);
    if (what.empty()) continue;
    if (path == "logic/experiments.md") what += "; references to experiments were not checked";
    findings.add(RuleId::missing_file, path, 0, what);
  }
}

void check_kinds(const Artifact& artifact, Findings& findings) {
  for (const Entry& entry : artifact.files.entries) {
    const bool evidence = entry.path.starts_with("evidence/") || entry.path.starts_with("src/");
    switch (entry.kind) {
      case FileKind::outside:
        findings.add(RuleId::outside_root, entry.path, 0, "the link leads out of the artifact, and was not followed");
        break;
      case FileKind::special:
        findings.add_as(evidence ? Severity::error : Severity::warning, RuleId::special_file, entry.path, 0,
                        entry.link ? "the link leads nowhere" : "this is a pipe, a socket or a device");
        break;
      case FileKind::unreadable:
        findings.add(RuleId::unreadable_file, entry.path, 0, "the file cannot be looked at");
        break;
      case FileKind::secret:
        findings.add(RuleId::secret_file, entry.path, 0, "this file holds a secret, and was not read");
        break;
      case FileKind::none:
      case FileKind::regular:
      case FileKind::directory:
        break;
    }
  }
  if (!artifact.files.complete)
    findings.add(RuleId::too_large, "", 0,
                 "the artifact has more than 200,000 entries, folders deeper than 64, or folders that cannot be "
                 "listed; not all of it was checked");
}

void check_stems(const Artifact& artifact, Findings& findings) {
  std::map<std::string_view, std::string_view> seen;
  for (const Layer& layer : artifact.evidence) {
    const std::string_view file = layer.file;
    std::string_view stem = file.substr(file.rfind('/') + 1);
    stem.remove_suffix(3);
    if (same_word(stem, "README")) continue;
    const auto [first, added] = seen.emplace(stem, file);
    if (!added)
      findings.add(RuleId::duplicate_stem, file, 0,
                   fmt::format("the name {} is used by {} too", quote(stem), quote(first->second)));
  }
}

}  // namespace

void check_files(const Artifact& artifact, const SafeRoot& root, Findings& findings) {
  check_mandatory(root, findings);
  check_kinds(artifact, findings);
  check_stems(artifact, findings);
}

}  // namespace artifacts
