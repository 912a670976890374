#include "executors/devices/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <sched.h>
#include <sys/utsname.h>

namespace executors {
namespace {

/// The text after `key` and the separator in the first line that begins with the key.
std::string value_in(const char* file, const std::string& key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
  }
  return "";
}

std::int64_t memory_kilobytes() {
  const std::string text = value_in("/proc/meminfo", "MemTotal", ':');
  return text.empty() ? 0 : std::atoll(text.c_str());
}

}  // namespace

int usable_cores() {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? std::max(1, CPU_COUNT(&usable)) : 1;
}

std::int64_t machine_memory() {
  return memory_kilobytes() * 1024;
}

std::map<std::string, std::string> machine_facts() {
  std::map<std::string, std::string> facts;
  utsname system{};
  if (uname(&system) == 0) {
    facts["kernel"] = std::string(system.sysname) + " " + system.release;
    facts["arch"] = system.machine;
  }
  facts["os"] = value_in("/etc/os-release", "PRETTY_NAME", '=');
  facts["cpu"] = value_in("/proc/cpuinfo", "model name", ':');
  facts["cores"] = std::to_string(usable_cores());
  if (const std::int64_t kilobytes = memory_kilobytes(); kilobytes > 0) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(kilobytes) / 1024 / 1024);
    facts["memory"] = text;
  }
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace executors
