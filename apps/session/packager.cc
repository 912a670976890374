#include "apps/session/packager.h"

#include <optional>

#include "artifacts/package.h"
#include "memory/blobs.h"
#include "memory/reader.h"

namespace session {

kernel::Result<kernel::ReportPackage> package_study(const HomePaths& home, const kernel::Study& study,
                                                    const std::string& output) {
  const memory::Reader reader(home.root);
  const memory::Blobs blobs(home.blobs());
  // The artifact carries the log up to the conclusion: what comes after only says where the artifact lies.
  std::vector<std::string> lines;
  std::string head;
  bool concluded = false;
  reader.events(study.id, 0, [&](const kernel::StoredEvent& event) {
    if (concluded) return;
    lines.push_back(event.json_line());
    head = event.hash;
    concluded = event.type == "StudyConcluded";
  });
  if (!concluded) return kernel::Problem{"", 0, "study " + study.id, "has not concluded", "resume it first"};

  artifacts::PackageInput input{study,
                                head,
                                [&](const std::string& sha256) { return blobs.get(sha256); },
                                home.workspaces() + "/" + study.workspace.hash,
                                [&](const std::function<void(std::string_view)>& each) {
                                  for (const std::string& line : lines) each(line);
                                },
                                std::string("etude ") + ETUDE_VERSION};
  const auto packaged = artifacts::package(input, output);
  if (!packaged) return packaged.problem();
  return kernel::ReportPackage{packaged->path, packaged->report_html, head, ""};
}

}  // namespace session
