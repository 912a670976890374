#include "executors/run_protocol/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

std::string proc(int pid, const char* what) {
  return "/proc/" + std::to_string(pid) + "/" + what;
}

/// Calls `visit` for each entry of a folder that is a number.
template <typename Visit>
void each_number(const char* path, const Visit& visit) {
  Entries entries(AT_FDCWD, path);
  while (const char* name = entries.next())
    if (const auto number = to_number(name)) visit(static_cast<int>(*number));
}

/// A folder's link count is its number of subfolders plus two. 0: the process is gone.
int threads_of(int pid) {
  struct stat about {};
  return stat(proc(pid, "task").c_str(), &about) == 0 ? std::max(static_cast<int>(about.st_nlink) - 2, 1) : 0;
}

/// Appends the children of found[at] and sets its number of threads. False if this kernel does not list children.
bool add_children(std::size_t at, std::vector<Process>& found) {
  const Process parent = found[at];
  bool known = false;
  const auto add_of = [&](int thread) {
    // Linux walks the list again for each entry while it changes, so a part of a very long list is enough.
    const auto list = read_file(
        AT_FDCWD, proc(parent.pid, ("task/" + std::to_string(thread) + "/children").c_str()).c_str(), 64 << 10);
    if (!list) return;
    known = true;
    const char* next = list->c_str();
    for (char* end = nullptr; const long pid = std::strtol(next, &end, 10); next = end)
      found.push_back({static_cast<int>(pid), parent.depth + 1});
  };
  found[at].threads = threads_of(parent.pid);
  if (found[at].threads == 1)
    add_of(parent.pid);
  else
    each_number(proc(parent.pid, "task").c_str(), add_of);
  return known;
}

/// For kernels without /proc/PID/task/TID/children.
std::vector<Process> descendants_by_scan() {
  std::vector<std::pair<int, int>> all;
  each_number("/proc", [&](int pid) { all.emplace_back(pid, stat_field(stat_of(pid), 4).value_or(0)); });
  std::vector<Process> found{{getpid(), 0}};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& [pid, parent] : all)
      if (parent == found[i].pid && pid != parent) found.push_back({pid, found[i].depth + 1, threads_of(pid)});
  found.erase(found.begin());
  return found;
}

std::int64_t field_kb(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return 0;
  return std::strtoll(text.data() + at + name.size(), nullptr, 10) * 1024;
}

/// True if we have no children left, adopted ones included.
bool reap_all(ReapedUse& used) {
  int status = 0, pid = 0;
  while ((pid = reap(status, used)) > 0) {
  }
  return pid < 0;
}

}  // namespace

std::vector<Process> descendants(std::int64_t most) {
  std::vector<Process> found{{getpid(), 0}};
  if (!add_children(0, found)) return descendants_by_scan();
  std::int64_t threads = 0;
  for (std::size_t i = 1; i < found.size() && threads <= most; ++i) {
    add_children(i, found);
    threads += found[i].threads;
  }
  found.erase(found.begin());
  return found;
}

std::optional<std::int64_t> threads_in_namespace(int init, std::int64_t most) {
  Entries entries(AT_FDCWD, proc(init, "root/proc").c_str());
  if (!entries) return std::nullopt;
  std::int64_t threads = 0;
  while (const char* name = threads > most ? nullptr : entries.next()) {
    if (!to_number(name)) continue;
    struct stat about {};
    if (fstatat(entries.descriptor(), (std::string(name) + "/task").c_str(), &about, 0) == 0)
      threads += std::max(static_cast<int>(about.st_nlink) - 2, 1);
  }
  return threads;
}

int first_child(int pid) {
  const auto list = read_file(AT_FDCWD, proc(pid, ("task/" + std::to_string(pid) + "/children").c_str()).c_str(), 1);
  return list ? std::atoi(list->c_str()) : 0;
}

std::string stat_of(int pid) {
  const auto stat = read_file(AT_FDCWD, proc(pid, "stat").c_str());
  // The program's name stands in parentheses and may contain spaces and parentheses.
  const std::size_t name_end = stat ? stat->rfind(')') : std::string::npos;
  return name_end == std::string::npos || name_end + 2 >= stat->size() ? "" : stat->substr(name_end + 2);
}

