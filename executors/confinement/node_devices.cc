#include "executors/confinement/node_devices.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

constexpr std::string_view variable = "CUDA_VISIBLE_DEVICES=";
constexpr std::string_view beginning = "nvidia";

bool is_index(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// Whether the node of /dev is shown: one of the devices, or one that all CUDA programs need.
bool shows(std::string_view node, std::string_view visible) {
  if (!node.starts_with(beginning)) return false;
  const std::string_view which = node.substr(beginning.size());
  if (!is_index(which)) return which == "ctl" || which == "-uvm" || which == "-uvm-tools";
  bool all = false;
  for (std::size_t at = 0; at <= visible.size();) {
    const std::size_t end = std::min(visible.find(',', at), visible.size());
    const std::string_view one = visible.substr(at, end - at);
    if (one == which) return true;
    all = all || !is_index(one);
    at = end + 1;
  }
  return all;
}

void give(Job& job, std::string_view visible) {
  for (std::string& entry : job.environment)
    if (entry.starts_with(variable)) entry = std::string(variable) + std::string(visible);
  if (job.isolation != Isolation::sandbox) return;
  Entries nodes(AT_FDCWD, "/dev");
  if (!nodes) return;
  while (const char* node = nodes.next()) {
    if (!shows(node, visible)) continue;
    const std::string path = std::string("/dev/") + node;
    for (const char* word : {"--dev-bind", path.c_str(), path.c_str()}) job.bwrap_arguments.emplace_back(word);
  }
}

}  // namespace

void use_node_devices(Job& job, const char* visible) {
  if (job.elsewhere == 0 || !visible || !*visible) return;
  give(job, visible);
  for (Job& evaluation : job.evaluation) give(evaluation, visible);
}

}  // namespace supervisor
