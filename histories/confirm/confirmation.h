#pragma once
// What a confirmation is, as confirm.json in its folder keeps it: where the history lies, the imported entries, the
// baseline, each improvement, and the hypotheses that test it. Composes the study file. Pure.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "histories/confirm/claims.h"
#include "histories/confirm/versions.h"

namespace histories {

/// What improvements are compared with.
enum class Against { both, baseline, before };

struct Confirmation {
  History history;  ///< Without the texts of programs.
  RecordedClaims claims;
  Against against = Against::both;
  std::string metric;  ///< Its name in the study file.
};

/// Ids of the hypotheses that test an improvement: H1 against the baseline, S2 against the improvement before it. None
/// if it is not tested so.
std::optional<std::string> against_baseline(const Confirmation&, const Improvement&);
std::optional<std::string> against_before(const Confirmation&, const Improvement&);

/// How the versions are run. YAML values are written as they are given.
struct Setup {
  std::string run;                 ///< With {version} or {version.NAME}.
  std::vector<std::string> names;  ///< Parameters of the versions' bundles; empty: a version is its own name.
  std::string workspace;
  std::vector<std::string> exclude;         ///< Patterns for the workspace.
  std::string pattern;                      ///< Of the metric on standard output; empty: the metrics file.
  std::string environment;                  ///< `venv:PATH`; empty: the system's.
  std::map<std::string, std::string> data;  ///< Name → path.
  std::vector<std::pair<std::string, std::string>> resources, budget;  ///< Key → YAML.
  int least = 5, most = 30;  ///< Replicates; equal: exactly so many, without a pilot.
  double alpha = 0.05, power = 0.9;
  std::string seed_remark;  ///< About where the runs' seeds go; a comment of the file.
};

std::string study_text(const Confirmation&, const Setup&);

nlohmann::json to_json(const Confirmation&);
/// `file`: what problems name.
kernel::Result<Confirmation> confirmation_of(const std::string& text, const std::string& file);

}  // namespace histories