std::optional<std::int64_t> stat_field(std::string_view stat, int field) {
  for (int at = 3; at < field; ++at) {
    const std::size_t space = stat.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(space + 1);
  }
  return to_number(stat.substr(0, stat.find_first_of(" \n")));
}

std::int64_t resident_bytes(const std::vector<Process>& tree) {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  std::int64_t total = 0;
  for (const Process& p : tree) {
    const auto statm = read_file(AT_FDCWD, proc(p.pid, "statm").c_str());
    const std::size_t second = statm ? statm->find(' ') : std::string::npos;
    if (second != std::string::npos) total += std::strtoll(statm->c_str() + second, nullptr, 10) * page;
  }
  return total;
}

std::int64_t processor_us(const std::vector<Process>& tree) {
  static const std::int64_t ticks_per_s = sysconf(_SC_CLK_TCK);
  constexpr int own = 14, fields = 4;  // utime, stime, cutime and cstime
  std::int64_t ticks = 0;
  for (const Process& p : tree) {
    const std::string stat = stat_of(p.pid);
    for (int field = own; field < own + fields; ++field) ticks += stat_field(stat, field).value_or(0);
  }
  return ticks * 1'000'000 / ticks_per_s;
}

Proportional proportional_bytes(const std::vector<Process>& tree) {
  Proportional total;
  for (const Process& p : tree) {
    const auto rollup = read_file(AT_FDCWD, proc(p.pid, "smaps_rollup").c_str());
    if (!rollup) continue;
    total.bytes += field_kb(*rollup, "\nPss:");
    total.shared += field_kb(*rollup, "\nPss_Shmem:");
  }
  return total;
}

int reap(int& status, ReapedUse& used) {
  rusage own{};
  pid_t pid = 0;
  while ((pid = wait4(-1, &status, WNOHANG | __WALL, &own)) < 0 && errno == EINTR) {
  }
  if (pid <= 0) return pid;
  const auto us = [](const timeval& t) { return std::int64_t{t.tv_sec} * 1000000 + t.tv_usec; };
  used.cpu_us += us(own.ru_utime) + us(own.ru_stime);
  used.read_bytes += std::int64_t{own.ru_inblock} * 512;
  used.written_bytes += std::int64_t{own.ru_oublock} * 512;
  used.rss_peak_bytes = std::max(used.rss_peak_bytes, std::int64_t{own.ru_maxrss} * 1024);
  return pid;
}

void ask_to_stop(const OwnProcesses& own) {
  for (const Process& p : descendants())
    if (!own.contain(p)) kill(p.pid, SIGTERM);
}

bool kill_tree(const std::string& token, const OwnProcesses& own, ReapedUse& used) {
  // Without children there is no tree.
  if (token.empty() && reap_all(used)) return true;
  const std::int64_t begin = boot_ms(), deadline = begin + 10000;
  for (int round = 0; boot_ms() < deadline; ++round) {
    std::vector<int> victims;
    const OwnProcesses spared = boot_ms() < begin + 500 ? own : OwnProcesses();
    const std::vector<Process> tree = descendants();
    for (const Process& p : tree)
      if (!spared.contain(p)) victims.push_back(p.pid);
    if (tree.empty() && !token.empty()) victims = carriers(token);
    if (tree.empty() && victims.empty() && reap_all(used)) return true;
    // Stopped processes cannot fork while the others are killed.
    for (int pid : victims) kill(pid, SIGSTOP);
    for (int pid : victims) kill(pid, SIGKILL);
    reap_all(used);
    if (round > 2) usleep(1000);
  }
  return false;
}

bool reap_all_within(std::int64_t ms, ReapedUse& used) {
  for (const std::int64_t end = boot_ms() + ms; boot_ms() < end; usleep(1000))
    if (reap_all(used)) return true;
  return false;
}

std::vector<int> carriers(const std::string& token) {
  const std::string wanted = std::string(token_variable) + token;
  std::vector<int> found;
  each_number("/proc", [&](int pid) {
    if (pid == getpid()) return;
    const auto environment = read_file(AT_FDCWD, proc(pid, "environ").c_str());
    if (!environment) return;
    for (std::size_t at = environment->find(wanted); at != std::string::npos; at = environment->find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      if ((at == 0 || (*environment)[at - 1] == '\0') && (end == environment->size() || (*environment)[end] == '\0')) {
        found.push_back(pid);
        return;
      }
    }
  });
  return found;
}

}  // namespace supervisor
