#pragma once
// System calls without the C library, for a job's init. At every start glibc queries the processor, which in a virtual
// machine costs more than everything else that an init does.

#include <cerrno>

#include <sys/syscall.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <unistd.h>
#endif

namespace supervisor {

/// The call's result; a negative value is -errno.
template <typename... Values>
long raw(long number, Values... values) {
  static_assert(sizeof...(values) <= 6);
#if defined(__x86_64__) || defined(__aarch64__)
  const long all[6] = {(long)values...};
#endif
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = all[3];
  register long r8 asm("r8") = all[4];
  register long r9 asm("r9") = all[5];
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(all[0]), "S"(all[1]), "d"(all[2]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = all[0];
  register long x1 asm("x1") = all[1];
  register long x2 asm("x2") = all[2];
  register long x3 asm("x3") = all[3];
  register long x4 asm("x4") = all[4];
  register long x5 asm("x5") = all[5];
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
  const long result = syscall(number, values...);
  return result < 0 ? -errno : result;
#endif
}

}  // namespace supervisor
