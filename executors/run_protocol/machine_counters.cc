#include "executors/run_protocol/machine_counters.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>

#include <fcntl.h>
#include <unistd.h>

#include "executors/run_protocol/group_limits.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {

namespace {

constexpr std::string_view zone_prefix = "intel-rapl:";  // AMD's counters have this name, too.
/// A counter of 262 kJ turns in 20 minutes at 200 W; the smallest known one (65 kJ) in one minute at 1 kW.
constexpr std::int64_t look_every_ms = 1000;
constexpr std::int64_t longest_gap_ms = 60000;  // A longer gap could hide a whole turn.
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

std::string first_line_of(const std::string& path) {
  const std::string text = read_file(AT_FDCWD, path.c_str()).value_or("");
  return text.substr(0, text.find('\n'));
}

/// None, with errno, if the file holds no whole number.
std::optional<std::int64_t> counter_in(const std::string& file) {
  const auto text = read_file(AT_FDCWD, file.c_str());
  if (!text) return std::nullopt;
  const auto value = to_number(std::string_view(*text).substr(0, text->find('\n')));
  if (value && *value >= 0) return value;
  errno = EINVAL;
  return std::nullopt;
}

/// The difference of the two clocks changes only while the machine sleeps.
std::int64_t asleep_ms() {
  timespec awake{};
  clock_gettime(CLOCK_MONOTONIC, &awake);
  return boot_ms() - (std::int64_t{awake.tv_sec} * 1000 + awake.tv_nsec / 1000000);
}

/// Zone folders by the number after their prefix: "0", "0:1".
std::map<std::string, std::string> zone_names(const std::string& root) {
  std::map<std::string, std::string> names;
  Entries entries(AT_FDCWD, root.c_str());
  while (const char* entry = entries.next()) {
    const std::string_view name = entry;
    if (name.starts_with(zone_prefix))
      names.emplace(name.substr(zone_prefix.size()), first_line_of(root + "/" + entry + "/name"));
  }
  return names;
}

/// Takes leading spaces and a number off the text.
std::optional<std::int64_t> take_number(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

EnergyZones find_energy_zones(const std::string& root) {
  EnergyZones found;
  const auto nothing = [&found](std::string why) {
    found.zones.clear();
    found.missing = std::move(why);
    return found;
  };
  if (!Entries(AT_FDCWD, root.c_str())) return nothing(root + ": " + (errno == ENOENT ? "absent" : error_text(errno)));
  const std::map<std::string, std::string> names = zone_names(root);
  for (const auto& [number, name] : names) {
    const std::string parent = number.substr(0, number.find(':'));
    const auto package = names.find(parent);
    if (package == names.end() || !package->second.starts_with("package-")) continue;
    if (parent != number && name != "dram") continue;
    EnergyZone zone;
    zone.name = parent == number ? name : package->second + "." + name;
    const std::string folder = root + "/" + std::string(zone_prefix) + number;
    zone.file = folder + "/energy_uj";
    for (const std::string& file : {folder + "/max_energy_range_uj", zone.file}) {
      const auto value = counter_in(file);
      if (!value) return nothing(file + ": " + error_text(errno));
      if (file != zone.file) zone.range_uj = *value;
    }
    if (std::ranges::any_of(found.zones, [&](const EnergyZone& z) { return z.name == zone.name; }))
      return nothing(root + ": two zones are called " + zone.name);
    found.zones.push_back(std::move(zone));
  }
  if (found.zones.empty()) return nothing(root + ": no " + std::string(zone_prefix) + "N zone is a package");
  std::ranges::sort(found.zones, [](const EnergyZone& a, const EnergyZone& b) { return a.name < b.name; });
  return found;
}

EnergyMeter::EnergyMeter(const std::string& root) : due_(never) {
  if (root.empty()) return;
  EnergyZones found = find_energy_zones(root);
  from_ms_ = to_ms_ = wall_ms();
  asleep_ms_ = asleep_ms();
  for (EnergyZone& zone : found.zones) {
    if (const auto value = counter_in(zone.file)) {
      counters_.push_back({std::move(zone), *value, 0});
      continue;
    }
    found.missing = zone.name + ": " + error_text(errno);
    break;
  }
  if (!found.missing.empty())
    give_up(std::move(found.missing));
  else
    due_ = boot_ms() + look_every_ms;
}

void EnergyMeter::look() {
  if (counters_.empty()) return;
  if (boot_ms() - due_ > longest_gap_ms) return give_up("it was not read for more than a minute");
  // Counters restart when the machine wakes, which looks like a turn.
  if (asleep_ms() - asleep_ms_ > 1000) return give_up("the machine slept");
  for (Counter& counter : counters_) {
    const auto now = counter_in(counter.zone.file);
    if (!now) return give_up(counter.zone.name + ": " + error_text(errno));
    const std::int64_t turn = *now < counter.last ? counter.zone.range_uj : 0;
    if (*now + turn < counter.last) return give_up(counter.zone.name + ": it stood beyond its own range");
    counter.used += *now + turn - counter.last;
    counter.last = *now;
  }
  to_ms_ = wall_ms();
  due_ = boot_ms() + look_every_ms;
}

std::vector<std::pair<std::string, std::int64_t>> EnergyMeter::used() const {
  std::vector<std::pair<std::string, std::int64_t>> list;
  for (const Counter& counter : counters_) list.emplace_back(counter.zone.name, counter.used);
  return list;
}

void EnergyMeter::give_up(std::string why) {
  counters_.clear();
  missing_ = std::move(why);
  due_ = never;
}

std::optional<ProcessorTime> parse_processor_time(std::string_view stat, std::int64_t ticks_per_second) {
  if (!stat.starts_with("cpu ") || ticks_per_second <= 0) return std::nullopt;
  ProcessorTime time;
  std::string_view all = stat.substr(4, stat.find('\n') - 4);
  enum { user, nice, system, idle, iowait, irq, softirq, steal, fields };
  std::int64_t ticks = 0;
  for (int field = user; field < fields; ++field) {
    const std::optional<std::int64_t> number = take_number(all);
    if (!number) return std::nullopt;
    if (field != idle && field != iowait) ticks += *number;
  }
  time.busy_us = ticks * (1'000'000 / ticks_per_second);
  for (std::size_t at = stat.find("\ncpu"); at != stat.npos; at = stat.find("\ncpu", at + 1)) ++time.cpus;
  return time.cpus > 0 ? std::optional(time) : std::nullopt;
}

std::optional<ProcessorTime> processor_time() {
  const Fd file(open("/proc/stat", O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  // The processors' lines come first; the rest may be long.
  char text[64 << 10];
  const ssize_t got = read(file.get(), text, sizeof text);
  if (got <= 0) return std::nullopt;
  auto time = parse_processor_time({text, static_cast<std::size_t>(got)}, sysconf(_SC_CLK_TCK));
  // The groups stay the same for a process and those that it starts.
  static const GroupLimits limits = group_limits();
  if (time && limits.processors) {
    time->quota = limits.processors;
    time->throttled_us = throttled_us(limits.stat_files);
  }
  return time;
}

std::optional<std::int64_t> oom_kills(const std::string& vmstat) {
  const std::string text = read_file(AT_FDCWD, vmstat.c_str()).value_or("");
  constexpr std::string_view key = "\noom_kill ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(text).substr(at + key.size());
  return to_number(rest.substr(0, rest.find('\n')));
}

std::optional<MachineLoad> machine_load(const std::optional<ProcessorTime>& before,
                                        const std::optional<ProcessorTime>& after, std::int64_t own_us,
                                        std::int64_t wall_ms) {
  // If a processor was added or removed, the sums are not comparable.
  if (!before || !after || before->cpus != after->cpus || wall_ms < shortest_load_ms) return std::nullopt;
  const std::int64_t busy_us = after->busy_us - before->busy_us;
  if (busy_us < 0) return std::nullopt;
  MachineLoad load{busy_us / wall_ms, std::max<std::int64_t>(0, busy_us - own_us) / wall_ms, after->cpus};
  if (const std::int64_t kept_us = after->throttled_us - before->throttled_us; after->quota && kept_us > 0) {
    // What happens on processors beyond the quota says nothing.
    load.cpus = std::clamp(static_cast<int>(std::ceil(*after->quota)), 1, after->cpus);
    load.used_mcpu = std::min((own_us + kept_us) / wall_ms, std::int64_t{1000} * load.cpus);
    load.others_mcpu = std::min(kept_us / wall_ms, load.used_mcpu);
  }
  return load;
}

}  // namespace supervisor
