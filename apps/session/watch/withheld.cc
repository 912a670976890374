#include "apps/session/watch/withheld.h"

#include <nlohmann/json.hpp>

namespace session {

using nlohmann::json;

Withheld::Withheld(const json& study) : ended_(study.at("state") == "ended") {
  // An experiment stays covered if only a look or a withdrawal decided one of its hypotheses.
  std::set<std::string> open;
  for (const json& hypothesis : study.at("hypotheses")) {
    if (!hypothesis.at("experiment").is_string()) continue;
    const auto experiment = hypothesis.at("experiment").get<std::string>();
    if (hypothesis.at("verdict").is_null())
      open.insert(experiment);
    else if (hypothesis.value("withdrawn", json()).is_null())
      analysed_.insert(experiment);
  }
  for (const std::string& experiment : open) analysed_.erase(experiment);
}

bool Withheld::covers(const json& run) const {
  if (ended_ || (run.at("purpose") != "registered" && run.at("purpose") != "aa")) return false;
  return !run.at("experiment").is_string() || analysed_.count(run.at("experiment").get<std::string>()) == 0;
}

json Withheld::shown(json run) const {
  const bool covered = covers(run);
  run["withheld"] = covered;
  if (!covered) return run;
  for (json& value : run["metrics"]) value = nullptr;
  if (run["state"] == "invalid") run["reason"] = withheld_reason;
  return run;
}

}  // namespace session
