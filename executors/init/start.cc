// PROGRAM --init REPORT PROCESSES COMMAND…: the first process inside a sandbox, as a program without the C library.

#include <sys/syscall.h>

#include "executors/confinement/init.h"
#include "executors/confinement/raw_calls.h"

/// `stack`: the number of arguments, the arguments, 0, the environment, 0.
extern "C" [[noreturn]] void start(long* stack) {
  char** words = reinterpret_cast<char**>(stack + 1);
  supervisor::run_init_if_told(static_cast<int>(stack[0]), words, words + stack[0] + 1);
  for (;;) supervisor::raw(SYS_exit_group, 64);
}
