#include "executors/supervisor/meter.h"

#include <algorithm>
#include <ctime>

#include <sys/statvfs.h>
#include <sys/sysinfo.h>

#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/run_files.h"
#include "executors/supervisor/shared_memory.h"

namespace supervisor {
namespace {

std::int64_t own_cpu_us() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1000000 + used.tv_nsec / 1000;
}

constexpr std::int64_t processes_period = 50;
constexpr std::int64_t most_own = 2;  ///< Processes that belong to us, not to the job.

/// Modulo 2^16, because Linux reports no more.
std::uint16_t threads_on_machine() {
  struct sysinfo about {};
  return sysinfo(&about) == 0 ? about.procs : 0;
}

/// Half of the time until `limit` at the present growth, within bounds.
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

Meter::Meter(int folder, const Job& job, const Launched& launched, const ReapedUse& reaped)
    : folder_(folder),
      job_(job),
      isolation_(launched.isolation),
      child_(launched.pid),
      own_(launched.own()),
      reaped_(reaped),
      begin_(boot_ms()),
      memory_due_(boot_ms() + memory_period_),
      disk_due_(boot_ms() + disk_period_),
      processes_due_(job.processes > 0 ? boot_ms() + processes_period : INT64_MAX),
      on_machine_(threads_on_machine()) {}

std::int64_t Meter::due() const {
  return std::min({memory_due_, disk_due_, processes_due_});
}

Meter::Finding Meter::look() {
  Finding finding;
  if (boot_ms() >= processes_due_) finding = look_at_processes();
  if (finding.end == JobEnd::exited && boot_ms() >= memory_due_) finding = look_at_memory();
  if (finding.end == JobEnd::exited && boot_ms() >= disk_due_) finding = look_at_disk();
  return finding;
}

std::vector<Process> Meter::tree() {
  on_machine_ = threads_on_machine();
  std::vector<Process> tree = descendants(job_.processes > 0 ? job_.processes + most_own : INT64_MAX);
  // Our own processes have reaped some of the job's.
  if (const std::int64_t at = boot_ms() - begin_; series_.is_due(at))
    series_.add(at, reaped_.cpu_us + processor_us(tree));
  std::erase_if(tree, [this](const Process& p) { return own_.contain(p); });
  processes_ = 0;
  for (const Process& p : tree) processes_ += p.threads;
  return tree;
}

void Meter::count() {
  const int init = isolation_ == Isolation::sandbox ? first_child(child_) : own_.init;
  const std::uint16_t on_machine = threads_on_machine();
  const auto threads =
      isolation_ == Isolation::process_tree ? std::nullopt : threads_in_namespace(init, job_.processes + 1);
  if (!threads) {
    tree();
    return;
  }
  processes_ = *threads - 1;
  on_machine_ = on_machine;
}

Meter::Finding Meter::too_many_processes() const {
  return {JobEnd::processes, {ReasonCode::processes_exceeded, {{"allowed", job_.processes}}}};
}

/// Counting a tree is expensive, but the machine's number of threads is cheap: only if it grew much can the job have
/// too many. The next look at the memory counts again and finds the rest.
Meter::Finding Meter::look_at_processes() {
  if (job_.processes == 0) return {};
  const std::int64_t begin_us = own_cpu_us();
  const auto more = static_cast<std::int16_t>(threads_on_machine() - on_machine_);
  if (processes_ + 2 * more > job_.processes) count();
  processes_due_ = boot_ms() + std::max(processes_period, (own_cpu_us() - begin_us) / 250);
  return processes_ > job_.processes ? too_many_processes() : Finding();
}

Meter::Finding Meter::look_at_memory() {
  const std::int64_t begin = boot_ms(), begin_us = own_cpu_us();
  // The tree of a fork bomb must not be walked.
  if (Finding many = look_at_processes(); many.end != JobEnd::exited) return many;
  const std::vector<Process> job = tree();
  if (job_.processes > 0 && processes_ > job_.processes) return too_many_processes();
  const std::int64_t files = shared_files(job);
  const std::int64_t at_most = resident_bytes(job) + files;
  std::int64_t used = 0;

  // The cheap sum is an upper bound. The exact one is needed only if the sum exceeds the limit, or could mean a new
  // peak because it counts shared pages more than once.
  const bool suspicious = job_.memory_bytes > 0 && at_most > job_.memory_bytes;
  const bool new_peak = (job.size() > 1 || files > 0) && at_most > peak_ + peak_ / 20;
  if (suspicious || new_peak) {
    if ((begin - exact_at_) * 1000 >= exact_cost_us_ * (suspicious ? 5 : 50)) {
      const std::int64_t before = own_cpu_us();
      const Proportional exact = proportional_bytes(job);
      used = exact.bytes - exact.shared + std::max(exact.shared, files);
      exact_at_ = boot_ms();
      exact_cost_us_ = own_cpu_us() - before;
    }
  } else if (job.size() == 1 && files == 0) {
    used = at_most;
  }
  peak_ = std::max(peak_, used);
  series_.see_memory(std::min(at_most, peak_));

  const std::int64_t end = boot_ms();
  memory_period_ = pace(memory_period_, last_resident_, at_most, job_.memory_bytes, 5, job_.memory_bytes ? 250 : 500);
  last_resident_ = at_most;
  memory_due_ = end + std::max(memory_period_, (own_cpu_us() - begin_us) / 20);
  if (job_.memory_bytes > 0 && used > job_.memory_bytes)
    return {JobEnd::memory, {ReasonCode::memory_exceeded, {{"used", used}, {"allowed", job_.memory_bytes}}}};
  return {};
}

std::string Meter::usage_over_time() const {
  return series_.text(boot_ms() - begin_, reaped_.cpu_us);
}

std::int64_t Meter::shared_files(const std::vector<Process>& tree) const {
  // Such files use memory that no process may have mapped.
  if (job_.memory_bytes == 0) return 0;
  const std::int64_t open = memory_files(tree);
  if (isolation_ != Isolation::sandbox) return open;
  for (const Process& p : tree) {
    struct statvfs about {};
    if (statvfs(("/proc/" + std::to_string(p.pid) + "/root/dev/shm").c_str(), &about) != 0) continue;
    return open + static_cast<std::int64_t>((about.f_blocks - about.f_bfree) * about.f_frsize);
  }
  return open;
}

Meter::Finding Meter::look_at_disk() {
  const std::int64_t begin = boot_ms();
  Finding finding;
  if (disk_nearly_full(folder_)) finding = {JobEnd::no_room, {ReasonCode::disk_full}};
  std::int64_t used = 0;
  if (job_.disk_bytes > 0) {
    used = disk_use(folder_, work_folder) + disk_use(folder_, out_folder) + disk_use(folder_, tmp_folder);
    if (!job_.checkpoint.empty()) used += disk_use(folder_, job_.checkpoint.c_str());
    used += file_use(folder_, metrics_file) + unlinked_use(folder_, tree());
    if (used > job_.disk_bytes)
      finding = {JobEnd::disk, {ReasonCode::disk_exceeded, {{"used", used}, {"allowed", job_.disk_bytes}}}};
  }
  const std::int64_t end = boot_ms();
  disk_period_ = pace(disk_period_, last_disk_, used, job_.disk_bytes, 10, 1000);
  last_disk_ = used;
  disk_due_ = end + std::max(disk_period_, (end - begin) * 20);
  return finding;
}

}  // namespace supervisor
