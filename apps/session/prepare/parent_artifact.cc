#include "apps/session/prepare/parent_artifact.h"

#include "apps/session/prepare/import.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/evidence/prior_results.h"
#include "memory/store/reader.h"

namespace session {

namespace {

constexpr std::size_t most_citable = 200, most_parts = 300;

}  // namespace

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
  // The name under which the home has it, or will have it.
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
