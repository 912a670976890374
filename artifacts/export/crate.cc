#include "artifacts/export/crate.h"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "artifacts/write/etude_json.h"

namespace artifacts {

std::string published_on(const nlohmann::json& seal, const std::string& year) {
  const nlohmann::json runs = seal.is_object() ? seal.value("runs", nlohmann::json::array()) : nlohmann::json::array();
  std::string last;
  for (const nlohmann::json& run : runs)
    if (run.is_object() && run.value("ended", nlohmann::json()).is_string())
      last = std::max(last, run["ended"].get<std::string>());
  if (last.size() >= 10) return last.substr(0, 10);
  const bool is_year = year.size() == 4 && year.find_first_not_of("0123456789") == year.npos;
  return is_year ? year : fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

void add_crate(ExportFiles& files, const SafeRoot& root, const Artifact& artifact, RunProfile profile,
               std::string page) {
  const FileBytes seal = root.read(etude_json_file, largest_etude_json);
  const auto sealed = nlohmann::json::parse(seal.bytes, nullptr, false);
  files.added[crate_preview] = std::move(page);
  files.added[crate_file] = crate_metadata(artifact, sealed, files, published_on(sealed, artifact.paper.year), profile);
}

}  // namespace artifacts
