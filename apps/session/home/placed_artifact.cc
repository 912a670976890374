#include "apps/session/home/placed_artifact.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/write/opening.h"

namespace session {

namespace {

bool opened_by(const memory::Reader& reader, const std::string& study, const artifacts::Opening& opening) {
  const auto first = reader.events_after(0, 1, study);
  return !first.empty() && first.front().hash == opening.hash;
}

std::string named(const memory::Reader& reader, const artifacts::Opening& opening) {
  return opened_by(reader, opening.study, opening) ? "study " + opening.study
                                                   : "study " + opening.study + " of another home";
}

}  // namespace

std::optional<std::string> artifact_replaced(const memory::Reader& reader, const nlohmann::json& study) {
  const auto path = study.find("artifact");
  if (path == study.end() || !path->is_string()) return std::nullopt;
  const std::string id = study.at("id");
  const auto opening = artifacts::opening_of(*path);
  if (!opening || opened_by(reader, id, *opening)) return std::nullopt;
  return fmt::format("{} has that of {} now; `etude artifact {} -o DIR` writes it again", path->get<std::string>(),
                     named(reader, *opening), id);
}

std::string replaced_study(const memory::Reader& reader, const std::string& folder) {
  const auto opening = artifacts::opening_of(folder);
  return opening ? named(reader, *opening) : "";
}

std::optional<std::string> study_of_artifact(const memory::Reader& reader, const std::string& folder) {
  const auto opening = artifacts::opening_of(folder);
  return opening && opened_by(reader, opening->study, *opening) ? std::optional(opening->study) : std::nullopt;
}

}  // namespace session
