#pragma once
// A query for runs of a study, page by page.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "memory/log/database.h"

namespace memory {

struct RunQuery {
  int beyond = 0;  ///< Runs after this number, or before it if newest first. 0: from the first or from the last run.
  int most = 100;
  bool newest_first = false;
  std::vector<std::string> states;            ///< Any state if empty.
  std::string experiment;                     ///< All runs if empty, in an experiment or not.
  std::map<std::string, std::string> levels;  ///< Factors at these levels, as texts.
  std::vector<int> numbers;                   ///< All runs if empty.
};

/// `run` documents by ascending or descending number.
void each_run(Database&, const std::string& study, const RunQuery&,
              const std::function<void(std::string_view document)>&);

}  // namespace memory
