#include "executors/run_protocol/machine_load.h"

#include <algorithm>
#include <charconv>

#include <fcntl.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

namespace {

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
  return got > 0 ? parse_processor_time({text, static_cast<std::size_t>(got)}, sysconf(_SC_CLK_TCK)) : std::nullopt;
}

std::optional<MachineLoad> machine_load(const std::optional<ProcessorTime>& before,
                                        const std::optional<ProcessorTime>& after, std::int64_t own_us,
                                        std::int64_t wall_ms) {
  // If a processor was added or removed, the sums are not comparable.
  if (!before || !after || before->cpus != after->cpus || wall_ms < shortest_load_ms) return std::nullopt;
  const std::int64_t busy_us = after->busy_us - before->busy_us;
  if (busy_us < 0) return std::nullopt;
  return MachineLoad{busy_us / wall_ms, std::max<std::int64_t>(0, busy_us - own_us) / wall_ms, after->cpus};
}

}  // namespace supervisor
