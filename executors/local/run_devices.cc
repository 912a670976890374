#include "executors/local/run_devices.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "executors/local/run_folder.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"

namespace executors {

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
    GpuStart start{id, lines.known_number("energy_mj." + id), lines.known_number("memory." + id), std::nullopt};
    if (lines.has("processes." + id)) start.processes = pids_in(lines.text("processes." + id));
    starts.push_back(std::move(start));
  }
  return starts;
}

}  // namespace

bool free_again(const GpuStart& start, const Nvml& nvml) {
  const GpuReading now = nvml.read(start.id);
  if (start.memory_bytes && (!now.memory_bytes || *now.memory_bytes > *start.memory_bytes + kept_by_driver))
    return false;
  if (!start.processes) return true;
  const auto holders = nvml.processes(start.id);
  return holders && std::includes(start.processes->begin(), start.processes->end(), holders->begin(), holders->end());
}

std::optional<std::vector<GpuStart>> gpu_starts(const std::string& file) {
  const auto note = note_of_this_boot(file);
  if (!note) return std::nullopt;
  return starts_in(*note);
}

bool GpuMeter::begin(const std::vector<Gpu>& gpus) {
  for (const Gpu& gpu : gpus) {
    const GpuReading reading = nvml_->read(gpu.id());
    starts_.push_back({gpu.id(), reading.energy_mj, reading.memory_bytes, nvml_->processes(gpu.id())});
  }
  if (starts_.empty()) return true;
  from_ms_ = supervisor::wall_ms();
  due_ = supervisor::boot_ms() + sample_every_ms;
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
  if (!starts_.empty()) due_ = supervisor::boot_ms();
}

void GpuMeter::sample() {
  for (const GpuStart& start : starts_) {
    const GpuReading now = nvml_->read(start.id);
    if (now.memory_bytes) memory_peak_ = std::max(memory_peak_, *now.memory_bytes);
    if (!now.utilisation) continue;
    const auto share = static_cast<std::int64_t>(std::lround(*now.utilisation * 100));
    ++shares_;
    share_sum_ += share;
    share_max_ = std::max(share_max_, share);
  }
  ++samples_;
  due_ = supervisor::boot_ms() + sample_every_ms;
  keep();
}

void GpuMeter::finish(kernel::Usage& usage) const {
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

namespace fs = std::filesystem;

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
