#include "apps/session/collect/packager.h"

#include <functional>
#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "artifacts/reproduce/reproduction.h"
#include "base/manifest.h"
#include "kernel/study/gates.h"
#include "memory/files/blobs.h"
#include "memory/log/event_log.h"
#include "memory/store/reader.h"
#include "memory/workspace/secret_files.h"

namespace session {

namespace {

/// The pages of the reproduction, if the study reproduced an artifact.
std::optional<artifacts::ReproductionPages> reproduction_pages(const kernel::Study& study, const memory::Blobs& blobs) {
  if (!study.reproduction) return std::nullopt;
  auto report = artifacts::compare(blobs.get(study.reproduction->log.sha256), study);
  if (!report) throw std::runtime_error(report.problem().text());
  return artifacts::ReproductionPages{
      report->artifact,
      artifacts::to_json(*report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
      artifacts::to_markdown(*report)};
}

/// Folds the study's events after `folded.last` up to the one with the hash `end`, or all of them.
void fold(const memory::Reader& reader, const std::string& id, const std::string& end, FoldedStudy& folded) {
  bool ended = false;
  reader.events(id, folded.last, [&](const kernel::StoredEvent& event) {
    if (ended) return;
    memory::refuse_broken(folded.chain, event);
    kernel::apply(folded.state, event.decoded());
    folded.last = event.seq;
    ended = event.hash == end;
  });
}

}  // namespace

std::map<std::string, std::string> undecided_secrets(const HomePaths& home, const kernel::Study& study) {
  std::map<std::string, std::string> secrets;
  const kernel::GateRecord* asked = kernel::gate_of_secrets(study);
  if (study.reproduction || (asked && asked->decided)) return secrets;
  const memory::Blobs blobs(home.blobs());
  std::set<std::string> trees = study.workspaces();
  if (!study.sealed_manifest.empty()) trees.insert(study.sealed_manifest);
  for (const std::string& tree : trees) {
    if (tree.empty()) continue;
    const auto entries = kernel::read_manifest(blobs.get(tree));
    if (!entries) continue;  // Packaging says so.
    for (memory::SecretFile& file : memory::secrets_among(
             *entries, [&](const std::string& sha256) { return blobs.path(sha256); },
             study.spec.workspace.allow_secrets))
      secrets.emplace(std::move(file.path), std::move(file.what));
  }
  return secrets;
}

kernel::ReportPictures draw_pictures(const HomePaths& home, const std::string& id, FoldedStudy& folded) {
  const memory::Reader reader(home.root);
  fold(reader, id, "", folded);
  const kernel::Study* study = folded.state.study(id);
  if (!study || !study->outcome) throw std::logic_error("study " + id + " has not concluded");
  kernel::ReportPictures report;
  memory::Blobs blobs(home.blobs());
  report.secrets = undecided_secrets(home, *study);
  if (!report.secrets.empty()) return report;
  const artifacts::UnloggedFiles unlogged = artifacts::unlogged_files(
      {*study, folded.chain.head(), [&](const std::string& sha256) { return blobs.get(sha256); },
       [](const std::function<void(std::string_view)>&) {}, ETUDE_VERSION, reproduction_pages(*study, blobs)});
  report.trouble = unlogged.trouble;
  for (const auto& [path, bytes] : unlogged.files)
    report.files.push_back({path, blobs.put(bytes, memory::Blobs::Durable::later)});
  blobs.sync();
  return report;
}

kernel::Result<kernel::ReportPackage, artifacts::Unplaced> package_study(const HomePaths& home, const std::string& id,
                                                                         const std::string& sealed_head,
                                                                         const std::string& output,
                                                                         FoldedStudy folded) {
  const memory::Reader reader(home.root);
  const memory::Blobs blobs(home.blobs());
  // The artifact has the log up to the head that the study reports; later events only give the artifact's path.
  // Everything is folded from those events, so repeating the packaging gives the same artifact.
  fold(reader, id, sealed_head, folded);
  const kernel::Chain& chain = folded.chain;
  const kernel::Study* study = folded.state.study(id);
  if (!study || !study->outcome) throw std::logic_error("study " + id + " has not concluded");

  const artifacts::PackageInput input{*study,
                                      chain.head(),
                                      [&](const std::string& sha256) { return blobs.get(sha256); },
                                      [&](const std::function<void(std::string_view)>& each) {
                                        // Read again and not kept, because a long study's log is larger than its state.
                                        bool past = false;
                                        reader.events(id, 0, [&](const kernel::StoredEvent& event) {
                                          if (!past) each(event.json_line());
                                          past = past || event.hash == chain.head();
                                        });
                                      },
                                      ETUDE_VERSION,
                                      reproduction_pages(*study, blobs)};
  const auto packaged = artifacts::package(input, output);
  if (!packaged) return packaged.problem();
  return kernel::ReportPackage{packaged->path, packaged->report_html, chain.head()};
}

}  // namespace session
