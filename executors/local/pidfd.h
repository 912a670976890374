#pragma once
// Process descriptors by system call number: glibc 2.36 declares its wrappers without C linkage.

#include <sys/syscall.h>
#include <unistd.h>

namespace executors {

inline int pidfd_open(int pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}
inline int pidfd_signal(int pidfd, int signal) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
}

}  // namespace executors
