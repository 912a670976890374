#pragma once
// Finds the study or run that a person means by its id or an unambiguous prefix. Pure; the ids come from the store.

#include <string>
#include <vector>

#include "base/result.h"

namespace cli {

/// The id in `ids` that equals `wanted`, or the only one that begins with it. The problem lists the candidates or the
/// nearest spelling, or says that there are no studies.
kernel::Result<std::string> find_study(const std::string& wanted, const std::vector<std::string>& ids);

/// STUDY-rNUMBER in parts; STUDY may be a prefix, NUMBER is 1 or more.
struct RunName {
  std::string study;
  int number = 0;
};
kernel::Result<RunName> read_run_name(const std::string& wanted);

}  // namespace cli
