#pragma once
// Runs of an experiment tracker, before it is known which of their metrics counts.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "histories/read/history.h"

namespace histories {

struct FoundRun {
  double started = 0;  ///< Orders the runs.
  HistoryEntry entry;
  std::map<std::string, double> metrics;  ///< The last value of each.
};

/// A history of parameters. Runs of one name get different ids.
kernel::Result<History> history_of(Source, const std::string& path, const Asked&, std::vector<FoundRun>);

/// A value of a configuration as a command line has it; none for lists and objects.
std::optional<std::string> word_of(const nlohmann::json&);

}  // namespace histories
