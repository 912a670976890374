#pragma once
// The processes below this one, as /proc shows them: who they are, how much memory they hold, and their end. The caller
// is their subreaper, so that an orphan stays in the tree.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supervisor {

struct Process {
  int pid = 0;
  int depth = 0;    ///< 1: a child of ours.
  int threads = 1;  ///< The first one included.
};

/// Parents before their children. Ends early once there are more than `most` threads: what multiplies can be walked for
/// ever.
std::vector<Process> descendants(std::int64_t most = INT64_MAX);

/// Threads of the PID namespace whose first process is `init`, as its own /proc shows them; may end early above `most`.
/// Nothing where we may not look: as a rule, without root.
std::optional<std::int64_t> threads_in_namespace(int init, std::int64_t most);
/// 0: none.
int first_child(int pid);

/// Sum of resident pages: never less than the tree really holds, and cheap to ask.
std::int64_t resident_bytes(const std::vector<Process>&);

struct Proportional {
  std::int64_t bytes = 0;   ///< Shared pages counted once.
  std::int64_t shared = 0;  ///< The part of `bytes` that lies in shared memory and temporary file systems.
};
/// Walks every page table: exact and dear.
Proportional proportional_bytes(const std::vector<Process>&);

/// SIGTERM to every process of the tree deeper than `depth`.
void ask_to_stop(int depth);

/// Kills and reaps the whole tree and, if `token` is not empty, every process that carries it. Processes no deeper than
/// `own_depth` get half a second to reap the others, since what those used is lost otherwise. False when something
/// would not die within ten seconds.
bool kill_tree(const std::string& token, int own_depth = 0);

/// Whether every child of ours has died, and all that were left to us.
bool reap_all_within(std::int64_t ms);

/// Processes anywhere on the machine whose environment carries the run's token.
std::vector<int> carriers(const std::string& token);

}  // namespace supervisor
