#pragma once
// Facts on this machine for the record of an environment: those that affect results, and none that identify the owner.

#include <cstdint>
#include <map>
#include <string>

namespace executors {

/// Keys: arch, cores (usable by this process), cpu, kernel, memory, os. Unknown facts are left out.
std::map<std::string, std::string> machine_facts();

/// Number of cores that this process may use; at least 1.
int usable_cores();
/// Bytes of the machine's memory; 0 if unknown.
std::int64_t machine_memory();

}  // namespace executors
