#include "memory/workspace/protection.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "memory/workspace/ignore.h"
#include "memory/workspace/walk.h"

namespace memory {

namespace {

/// Each one is a mount in every run.
constexpr std::size_t most_protected = 200;

kernel::Problem problem_of(const kernel::StudySpec& spec, const kernel::Protect& protect, std::string why,
                           std::string todo) {
  return {spec.file, protect.line, "evaluator.protect", std::move(why), std::move(todo)};
}

}  // namespace

kernel::Result<std::vector<kernel::ProtectedFile>> protected_files(
    const kernel::StudySpec& spec, const std::vector<kernel::ManifestEntry>& workspace) {
  std::map<std::string, std::string> files;
  for (const kernel::Protect& protect : spec.evaluator.protect) {
    IgnoreRules rules;
    rules.add(protect.pattern, "");
    bool found = false;
    for (const kernel::ManifestEntry& entry : workspace) {
      if (entry.type == kernel::EntryType::folder || !rules.covers(entry.path)) continue;
      if (entry.type == kernel::EntryType::link)
        return problem_of(spec, protect, fmt::format("`{}` is a link, which could be turned elsewhere", entry.path),
                          fmt::format("protect the file itself, `{}` as seen from the link", entry.target));
      files[entry.path] = entry.sha256;
      found = true;
    }
    if (!found)
      return problem_of(spec, protect, fmt::format("no file of the workspace matches `{}`", protect.pattern),
                        fmt::format("name files below {} that .gitignore does not leave out", spec.workspace.path));
    if (files.size() > most_protected)
      return problem_of(spec, protect, fmt::format("more than {} files are protected", most_protected),
                        "name only what evaluates, and declare what it reads under `data`");
  }
  std::vector<kernel::ProtectedFile> list;
  for (const auto& [path, sha256] : files) list.push_back({path, sha256});
  return list;
}

std::optional<kernel::Problem> check_protection(const kernel::StudySpec& spec, const std::string& home) {
  // The code of an extended artifact is checked when the study is prepared.
  if (spec.evaluator.protect.empty() || !spec.extends.workspace.empty()) return std::nullopt;
  const std::string root = std::filesystem::canonical(spec.workspace.path).string();
  Selection selection(root, spec.workspace.exclude, home);
  const auto walked = walk(root, selection, "workspace", "list it in .etudeignore or `workspace.exclude`");
  if (!walked) return walked.problem();
  std::vector<kernel::ManifestEntry> entries;
  for (const WalkEntry& e : walked->entries) entries.push_back({e.type, e.path, "", e.bytes, e.target});
  const auto files = protected_files(spec, entries);
  return files ? std::nullopt : std::optional(files.problem());
}

}  // namespace memory
