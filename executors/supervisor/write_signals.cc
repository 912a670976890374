#include "executors/supervisor/write_signals.h"

#include <climits>

#include <fcntl.h>
#include <unistd.h>

namespace supervisor {
namespace {

int write_signal() {
  return SIGRTMIN + 1;
}

void set_flag(int descriptor, int flag, bool on) {
  const int flags = descriptor < 0 ? -1 : fcntl(descriptor, F_GETFL);
  if (flags >= 0) fcntl(descriptor, F_SETFL, on ? flags | flag : flags & ~flag);
}

void mask(int how) {
  const sigset_t own = write_signals();
  sigprocmask(how, &own, nullptr);
}

}  // namespace

sigset_t write_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, write_signal());
  sigaddset(&set, SIGIO);
  return set;
}

void block_write_signals() {
  mask(SIG_BLOCK);
}

void unblock_write_signals() {
  mask(SIG_UNBLOCK);
}

void begin_signals(int read_end, int write_end) {
  fcntl(read_end, F_SETPIPE_SZ, packets_in_pipe * PIPE_BUF);
  fcntl(read_end, F_SETOWN, getpid());
  fcntl(read_end, F_SETSIG, write_signal());
  set_signals(read_end, write_end, true);
}

void set_signals(int read_end, int write_end, bool on) {
  set_flag(read_end, O_ASYNC, on);
  set_flag(write_end, O_DIRECT, on);
}

}  // namespace supervisor
