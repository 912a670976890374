#include "executors/devices/machine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "executors/run_protocol/group_limits.h"

namespace executors {

namespace {

constexpr const char* shared_nodes[] = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"};
constexpr int most_gpus = 1024;
constexpr char capabilities[] = "/proc/driver/nvidia/capabilities";

kernel::Problem bad_gpus(std::string_view text, std::string why) {
  return {"", 0, "GPUs `" + std::string(text) + "`", std::move(why),
          "write a number of devices, or a list such as `0,1` or `GPU-5f1c:80G`"};
}

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<std::int64_t> memory_size(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  if (unit != units.npos) text.remove_suffix(1);
  const auto value = whole<std::int64_t>(text);
  const int shift = unit == units.npos ? 0 : 10 * static_cast<int>(unit + 1);
  if (!value || *value == 0 || *value > (INT64_MAX >> shift)) return std::nullopt;
  return *value << shift;
}

std::optional<Gpu> parse_gpu(std::string_view entry) {
  Gpu gpu;
  const std::size_t colon = entry.find(':');
  const std::string_view id = entry.substr(0, colon);
  if (colon != entry.npos && !(gpu.memory_bytes = memory_size(entry.substr(colon + 1)))) return std::nullopt;
  if (id.starts_with("GPU-") || id.starts_with("MIG-"))
    gpu.uuid = id;
  else if (const auto index = whole<int>(id); index && *index < most_gpus)
    gpu.index = *index;
  else
    return std::nullopt;
  return gpu;
}

const Gpu* known_as(const std::vector<Gpu>& known, const Gpu& wanted) {
  const auto found = std::ranges::find_if(known, [&wanted](const Gpu& gpu) {
    return wanted.uuid.empty() ? gpu.index == wanted.index : gpu.uuid == wanted.uuid;
  });
  return found == known.end() ? nullptr : &*found;
}

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

kernel::Result<std::vector<Gpu>> parse_gpus(std::string_view declaration) {
  std::vector<Gpu> gpus;
  if (const auto count = whole<int>(declaration)) {
    if (*count > most_gpus) return bad_gpus(declaration, "more than any machine has");
    for (int index = 0; index < *count; ++index) gpus.emplace_back().index = index;
    return gpus;
  }
  std::string_view left = declaration;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    const auto gpu = parse_gpu(left.substr(0, end));
    if (!gpu) return bad_gpus(declaration, "`" + std::string(left.substr(0, end)) + "` is no device");
    if (known_as(gpus, *gpu)) return bad_gpus(declaration, gpu->id() + " is there twice");
    gpus.push_back(*gpu);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (gpus.empty()) return bad_gpus(declaration, "names no device");
  return gpus;
}

kernel::Result<std::vector<Gpu>> gpu_inventory(std::string_view declaration, const Nvml& nvml) {
  const std::vector<Gpu> known = nvml.gpus();
  if (declaration.empty()) return known;
  auto declared = parse_gpus(declaration);
  if (!declared || !nvml.missing().empty()) return declared;
  for (std::size_t i = 0; i < declared->size(); ++i) {
    Gpu& gpu = (*declared)[i];
    const Gpu* there = known_as(known, gpu);
    if (!there) return bad_gpus(declaration, "this machine's driver knows no " + gpu.id());
    const auto memory = gpu.memory_bytes;
    gpu = *there;
    if (memory) gpu.memory_bytes = memory;
    for (std::size_t j = 0; j < i; ++j)
      if ((*declared)[j].id() == gpu.id()) return bad_gpus(declaration, gpu.id() + " is there twice");
  }
  return declared;
}

kernel::Result<std::vector<Gpu>> leased_gpus(const std::vector<std::string>& ids, const Nvml& nvml) {
  std::vector<Gpu> gpus;
  if (ids.empty()) return gpus;
  const std::vector<Gpu> known = nvml.gpus();
  for (const std::string& id : ids) {
    const auto gpu = parse_gpu(id);
    const Gpu* there = gpu ? known_as(known, *gpu) : nullptr;
    if (!gpu || (!there && (!gpu->index || nvml.missing().empty())))
      return bad_gpus(id, nvml.missing().empty() ? "the driver lists no such device" : nvml.missing());
    gpus.push_back(there ? *there : *gpu);
  }
  return gpus;
}

std::string visible_devices(const std::vector<Gpu>& gpus) {
  std::string list;
  for (const Gpu& gpu : gpus) list += (list.empty() ? "" : ",") + gpu.id();
  return list;
}

GpuNodes gpu_nodes(const std::vector<Gpu>& gpus, const std::string& root) {
  GpuNodes nodes;
  const auto add_device = [&](const std::string& path) {
    if (access((root + path).c_str(), F_OK) == 0) nodes.devices.emplace_back(root + path, path);
  };
  std::error_code error;
  for (const Gpu& gpu : gpus) {
    // Without the driver, assume that index and minor number are equal, as they usually are.
    if (const auto minor = gpu.minor ? gpu.minor : gpu.index) add_device("/dev/nvidia" + std::to_string(*minor));
    if (gpu.pci.empty()) continue;
    const std::string link = "/sys/bus/pci/devices/" + gpu.pci;
    const std::filesystem::path target = std::filesystem::read_symlink(root + link, error);
    if (error) continue;
    const std::string folder = (std::filesystem::path(link).parent_path() / target).lexically_normal().string();
    nodes.folders.emplace_back(root + folder, folder);
    nodes.links.emplace_back(target.string(), link);
  }
  if (!gpus.empty())
    for (const char* path : shared_nodes) add_device(path);
  // An instance is opened by two more nodes, whose numbers are in /proc.
  for (const Gpu& gpu : gpus) {
    if (!gpu.gpu_instance || !gpu.compute_instance || !gpu.minor) continue;
    const std::string at = fmt::format("{}{}/gpu{}/mig/gi{}", root, capabilities, *gpu.minor, *gpu.gpu_instance);
    for (const std::string& file : {at + "/access", fmt::format("{}/ci{}/access", at, *gpu.compute_instance)})
      if (const std::string number = value_in(file.c_str(), "DeviceFileMinor", ':'); !number.empty())
        add_device("/dev/nvidia-caps/nvidia-cap" + number);
  }
  return nodes;
}

int usable_cores() {
  cpu_set_t usable;
  const int bound = sched_getaffinity(0, sizeof usable, &usable) == 0 ? std::max(1, CPU_COUNT(&usable)) : 1;
  const auto quota = supervisor::group_limits().processors;
  return quota ? std::clamp(static_cast<int>(std::ceil(*quota)), 1, bound) : bound;
}

std::int64_t machine_memory() {
  const std::int64_t all = memory_kilobytes() * 1024;
  const auto limit = supervisor::group_limits().memory_bytes;
  return limit && (all == 0 || *limit < all) ? *limit : all;
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
    std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(kilobytes) * 1024 / 1e9);
    facts["memory"] = text;
  }
  const Nvml nvml;
  facts.merge(nvml.versions());
  std::map<std::string, int> models;
  for (const Gpu& gpu : nvml.gpus()) ++models[gpu.name];
  for (const auto& [model, count] : models)
    facts["gpu"] += (facts["gpu"].empty() ? "" : ", ") + std::to_string(count) + " × " + model;
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace executors
