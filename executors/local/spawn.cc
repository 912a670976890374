#include "executors/local/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#include "programs/run_program.h"

namespace executors {

int spawn_supervisor(const std::string& program, const std::vector<std::string>& words, int descriptor, int& error) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&files, 0, 1);
  posix_spawn_file_actions_adddup2(&files, 0, 2);
  posix_spawn_file_actions_adddup2(&files, descriptor, inherited_descriptor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  posix_spawnattr_setsigmask(&attributes, &held);
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), words.begin(), words.end());
  pid_t pid = -1;
  error = posix_spawn(&pid, program.c_str(), &files, &attributes, programs::c_strings(arguments).data(),
                      programs::c_strings({}).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -1;
}

}  // namespace executors
