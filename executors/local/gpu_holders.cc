#include "executors/local/gpu_holders.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>

#include "executors/run_protocol/small_files.h"
#include "prose/numbers.h"

namespace executors {

namespace {

std::string proc(int pid, const char* file = "") {
  return fmt::format("/proc/{}{}", pid, file);
}

std::string text_of(int pid, const char* file) {
  return supervisor::read_file(AT_FDCWD, proc(pid, file).c_str()).value_or("");
}

std::string last_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// Other arguments may be secrets.
std::string program_of(int pid) {
  std::string name = text_of(pid, "/comm");
  if (name.ends_with('\n')) name.pop_back();
  const std::string line = text_of(pid, "/cmdline");
  const std::size_t first = line.find('\0');
  if (first == std::string::npos || first == 0) return name;
  const std::string program = last_name(std::string_view(line).substr(0, first));
  const std::string script = line.substr(first + 1, line.find('\0', first + 1) - first - 1);
  const bool is_file = !script.empty() && script[0] != '-' && script.find('.') != script.npos;
  return program + (is_file && script.find('=') == script.npos ? " " + last_name(script) : "");
}

std::string user_of(int pid) {
  struct stat about {};
  if (stat(proc(pid).c_str(), &about) != 0) return "";
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(about.st_uid, &entry, buffer, sizeof buffer, &found) == 0 && found) return found->pw_name;
  return std::to_string(about.st_uid);
}

std::string launch_of(int pid) {
  constexpr std::string_view key = "ETUDE_RUN=";
  const std::string all = text_of(pid, "/environ");
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    if (const auto one = std::string_view(all).substr(at, end - at); one.starts_with(key))
      return std::string(one.substr(key.size()));
    at = end + 1;
  }
  return "";
}

/// 0 if it has none that is seen here.
int parent_of(int pid) {
  const std::string text = text_of(pid, "/stat");
  // The name, in brackets, may hold any character.
  const std::size_t name_end = text.rfind(')');
  int parent = 0;
  if (name_end == text.npos || std::sscanf(text.c_str() + name_end + 1, " %*c %d", &parent) != 1) return 0;
  return parent;
}

bool is_watched(int pid) {
  constexpr int deepest = 1000;
  for (int above = parent_of(pid), depth = 0; above > 1 && depth < deepest; above = parent_of(above), ++depth)
    if (text_of(above, "/comm").starts_with("etude-superviso")) return true;  // Linux cuts the name.
  return false;
}

}  // namespace

std::optional<std::vector<GpuHolder>> gpu_holders(const Nvml& nvml, const std::string& device) {
  const auto processes = nvml.users(device);
  if (!processes) return std::nullopt;
  std::vector<GpuHolder> holders;
  for (const GpuProcess& process : *processes) {
    GpuHolder& holder = holders.emplace_back();
    holder.pid = process.pid;
    holder.bytes = process.bytes;
    holder.user = user_of(process.pid);
    holder.seen = !holder.user.empty();
    if (!holder.seen) continue;
    holder.program = program_of(process.pid);
    holder.launch = launch_of(process.pid);
    holder.watched = !holder.launch.empty() && is_watched(process.pid);
  }
  return holders;
}

std::string holder_words(const GpuHolder& holder) {
  std::string about = holder.seen ? fmt::format("{}, user {}", holder.program, holder.user) : "not seen from here";
  if (!holder.launch.empty()) about += (holder.watched ? ", of run " : ", left by run ") + holder.launch;
  return fmt::format("process {} ({}) holds {}", holder.pid, about,
                     holder.bytes ? prose::bytes_text(*holder.bytes) : "memory");
}

}  // namespace executors
