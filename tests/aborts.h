#pragma once
// Runs code that a broken precondition should end, in a child process.

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/// What the child wrote to stderr before it aborted; nothing where it did not abort.
template <typename Code>
std::optional<std::string> last_words(Code code) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);  // Catch2 has a handler of its own.
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(pipe_ends[1], STDERR_FILENO);
    code();
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string words;
  char piece[512];
  for (ssize_t got = 0; (got = read(pipe_ends[0], piece, sizeof piece)) > 0;)
    words.append(piece, static_cast<std::size_t>(got));
  close(pipe_ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) std::abort();
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? std::optional(words) : std::nullopt;
}
