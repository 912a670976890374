#include "executors/supervisor/meter.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <sys/statvfs.h>

#include "executors/supervisor/disk.h"
#include "executors/supervisor/files.h"

namespace supervisor {
namespace {

std::string size_text(std::int64_t bytes) {
  constexpr const char* units[] = {"bytes", "KB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1000 && unit < 4; ++unit) value /= 1024;
  char text[40];
  std::snprintf(text, sizeof text, "%.3g %s", value, units[unit]);
  return text;
}

std::int64_t own_cpu_us() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1000000 + used.tv_nsec / 1000;
}

std::string exceeded(const char* what, std::int64_t used, std::int64_t allowed) {
  return std::string(what) + ": " + size_text(used) + " used, " + size_text(allowed) + " allowed";
}

/// Half of the time that is left until `limit` at the present growth, within bounds.
std::int64_t pace(std::int64_t period, std::int64_t before, std::int64_t now, std::int64_t limit, std::int64_t fastest,
                  std::int64_t slowest) {
  std::int64_t next = std::min(period * 2, slowest);
  const std::int64_t growth = now - before;
  if (limit > 0 && growth > 0) {
    const double left = static_cast<double>(std::max<std::int64_t>(limit - now, 0)) / static_cast<double>(growth);
    next = std::min(next, static_cast<std::int64_t>(left * static_cast<double>(period) / 2));
  }
  return std::max(next, fastest);
}

}  // namespace

Meter::Meter(int folder, const Job& job, const Launched& launched)
    : folder_(folder),
      job_(job),
      own_depth_(launched.own_depth()),
      private_shm_(launched.isolation == Isolation::sandbox),
      memory_due_(boot_ms() + memory_period_),
      disk_due_(boot_ms() + disk_period_) {}

std::int64_t Meter::due() const {
  return std::min(memory_due_, disk_due_);
}

Meter::Finding Meter::look() {
  Finding finding;
  if (boot_ms() >= memory_due_) finding = look_at_memory();
  if (finding.end == End::exited && boot_ms() >= disk_due_) finding = look_at_disk();
  return finding;
}

Meter::Finding Meter::look_at_memory() {
  const std::int64_t begin = boot_ms(), begin_us = own_cpu_us();
  std::vector<Process> tree = descendants();
  std::erase_if(tree, [this](const Process& p) { return p.depth <= own_depth_; });
  const std::int64_t files = shared_files(tree);
  const std::int64_t at_most = resident_bytes(tree) + files;
  std::int64_t used = 0;

  // The cheap sum is never too small, so the exact one is needed only where the sum alone would condemn the job, or
  // where it counts shared pages more than once and could mean a new peak.
  const bool suspicious = job_.memory_bytes > 0 && at_most > job_.memory_bytes;
  const bool new_peak = tree.size() > 1 && at_most > peak_ + peak_ / 20;
  if (suspicious || new_peak) {
    if ((begin - exact_at_) * 1000 >= exact_cost_us_ * (suspicious ? 5 : 50)) {
      const std::int64_t before = own_cpu_us();
      const Proportional exact = proportional_bytes(tree);
      used = exact.bytes - exact.shared + std::max(exact.shared, files);
      exact_at_ = boot_ms();
      exact_cost_us_ = own_cpu_us() - before;
    }
  } else if (tree.size() == 1) {
    used = at_most;
  }
  peak_ = std::max(peak_, used);

  const std::int64_t end = boot_ms();
  memory_period_ = pace(memory_period_, last_resident_, at_most, job_.memory_bytes, 5, job_.memory_bytes ? 250 : 500);
  last_resident_ = at_most;
  memory_due_ = end + std::max(memory_period_, (own_cpu_us() - begin_us) / 20);
  if (job_.memory_bytes > 0 && used > job_.memory_bytes)
    return {End::memory, exceeded("memory", used, job_.memory_bytes)};
  return {};
}

std::int64_t Meter::shared_files(const std::vector<Process>& tree) const {
  // Files in the sandbox's own /dev/shm hold memory that no process may have mapped.
  if (!private_shm_ || job_.memory_bytes == 0) return 0;
  for (const Process& p : tree) {
    struct statvfs about {};
    if (statvfs(("/proc/" + std::to_string(p.pid) + "/root/dev/shm").c_str(), &about) != 0) continue;
    return static_cast<std::int64_t>((about.f_blocks - about.f_bfree) * about.f_frsize);
  }
  return 0;
}

Meter::Finding Meter::look_at_disk() {
  const std::int64_t begin = boot_ms();
  Finding finding;
  if (disk_nearly_full(folder_)) finding = {End::no_room, no_room_left};
  std::int64_t used = 0;
  if (job_.disk_bytes > 0) {
    used = disk_use(folder_, work_folder) + disk_use(folder_, out_folder) + disk_use(folder_, tmp_folder);
    if (!job_.checkpoint.empty()) used += disk_use(folder_, job_.checkpoint.c_str());
    if (used > job_.disk_bytes) finding = {End::disk, exceeded("disk", used, job_.disk_bytes)};
  }
  const std::int64_t end = boot_ms();
  disk_period_ = pace(disk_period_, last_disk_, used, job_.disk_bytes, 10, 1000);
  last_disk_ = used;
  disk_due_ = end + std::max(disk_period_, (end - begin) * 20);
  return finding;
}

}  // namespace supervisor
