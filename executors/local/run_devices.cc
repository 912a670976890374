#include "executors/local/run_devices.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "executors/local/gpu_holders.h"
#include "executors/local/run_folder.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"
#include "prose/numbers.h"

namespace executors {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t sample_every_ms = 500;
/// Memory that a driver may keep after a program has used the device.
constexpr std::int64_t kept_by_driver = 64 << 20;

std::optional<KeyLines> note_of_this_boot(const std::string& file) {
  const auto text = supervisor::read_file(AT_FDCWD, file.c_str());
  if (!text || !text->starts_with(supervisor::gpus_magic)) return std::nullopt;
  KeyLines note(*text);
  if (note.text("boot") != supervisor::boot_id()) return std::nullopt;
  return note;
}

std::vector<int> pids_in(std::string_view list) {
  std::vector<int> pids;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (const auto pid = supervisor::to_number(list.substr(0, end))) pids.push_back(static_cast<int>(*pid));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return pids;
}

std::vector<GpuStart> starts_in(const KeyLines& lines) {
  std::vector<GpuStart> starts;
  for (const auto& [id, order] : lines.family("device.")) {
    GpuStart start{id, lines.known_number("energy_mj." + id), lines.known_number("memory." + id), std::nullopt,
                   lines.has("shared")};
    if (lines.has("processes." + id)) start.processes = pids_in(lines.text("processes." + id));
    starts.push_back(std::move(start));
  }
  return starts;
}

/// The processes on the device that were not there before the launch; none if the driver does not list them, or if it
/// is not known who was there.
std::optional<std::vector<GpuHolder>> newcomers(const GpuStart& start, const Nvml& nvml) {
  auto holders = start.processes ? gpu_holders(nvml, start.id) : std::nullopt;
  if (holders)
    std::erase_if(*holders,
                  [&](const GpuHolder& holder) { return std::ranges::binary_search(*start.processes, holder.pid); });
  return holders;
}

}  // namespace

bool free_again(const GpuStart& start, const std::string& launch, const Nvml& nvml) {
  if (start.shared) {
    const auto holders = gpu_holders(nvml, start.id);
    if (!holders) return !start.processes;
    return std::ranges::none_of(*holders, [&](const GpuHolder& holder) { return holder.launch == launch; });
  }
  const GpuReading now = nvml.read(start.id);
  const auto holders = newcomers(start, nvml);
  std::int64_t more = kept_by_driver;
  // Without a number of its memory nothing can be said of the rest.
  bool known = true;
  if (holders)
    for (const GpuHolder& holder : *holders) {
      if (!holder.is_mps_server()) return false;
      more += holder.bytes.value_or(0);
      known = known && holder.bytes.has_value();
    }
  if (start.memory_bytes && (!now.memory_bytes || (known && *now.memory_bytes > *start.memory_bytes + more)))
    return false;
  return !start.processes || holders;
}

std::string why_not_free(const GpuStart& start, const std::string& launch, const Nvml& nvml) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  const auto holders = newcomers(start, nvml);
  if (holders)
    for (const GpuHolder& holder : *holders)
      if (!start.shared || holder.launch == launch) add(holder_words(holder));
  if (!text.empty()) return text;
  const GpuReading now = nvml.read(start.id);
  if (start.memory_bytes && now.memory_bytes && *now.memory_bytes > *start.memory_bytes)
    return prose::bytes_text(*now.memory_bytes - *start.memory_bytes) +
           " more are in use than before the run, by no process that the driver names";
  return "the driver does not tell any more what is in use";
}

std::optional<std::vector<GpuStart>> gpu_starts(const std::string& file) {
  const auto note = note_of_this_boot(file);
  if (!note) return std::nullopt;
  return starts_in(*note);
}

bool GpuMeter::begin(const std::vector<Gpu>& gpus, bool shared) {
  for (const Gpu& gpu : gpus) {
    const GpuReading reading = nvml_->read(gpu.id());
    starts_.push_back({gpu.id(), reading.energy_mj, reading.memory_bytes, nvml_->processes(gpu.id()), shared});
  }
  if (starts_.empty()) return true;
  from_ms_ = supervisor::wall_ms();
  since_ = sampled_at_ = supervisor::boot_ms();
  due_ = since_ + sample_every_ms;
  return keep();
}

void GpuMeter::resume() {
  const auto note = note_of_this_boot(folder_ + "/" + supervisor::gpus_file);
  if (!note) return;
  starts_ = starts_in(*note);
  from_ms_ = note->number("from");
  samples_ = note->number("samples");
  shares_ = note->number("shares");
  share_sum_ = note->number("share_sum");
  share_max_ = note->number("share_max");
  memory_peak_ = note->known_number("memory_peak").value_or(-1);
  busy_us_ = share_sum_ * sample_every_ms * 10;
  sampled_at_ = supervisor::boot_ms();
  since_ = sampled_at_ - std::max<std::int64_t>(0, supervisor::wall_ms() - from_ms_);
  if (!starts_.empty()) due_ = sampled_at_;
}

void GpuMeter::sample() {
  const std::int64_t at = supervisor::boot_ms(), passed = at - std::exchange(sampled_at_, at);
  for (const GpuStart& start : starts_) {
    GpuReading now = nvml_->read(start.id);
    // Of a shared device, only what the run's own processes hold.
    if (start.shared) now.memory_bytes = own_bytes(start.id);
    if (now.memory_bytes) {
      memory_peak_ = std::max(memory_peak_, *now.memory_bytes);
      series_.see_memory(*now.memory_bytes);
    }
    if (!now.utilisation) continue;
    const auto share = static_cast<std::int64_t>(std::lround(*now.utilisation * 100));
    ++shares_;
    share_sum_ += share;
    share_max_ = std::max(share_max_, share);
    busy_us_ += passed * share * 10;
  }
  if (series_.is_due(at - since_)) series_.add(at - since_, busy_us_);
  ++samples_;
  due_ = supervisor::boot_ms() + sample_every_ms;
  keep();
}

