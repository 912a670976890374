#include "apps/session/parent.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/session/import.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/views/plan.h"
#include "memory/reader.h"

namespace session {

namespace {

constexpr std::size_t most_dead_ends = 200, longest_lesson = 1000, most_citable = 200, most_parts = 300;

kernel::Extended extended_by(const kernel::ImportedArtifact& parent, const std::string& source) {
  kernel::Extended extended{source,      parent.id,   parent.title,    parent.doi, parent.files,
                            parent.head, parent.code, parent.controls, {}};
  for (const kernel::ForeignItem& item : parent.items)
    if (item.kind == "dead_end" && extended.dead_ends.size() < most_dead_ends)
      extended.dead_ends.push_back({item.item, item.title, artifacts::shortened(item.body, longest_lesson)});
  return extended;
}

/// One warning for each hypothesis that the artifact has tested in vain.
void warn_of_dead_ends(const kernel::ImportedArtifact& parent, studyfile::Parsed& parsed) {
  for (const kernel::PlannedHypothesis& planned : kernel::plan_of(parsed.spec).hypotheses) {
    const std::string key = kernel::contrast_key(planned.hypothesis);
    std::vector<kernel::Predecessor> same;
    std::copy_if(parent.tested.begin(), parent.tested.end(), std::back_inserter(same),
                 [&](const kernel::Predecessor& p) { return p.contrast == key; });
    if (const kernel::Predecessor* p = kernel::tested_in_vain(same))
      parsed.warnings.push_back(
          {parsed.spec.file, planned.hypothesis.line, "hypothesis " + planned.hypothesis.id,
           fmt::format("repeats a dead end of {}: {} was {} there ({})", parent.id, p->hypothesis,
                       kernel::name(p->verdict), artifacts::shortened(artifacts::printable(p->reason), 300)),
           "leave it out, unless something is different this time"});
  }
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
  return parsed;
}

}  // namespace

kernel::Result<studyfile::Parsed> read_study(const std::string& home, const std::string& path, studyfile::Use use,
                                             const std::string& agents) {
  return read_extending(home, [&](studyfile::LookAtParent look) { return studyfile::read(path, use, agents, look); });
}

kernel::Result<studyfile::Parsed> read_study_text(const std::string& home, const std::string& text,
                                                  const std::string& file_name, const std::string& base_dir,
                                                  const std::string& agents) {
  return read_extending(home, [&](studyfile::LookAtParent look) {
    return studyfile::read_text(text, file_name, base_dir, studyfile::Use::study, agents, look);
  });
}

kernel::Result<kernel::ImportedArtifact> look_at_parent(const std::string& home, const std::string& source) {
  const memory::Reader reader(home);
  if (source.starts_with(kernel::foreign)) {
    auto found = reader.import(source);
    if (found) return std::move(*found);
    return kernel::Problem{"", 0, "", "no artifact was imported as `" + artifacts::printable(source) + "`",
                           "`etude import ARA` takes one in; or name its folder"};
  }
  auto copy = copy_artifact({source, "", false}, nullptr);
  if (!copy) return copy.problem();
  // Under which name the home has it, or will.
  if (std::string known = reader.import_with(copy->artifact.files); !known.empty())
    copy->artifact.id = std::move(known);
  return std::move(copy->artifact);
}

kernel::Result<kernel::ImportedArtifact> bring_parent(const std::string& home, memory::Blobs& blobs,
                                                      const kernel::Extended& extended) {
  kernel::ImportedArtifact parent;
  if (extended.source.starts_with(kernel::foreign)) {
    auto found = look_at_parent(home, extended.source);
    if (!found) return found.problem();
    parent = std::move(*found);
  } else {
    auto copy = copy_artifact({extended.source, "", false}, &blobs);
    if (!copy) return copy.problem();
    parent = std::move(copy->artifact);
  }
  if (parent.files == extended.files) return parent;
  return kernel::Problem{"", 0, "extend", "the artifact is not what it was when the study file was read", "try again"};
}

std::vector<kernel::Predecessor> tested_by(const kernel::ImportedArtifact& parent, const kernel::StudyOpened& opened) {
  const bool other = kernel::context_key(opened.spec, opened.workspace, opened.data) != parent.context;
  std::vector<kernel::Predecessor> list = parent.tested;
  for (kernel::Predecessor& p : list) {
    p.study = opened.spec.extends.id;
    p.other_code = other;
  }
  return list;
}

std::vector<kernel::Work> citable_imports(const std::string& home) {
  std::vector<kernel::Work> works;
  for (const kernel::ImportedArtifact& artifact : memory::Reader(home).imports()) {
    if (works.size() >= most_citable) break;
    kernel::Work work;
    work.key = artifact.id;
    work.type = "artifact";
    work.title = artifact.title;
    work.year = artifact.year;
    work.authors = artifact.authors;
    work.doi = artifact.doi;
    for (char& c : work.doi)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const kernel::ForeignItem& item : artifact.items)
      if (kernel::is_citable(item) && work.parts.size() < most_parts) work.parts.push_back(item.item);
    works.push_back(std::move(work));
  }
  return works;
}

}  // namespace session
