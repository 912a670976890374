#pragma once
// The descendants of this process from /proc: their numbers, their memory, and how to end them. The caller must be a
// subreaper, so that orphans stay in the tree.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supervisor {

struct Process {
  int pid = 0;
  int depth = 0;    ///< 1: our child.
  int threads = 1;  ///< Including the first one.
};

/// Parents before their children. Stops after more than `most` threads, because a fork bomb grows while it is walked.
std::vector<Process> descendants(std::int64_t most = INT64_MAX);

/// Threads of the PID namespace whose first process is `init`, from its own /proc; may stop after `most`. None without
/// permission, which usually only root has.
std::optional<std::int64_t> threads_in_namespace(int init, std::int64_t most);
/// 0 if there is none.
int first_child(int pid);
/// The text of /proc/PID/stat from its third field on, the state; empty if there is no such process.
std::string stat_of(int pid);
/// A number in such a text, counted as in proc(5): 4 is the parent. None if there is no such field.
std::optional<std::int64_t> stat_field(std::string_view stat, int field);

/// Sum of resident pages: an upper bound of the tree's memory, and cheap.
std::int64_t resident_bytes(const std::vector<Process>&);

/// Processor time in microseconds of the processes and of those that they have reaped.
std::int64_t processor_us(const std::vector<Process>&);

struct Proportional {
  std::int64_t bytes = 0;   ///< Each shared page counts once.
  std::int64_t shared = 0;  ///< Part of `bytes` in shared memory and temporary file systems.
};
/// Walks every page table: exact and expensive.
Proportional proportional_bytes(const std::vector<Process>&);

/// What reaped children used, with their own reaped descendants.
struct ReapedUse {
  std::int64_t cpu_us = 0, read_bytes = 0, written_bytes = 0;
  std::int64_t rss_peak_bytes = 0;  ///< Of the largest process.
};

/// Waits for no one. The child's number and wait status; 0: none has ended; -1: there is none.
int reap(int& status, ReapedUse&);

/// The processes of the tree that belong to us, not to the job.
struct OwnProcesses {
  int depth = 0;  ///< Those no deeper than this.
  int init = 0;   ///< And this one; 0: none.

  bool contain(const Process& p) const { return p.depth <= depth || p.pid == init; }
};

/// Sends SIGTERM to all processes of the job.
void ask_to_stop(const OwnProcesses&);

/// Kills and reaps the whole tree and, if `token` is not empty, every process that carries it. Our own processes first
/// get half a second to reap the others, so that their resource usage is not lost. False if a process did not die
/// within ten seconds.
bool kill_tree(const std::string& token, const OwnProcesses&, ReapedUse&);

/// True if all our children, including adopted ones, died in time.
bool reap_all_within(std::int64_t ms, ReapedUse&);

/// All processes on the machine whose environment contains the run's token.
std::vector<int> carriers(const std::string& token);

}  // namespace supervisor
