#pragma once
// The checks of `doctor`: whether this machine has what studies need, and how to install what is missing. Reads files
// and asks programs for their versions; changes nothing.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "executors/backend/backend.h"

namespace cli {

using executors::Health;
using executors::MachineCheck;
std::string_view name(Health);

struct DoctorQuery {
  std::string home;                              ///< Absolute; need not exist.
  std::string path;                              ///< $PATH
  std::map<std::string, std::string> variables;  ///< The environment, for version managers.
};

MachineCheck check_home(const DoctorQuery&);
MachineCheck check_interpreter(const DoctorQuery&, const executors::Backend&);
MachineCheck check_gnuplot(const DoctorQuery&);
MachineCheck check_graphviz(const DoctorQuery&);
MachineCheck check_ara(const DoctorQuery&);

/// All of them, and those of the backend, in the order in which people should read them. `missing` is what studies
/// cannot do without.
std::vector<MachineCheck> doctor_checks(const DoctorQuery&, const executors::Backend&);

}  // namespace cli
