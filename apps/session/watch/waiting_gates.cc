#include "apps/session/watch/waiting_gates.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace session {

using nlohmann::json;

json waiting_gates(const memory::Reader& reader) {
  memory::StudyQuery query;
  query.most = std::numeric_limits<int>::max();
  query.states = {"waiting"};
  json waiting = json::array();
  reader.studies(query, [&](std::string_view document) {
    const json study = json::parse(document);
    for (json gate : study.at("gates")) {
      if (!gate.at("decision").is_null()) continue;
      gate["study"] = study.at("id");
      waiting.push_back(std::move(gate));
    }
  });
  return waiting;
}

}  // namespace session
