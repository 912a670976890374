#pragma once
// Which runs of a study are asked for, a page at a time, from a table of many.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "memory/log/database.h"

namespace memory {

struct RunQuery {
  int beyond = 0;  ///< Those after this number; newest first: those before it. 0: from the first, or from the last.
  int most = 100;
  bool newest_first = false;
  std::vector<std::string> states;            ///< Empty: in any.
  std::string experiment;                     ///< Empty: of any, or of none.
  std::map<std::string, std::string> levels;  ///< Factors at these levels, as texts.
  std::vector<int> numbers;                   ///< Empty: all.
};

/// `run` documents in the order of their numbers, or against it.
void each_run(Database&, const std::string& study, const RunQuery&,
              const std::function<void(std::string_view document)>&);

}  // namespace memory
