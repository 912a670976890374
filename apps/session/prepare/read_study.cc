#include "apps/session/prepare/read_study.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/session/prepare/missing_scripts.h"
#include "apps/session/prepare/prior_work.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/views/plan.h"
#include "memory/workspace/evaluator_files.h"
#include "memory/workspace/secret_files.h"

namespace session {

namespace {

constexpr std::size_t most_dead_ends = 200, longest_lesson = 1000;

kernel::Extended extended_by(const kernel::ImportedArtifact& parent, const std::string& source) {
  kernel::Extended extended{source,
                            parent.id,
                            parent.title,
                            parent.doi,
                            parent.files,
                            parent.head,
                            kernel::WorkspaceHash(parent.code),
                            parent.controls,
                            {}};
  for (const kernel::ForeignItem& item : parent.items)
    if (item.kind == "dead_end" && extended.dead_ends.size() < most_dead_ends)
      extended.dead_ends.push_back({item.item, item.title, artifacts::shortened(item.body, longest_lesson)});
  return extended;
}

/// Adds a warning for each hypothesis that is a dead end of the artifact.
void warn_of_dead_ends(const kernel::ImportedArtifact& parent, studyfile::Parsed& parsed) {
  for (const kernel::PlannedHypothesis& planned : kernel::plan_of(parsed.spec).hypotheses) {
    const std::string key = kernel::contrast_key(planned.hypothesis);
    std::vector<kernel::Predecessor> same;
    std::ranges::copy_if(parent.tested, std::back_inserter(same),
                         [&](const kernel::Predecessor& p) { return p.contrast == key; });
    if (const kernel::Predecessor* p = kernel::last_unsupported(same))
      parsed.warnings.push_back(
          {parsed.spec.file, planned.hypothesis.line, "hypothesis " + planned.hypothesis.id,
           fmt::format("repeats a dead end of {}: {} was {} there ({})", parent.id, p->hypothesis,
                       kernel::words_of(p->verdict), artifacts::shortened(artifacts::printable(p->reason), 300)),
           "leave it out, unless something is different this time"});
  }
}

/// Names the secrets before any job can read them, what cannot be in a copy, and scripts that are not there.
void warn_of_workspace(const std::string& home, studyfile::Parsed& parsed) {
  constexpr std::size_t most_named = 5;
  kernel::WorkspaceSpec seen = parsed.spec.workspace;
  for (std::string& pattern : memory::sealed_patterns(parsed.spec)) seen.exclude.push_back(std::move(pattern));
  const auto [files, left_out, paths, readable] = memory::secret_files(seen, home);
  for (const std::string& warning : left_out)
    parsed.warnings.push_back({parsed.spec.file, 0, "workspace", warning, ""});
  if (readable) std::ranges::move(missing_scripts(parsed.spec, paths), std::back_inserter(parsed.warnings));
  if (files.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(files.size(), most_named); ++i)
    names += fmt::format("{}`{}` ({})", i ? ", " : "", files[i].path, files[i].what);
  if (files.size() > most_named) names += fmt::format(" and {} more", files.size() - most_named);
  parsed.warnings.push_back({parsed.spec.file, 0, "workspace",
                             names + (files.size() == 1 ? " looks like a secret" : " look like secrets") +
                                 ": every job can read the workspace, and nothing is published before a person says "
                                 "whether the artifact may have a copy",
                             "list what runs do not need in `workspace: {exclude: […]}` or .etudeignore, and what may "
                             "be published in `workspace: {allow_secrets: […]}`"});
}

template <typename Read>
kernel::Result<studyfile::Parsed> read_extending(const std::string& home, Read read) {
  std::optional<kernel::ImportedArtifact> parent;
  auto parsed = read([&](const std::string& source) -> kernel::Result<kernel::Extended> {
    auto found = look_at_parent(home, source);
    if (!found) return found.problem();
    parent = std::move(*found);
    return extended_by(*parent, source);
  });
  if (parsed && parent) warn_of_dead_ends(*parent, *parsed);
  if (parsed && parsed->spec.extends.workspace.empty()) warn_of_workspace(home, *parsed);
  return parsed;
}

}  // namespace

kernel::Result<studyfile::Parsed> read_study(const std::string& home, const std::string& path, studyfile::Use use,
                                             const std::string& agents) {
  return read_extending(home, [&](studyfile::LookAtParent look) { return studyfile::read(path, use, agents, look); });
}

kernel::Result<studyfile::Parsed> read_study_text(const std::string& home, const std::string& text,
                                                  const std::string& file_name, const std::string& base_dir,
                                                  studyfile::Use use, const std::string& agents) {
  return read_extending(home, [&](studyfile::LookAtParent look) {
    return studyfile::read_text(text, file_name, base_dir, use, agents, look);
  });
}

}  // namespace session