std::optional<std::int64_t> GpuMeter::own_bytes(const std::string& device) const {
  const auto holders = gpu_holders(*nvml_, device);
  if (!holders) return std::nullopt;
  std::optional<std::int64_t> bytes;
  for (const GpuHolder& holder : *holders)
    if (holder.launch == fs::path(folder_).filename() && holder.bytes) bytes = bytes.value_or(0) + *holder.bytes;
  return bytes;
}

void GpuMeter::finish(kernel::JobOutcome& outcome) const {
  kernel::Usage& usage = outcome.usage;
  if (starts_.empty()) return;
  if (shares_ > 0 || memory_peak_ >= 0) {
    kernel::GpuUsage gpu;
    gpu.samples = samples_;
    if (shares_ > 0) {
      gpu.utilisation_mean = static_cast<double>(share_sum_) / static_cast<double>(shares_) / 100;
      gpu.utilisation_max = static_cast<double>(share_max_) / 100;
    }
    if (memory_peak_ >= 0) gpu.memory_peak_bytes = memory_peak_;
    usage.gpu = gpu;
    const std::string points = series_.text(supervisor::boot_ms() - since_, busy_us_);
    if (outcome.usage_over_time && !points.empty())
      outcome.usage_over_time = supervisor::with_devices(*outcome.usage_over_time, points);
  }
  kernel::Energy energy = usage.energy.value_or(kernel::Energy{});
  std::string source;
  for (const GpuStart& start : starts_) {
    const auto now = nvml_->read(start.id).energy_mj;
    // A counter that decreased was reset with the driver.
    if (!start.energy_mj || !now || *now < *start.energy_mj) return;
    energy.counters[start.id] = static_cast<double>(*now - *start.energy_mj) / 1000;
    source += (source.empty() ? "nvml:" : "+") + start.id;
  }
  energy.source += (energy.source.empty() ? "" : " ") + source;
  energy.from_ms = energy.from_ms > 0 ? std::min(energy.from_ms, from_ms_) : from_ms_;
  energy.to_ms = supervisor::wall_ms();
  usage.energy = std::move(energy);
}

bool GpuMeter::keep() const {
  std::string text(supervisor::gpus_magic);
  const auto add = [&text](const std::string& key, const std::string& value) {
    text.append("\n").append(key).append("=").append(value);
  };
  add("boot", supervisor::boot_id());
  add("from", std::to_string(from_ms_));
  if (!starts_.empty() && starts_[0].shared) add("shared", "1");
  for (const GpuStart& start : starts_) {
    add("device." + start.id, "");
    if (start.energy_mj) add("energy_mj." + start.id, std::to_string(*start.energy_mj));
    if (start.memory_bytes) add("memory." + start.id, std::to_string(*start.memory_bytes));
    if (!start.processes) continue;
    std::string pids;
    for (const int pid : *start.processes) pids += (pids.empty() ? "" : ",") + std::to_string(pid);
    add("processes." + start.id, pids);
  }
  add("samples", std::to_string(samples_));
  add("shares", std::to_string(shares_));
  add("share_sum", std::to_string(share_sum_));
  add("share_max", std::to_string(share_max_));
  if (memory_peak_ >= 0) add("memory_peak", std::to_string(memory_peak_));
  text += '\n';
  const std::string file = folder_ + "/" + supervisor::gpus_file, fresh = file + ".new";
  return supervisor::write_file(AT_FDCWD, fresh.c_str(), text) && std::rename(fresh.c_str(), file.c_str()) == 0;
}

constexpr char held_prefix[] = "devices-";

namespace {

std::string launch_in(const fs::path& run_folder) {
  return run_folder.parent_path().filename() / run_folder.filename();
}

std::string note_beside(const fs::path& run_folder) {
  return run_folder.parent_path() / (held_prefix + run_folder.filename().string());
}

}  // namespace

HeldDevices hold_devices(const std::string& run_folder) {
  const std::string launch = launch_in(run_folder), note = note_beside(run_folder);
  // Without a note only the next kernel does not wait for the devices.
  if (link((run_folder + "/" + supervisor::gpus_file).c_str(), note.c_str()) != 0 && errno == ENOENT)
    return {launch, {}, ""};
  return {launch, gpu_starts(run_folder + "/" + supervisor::gpus_file).value_or(std::vector<GpuStart>()), note};
}

std::vector<HeldDevices> held_devices(const std::string& runs) {
  std::vector<HeldDevices> held;
  std::error_code error;
  for (fs::directory_iterator study(runs, error), end; !error && study != end; study.increment(error)) {
    std::error_code unreadable;
    for (fs::directory_iterator entry(study->path(), unreadable), last; !unreadable && entry != last;
         entry.increment(unreadable)) {
      const std::string name = entry->path().filename();
      if (!name.starts_with(held_prefix)) {
        auto starts = gpu_starts(entry->path() / supervisor::gpus_file);
        if (std::string note = note_beside(entry->path()); starts && !fs::exists(note, unreadable))
          held.push_back({launch_in(entry->path()), std::move(*starts), std::move(note), entry->path()});
        continue;
      }
      auto starts = gpu_starts(entry->path());
      if (starts)
        held.push_back(
            {study->path().filename() / name.substr(sizeof held_prefix - 1), std::move(*starts), entry->path()});
      else
        unlink(entry->path().c_str());
    }
  }
  return held;
}

}  // namespace executors
