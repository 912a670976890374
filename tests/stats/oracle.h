#pragma once
// Reads the values that oracle/make_oracle.py stored, and compares with them.

#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/places.h"

namespace oracle {

inline std::vector<nlohmann::json> cases(const std::string& name) {
  std::ifstream in(tests::source_dir() + "/tests/stats/oracle/" + name + ".json");
  REQUIRE(in);
  auto list = nlohmann::json::parse(in).at("cases").get<std::vector<nlohmann::json>>();
  REQUIRE(list.size() >= 200);
  return list;
}

/// Relative agreement; a missing answer agrees with null. `floor` is the size below which a number counts as that size
/// (what cancellation can leave).
inline bool agree(std::optional<double> ours, const nlohmann::json& theirs, double tolerance = 1e-9, double floor = 0) {
  if (theirs.is_null() || !ours) return theirs.is_null() && !ours;
  const double other = theirs.get<double>();
  if (*ours == other) return true;
  return std::abs(*ours - other) <= tolerance * std::max({std::abs(*ours), std::abs(other), floor});
}

}  // namespace oracle
