#include "apps/session/watch/failures.h"

#include <algorithm>
#include <functional>
#include <limits>

#include <nlohmann/json.hpp>

#include "apps/session/watch/public_view.h"

namespace session {

using nlohmann::json;

json failures_shape(const memory::Reader& reader, const json& study) {
  const Withheld withheld(study);
  std::vector<json> causes;
  memory::RunQuery unsuccessful;
  unsuccessful.most = std::numeric_limits<int>::max();
  unsuccessful.states = {"failed", "timed_out", "lost", "invalid", "cancelled"};
  reader.runs(study.at("id"), unsuccessful, [&](std::string_view document) {
    const json run = withheld.shown(json::parse(document));
    const json& cause = run.at("fingerprint");
    if (!cause.is_string() || cause == "") return;
    const auto known = std::ranges::find_if(causes, [&](const json& one) { return one.at("fingerprint") == cause; });
    if (known != causes.end())
      (*known)["runs"] = known->at("runs").get<int>() + 1;
    else
      causes.push_back({{"fingerprint", cause}, {"runs", 1}, {"first", run.at("id")}, {"reason", run.at("reason")}});
  });
  std::ranges::stable_sort(causes, std::greater{}, [](const json& one) { return one.at("runs").get<int>(); });
  return causes;
}

}  // namespace session
