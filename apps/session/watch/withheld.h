#pragma once
// Withholds the metric values of registered runs until their experiment has been analysed or the study has ended. Pure
// functions over JSON; they only remove.

#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace session {

/// Replaces the reason of an `invalid` run, which quotes the value of a metric.
inline constexpr const char* withheld_reason = "a guard failed (withheld until its experiment is analysed)";

class Withheld {
 public:
  /// `study`: the `study` JSON, with its hypotheses.
  explicit Withheld(const nlohmann::json& study);

  bool covers(const nlohmann::json& run) const;
  /// The `run` JSON. For a withheld run every metric is null, `withheld` is true, and an `invalid` run's reason is
  /// replaced.
  nlohmann::json shown(nlohmann::json run) const;

 private:
  bool ended_;
  std::set<std::string> analysed_;
};

}  // namespace session
