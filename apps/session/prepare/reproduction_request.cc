#include "apps/session/prepare/reproduction_request.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "memory/files/blobs.h"
#include "memory/store/reader.h"

namespace session {

std::string reproduction_output(const HomePaths& home, const artifacts::Recorded& recorded) {
  const kernel::ReproductionTerms& terms = recorded.terms;
  std::string choice = fmt::format("{} {} {}", terms.fresh, terms.sample, terms.seed);
  for (const std::string& claim : terms.claims) choice += " " + claim;
  const bool all = terms.claims.empty() && !terms.fresh && terms.sample == 0;
  return home.reproductions() + "/" + recorded.head.substr(0, 16) +
         (all ? "" : "-" + kernel::sha256_hex(choice).substr(0, 8));
}

StartRequest reproduction_request(const HomePaths& home, const artifacts::Recorded& recorded) {
  StartRequest request;
  request.spec = recorded.spec;
  request.text = recorded.text;
  request.output = reproduction_output(home, recorded);
  request.reproduces = std::filesystem::absolute(recorded.artifact).lexically_normal().string();
  request.reproduction = recorded.terms;
  request.recorded_log = recorded.log;
  if (!recorded.scoring.empty()) request.scoring = {recorded.scoring, recorded.study.scoring.hash};
  if (!recorded.set_up_from.empty()) request.set_up_from = {recorded.set_up_from, recorded.study.set_up_from->hash};
  request.versions = recorded.versions;
  return request;
}

std::string unfinished_reproduction(const HomePaths& home, const artifacts::Recorded& recorded,
                                    std::optional<std::uint64_t> seed) {
  const memory::Reader reader(home.root);
  if (!reader.has_store()) return "";
  std::vector<std::string> unfinished;
  reader.studies([&](std::string_view document) {
    const nlohmann::json study = nlohmann::json::parse(document);
    if (study.at("state") != "ended") unfinished.push_back(study.at("id"));
  });
  for (const std::string& id : unfinished) {
    const kernel::State state = reader.load_active(id);
    const kernel::Study* study = state.study(id);
    if (!study || !study->reproduction) continue;
    const kernel::ReproductionTerms &a = *study->reproduction, &b = recorded.terms;
    // An artifact that was changed meanwhile may state something else.
    const bool states_the_same =
        std::equal(a.untrue.begin(), a.untrue.end(), b.untrue.begin(), b.untrue.end(),
                   [](const auto& x, const auto& y) { return x.experiment == y.experiment && x.what == y.what; });
    if (states_the_same && a.head == b.head && a.claims == b.claims && a.fresh == b.fresh && a.sample == b.sample &&
        (!seed || a.seed == *seed))
      return id;
  }
  return "";
}

kernel::Result<artifacts::ReproductionReport> reproduction_report(const HomePaths& home, const std::string& id) {
  const kernel::State state = memory::Reader(home.root).load(id);
  const kernel::Study* study = state.study(id);
  if (!study) return kernel::Problem{"", 0, "study " + id, "is not in this home", "`etude ls` lists the studies"};
  if (!study->reproduction)
    return kernel::Problem{"", 0, "study " + id, "reproduces no artifact",
                           "POST /artifacts/reproduce opens one that does"};
  return artifacts::compare(memory::Blobs(home.blobs()).get(study->reproduction->log.sha256), *study);
}

}  // namespace session
