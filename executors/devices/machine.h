#pragma once
// What this machine is, for the record of an environment: facts that bear on results, nothing that names its owner.

#include <cstdint>
#include <map>
#include <string>

namespace executors {

/// Keys: arch, cores (this process may use), cpu, kernel, memory, os. What cannot be found out is left out.
std::map<std::string, std::string> machine_facts();

/// Cores that this process may use; at least 1.
int usable_cores();
/// Bytes of memory of the machine; 0: not known.
std::int64_t machine_memory();

}  // namespace executors
