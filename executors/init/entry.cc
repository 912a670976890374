// Where a program without the C library begins: calls `start` with the stack as Linux sets it up. The functions are
// those that the compiler may call without a call in the source.

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

extern "C" void* memset(void* to, int value, unsigned long size) {
  for (unsigned long i = 0; i < size; ++i) static_cast<volatile char*>(to)[i] = static_cast<char>(value);
  return to;
}
extern "C" void* memcpy(void* to, const void* from, unsigned long size) {
  for (unsigned long i = 0; i < size; ++i) static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}
