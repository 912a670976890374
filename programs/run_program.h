#pragma once
// Asks a program something and waits for its answer: bounded in time and size, with nothing of our environment but what
// is given. For questions to interpreters and to bubblewrap, never for jobs.

#include <map>
#include <string>
#include <vector>

namespace executors {

struct Answer {
  bool ran = false;  ///< False: it could not be executed, was killed, or took too long; `why` says which.
  int exit = 0;
  std::string out, err;  ///< At most 64 KB each, or what was asked for.
  std::string why;
};

/// How long a program may take to answer about itself.
inline constexpr int patience_ms = 10000;

/// `argv[0]` is a path. Runs in the root folder; the whole process group is killed at the time-out.
Answer ask(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment, int timeout_ms);

/// The same, with what it reads and how much it may say on its standard output; beyond that it is killed, and has not
/// run.
struct Feed {
  int in = -1;  ///< -1: nothing.
  std::size_t most_out = 64 << 10;
};
Answer ask(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment, int timeout_ms,
           const Feed& feed);

/// For execve and posix_spawn: pointers into `strings`, which must outlive them.
std::vector<char*> c_strings(const std::vector<std::string>& strings);
std::vector<std::string> assignments(const std::map<std::string, std::string>& variables);

}  // namespace executors
