#pragma once
// The study or run that a person means: its id, or as much of it as names one only. Pure; the ids come from the store.

#include <string>
#include <vector>

#include "base/result.h"

namespace cli {

/// The id in `ids` that `wanted` spells, wholly or as a prefix of that one only. The problem lists the candidates, the
/// nearest spelling, or says that there are no studies.
kernel::Result<std::string> find_study(const std::string& wanted, const std::vector<std::string>& ids);

/// STUDY-rNUMBER, taken apart; STUDY may be a prefix, NUMBER is 1 or more.
struct RunName {
  std::string study;
  int number = 0;
};
kernel::Result<RunName> read_run_name(const std::string& wanted);

}  // namespace cli
