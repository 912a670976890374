// PROGRAM --init REPORT PROCESSES COMMAND…: the first process inside a sandbox, as a program without the C library.

#include <sys/syscall.h>

#include "executors/supervisor/init.h"
#include "executors/supervisor/raw_calls.h"

#if defined(__x86_64__)
asm(".globl _start\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call start\n");
#elif defined(__aarch64__)
asm(".globl _start\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x0, sp\n"
    "  bl start\n");
#endif

/// `stack` as Linux sets it up: the number of arguments, the arguments, 0, the environment, 0.
extern "C" [[noreturn]] void start(long* stack) {
  char** words = reinterpret_cast<char**>(stack + 1);
  supervisor::run_init_if_told(static_cast<int>(stack[0]), words, words + stack[0] + 1);
  for (;;) supervisor::raw(SYS_exit_group, 64);
}

// Functions that the compiler may call without a call in the source.
extern "C" void* memset(void* to, int value, unsigned long size) {
  for (unsigned long i = 0; i < size; ++i) static_cast<volatile char*>(to)[i] = static_cast<char>(value);
  return to;
}
extern "C" void* memcpy(void* to, const void* from, unsigned long size) {
  for (unsigned long i = 0; i < size; ++i) static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}
