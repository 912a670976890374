#include "executors/run_protocol/group_limits.h"

#include <algorithm>
#include <string_view>

#include <fcntl.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

namespace {

constexpr std::size_t small = 64 << 10;
/// Version 1 says no limit by the largest whole number of pages.
constexpr std::int64_t no_limit_bytes = std::int64_t{1} << 60;

std::string text_of(const std::string& file) {
  return read_file(AT_FDCWD, file.c_str(), small).value_or("");
}

std::optional<std::int64_t> number_in(std::string_view text) {
  return to_number(text.substr(0, text.find_first_of(" \n")));
}

/// The value of a line `key value`.
std::optional<std::int64_t> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key) && line.substr(key.size()).starts_with(' '))
      return number_in(line.substr(key.size() + 1));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

template <typename T>
void lower(std::optional<T>& limit, T value) {
  limit = limit ? std::min(*limit, value) : value;
}

void add_quota(GroupLimits& limits, std::optional<std::int64_t> quota_us, std::optional<std::int64_t> period_us,
               const std::string& stat_file) {
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return;
  lower(limits.processors, static_cast<double>(*quota_us) / static_cast<double>(*period_us));
  limits.stat_files.push_back(stat_file);
}

void add_processors(GroupLimits& limits, const std::string& folder) {
  if (const std::string most = text_of(folder + "/cpu.max"); !most.empty()) {
    const std::size_t space = most.find(' ');
    if (space != std::string::npos)
      add_quota(limits, number_in(most), number_in(std::string_view(most).substr(space + 1)), folder + "/cpu.stat");
    return;
  }
  add_quota(limits, number_in(text_of(folder + "/cpu.cfs_quota_us")), number_in(text_of(folder + "/cpu.cfs_period_us")),
            folder + "/cpu.stat");
}

void add_memory(GroupLimits& limits, const std::string& folder) {
  for (const char* name : {"/memory.max", "/memory.limit_in_bytes"})
    if (const auto bytes = number_in(text_of(folder + name)); bytes && *bytes > 0 && *bytes < no_limit_bytes)
      lower(limits.memory_bytes, *bytes);
}

/// Whether a list of controllers as in /proc/self/cgroup (`cpu,cpuacct`) has this one.
bool has_controller(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    if (one == name) return true;
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return false;
}

/// The group's folder and those above it. A path that is not there is that of another namespace: then the mount itself
/// is the group.
template <typename Add>
void climb(const std::string& mount, std::string path, const Add& add) {
  if (!Entries(AT_FDCWD, (mount + path).c_str())) path.clear();
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    add(mount + path);
    if (path.empty()) return;
    path.erase(path.rfind('/'));
  }
}

}  // namespace

GroupLimits group_limits(const std::string& root) {
  GroupLimits limits;
  const std::string all = text_of(root + "/proc/self/cgroup"), mounts = root + "/sys/fs/cgroup";
  const auto processors = [&](const std::string& folder) { add_processors(limits, folder); };
  const auto memory = [&](const std::string& folder) { add_memory(limits, folder); };
  std::string_view lines = all;
  while (!lines.empty()) {
    // `0::/group` in version 2, `4:cpu,cpuacct:/group` in version 1.
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (!path.starts_with('/') || path.find("/..") != std::string::npos) continue;
    if (controllers.empty() && line.starts_with("0:")) {
      const bool hybrid = static_cast<bool>(Entries(AT_FDCWD, (mounts + "/unified").c_str()));
      climb(hybrid ? mounts + "/unified" : mounts, path, [&](const std::string& folder) {
        processors(folder);
        memory(folder);
      });
    } else if (has_controller(controllers, "cpu")) {
      const std::string both = mounts + "/" + std::string(controllers);
      climb(Entries(AT_FDCWD, both.c_str()) ? both : mounts + "/cpu", path, processors);
    } else if (has_controller(controllers, "memory")) {
      climb(mounts + "/memory", path, memory);
    }
  }
  return limits;
}

std::int64_t throttled_us(const std::vector<std::string>& stat_files) {
  std::int64_t sum = 0;
  for (const std::string& file : stat_files) {
    const std::string text = text_of(file);
    // Version 1 counts nanoseconds.
    if (const auto us = value_of(text, "throttled_usec"))
      sum += *us;
    else
      sum += value_of(text, "throttled_time").value_or(0) / 1000;
  }
  return sum;
}

}  // namespace supervisor
