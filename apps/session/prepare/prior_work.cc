#include "apps/session/prepare/prior_work.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "apps/session/prepare/import.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/codec/json_types.h"
#include "kernel/design/design.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/study/state.h"
#include "memory/store/reader.h"

namespace session {

namespace {

constexpr std::size_t most_citable = 200, most_parts = 300;

/// The contrasts of the hypotheses that are known already, by which the same question is found under other commands.
std::vector<std::string> contrasts_of(const kernel::StudySpec& spec) {
  std::vector<std::string> contrasts;
  if (spec.captured()) return contrasts;
  for (const kernel::Hypothesis& h : spec.hypotheses.empty() ? kernel::derived_hypotheses(spec) : spec.hypotheses) {
    contrasts.push_back(kernel::contrast_key(h));
    if (std::string runs = kernel::runs_key(spec, h); !runs.empty()) contrasts.push_back(std::move(runs));
  }
  return contrasts;
}

}  // namespace

std::vector<kernel::Predecessor> predecessors(const std::string& home, const kernel::StudyOpened& study) {
  constexpr int most = 500;
  std::vector<kernel::Predecessor> list;
  const std::string here = kernel::context_key(study.spec, study.workspace, study.data);
  memory::Reader(home).judged_in(
      kernel::command_key(study.spec), std::filesystem::path(study.spec.file).parent_path().string(),
      contrasts_of(study.spec), most,
      [&](const std::string& earlier, std::string_view context, std::string_view document) {
        const auto h = nlohmann::json::parse(document);
        list.push_back({earlier, h.at("id"), h.at("contrast"), h.at("verdict").get<kernel::Verdict>(), h.at("reason"),
                        context != here,
                        h.contains("by_runs") && h.at("by_runs").is_string() ? h.at("by_runs").get<std::string>()
                                                                             : std::string()});
      });
  return list;
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
  return kernel::Problem{"", 0, "extend", "the artifact was changed after the study file was read", "try again"};
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
