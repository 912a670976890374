#!/usr/bin/env python3
"""lazy.py LIBRARY REGEX OUT [CLASS ...]: a C++ file that defines every function of the shared LIBRARY whose symbol matches
REGEX as a jump to the library's function. The first call of any of them loads the library.

A program that links this file instead of the library does not load it, nor what it needs, at every start. CLASS: classes
without bases (mangled names, without `_ZTI`) whose type information is needed, because a class of ours derives from them;
the type information is defined here again, and C++ compares it by name."""
import re
import subprocess
import sys

STUBS = {  # of the function number {i}; `slots` first holds the addresses of the second labels
    "x86_64": ("jmp *{slots}+{at}(%rip)", "mov ${i}, %r11d\\n jmp {first}"),
    "aarch64": ("adrp x16, {slots}+{at}\\n ldr x16, [x16, #:lo12:{slots}+{at}]\\n br x16", "mov w17, #{i}\\n b {first}"),
}
# Keeps the registers that may hold arguments, loads the library and goes on to the function that was called.
FIRST = {
    "x86_64": r"""
 push %rbp
 mov %rsp, %rbp
 push %rdi
 push %rsi
 push %rdx
 push %rcx
 push %r8
 push %r9
 push %rax
 push %r11
 sub $128, %rsp
 movups %xmm0, (%rsp)
 movups %xmm1, 16(%rsp)
 movups %xmm2, 32(%rsp)
 movups %xmm3, 48(%rsp)
 movups %xmm4, 64(%rsp)
 movups %xmm5, 80(%rsp)
 movups %xmm6, 96(%rsp)
 movups %xmm7, 112(%rsp)
 call {load}
 movups (%rsp), %xmm0
 movups 16(%rsp), %xmm1
 movups 32(%rsp), %xmm2
 movups 48(%rsp), %xmm3
 movups 64(%rsp), %xmm4
 movups 80(%rsp), %xmm5
 movups 96(%rsp), %xmm6
 movups 112(%rsp), %xmm7
 add $128, %rsp
 pop %r11
 pop %rax
 pop %r9
 pop %r8
 pop %rcx
 pop %rdx
 pop %rsi
 pop %rdi
 pop %rbp
 push %r10
 lea {slots}(%rip), %r10
 mov (%r10,%r11,8), %r11
 pop %r10
 jmp *%r11
""",
    "aarch64": r"""
 stp x29, x30, [sp, #-16]!
 stp x0, x1, [sp, #-16]!
 stp x2, x3, [sp, #-16]!
 stp x4, x5, [sp, #-16]!
 stp x6, x7, [sp, #-16]!
 stp x8, x17, [sp, #-16]!
 stp q0, q1, [sp, #-32]!
 stp q2, q3, [sp, #-32]!
 stp q4, q5, [sp, #-32]!
 stp q6, q7, [sp, #-32]!
 bl {load}
 ldp q6, q7, [sp], #32
 ldp q4, q5, [sp], #32
 ldp q2, q3, [sp], #32
 ldp q0, q1, [sp], #32
 ldp x8, x17, [sp], #16
 ldp x6, x7, [sp], #16
 ldp x4, x5, [sp], #16
 ldp x2, x3, [sp], #16
 ldp x0, x1, [sp], #16
 ldp x29, x30, [sp], #16
 adrp x16, {slots}
 add x16, x16, #:lo12:{slots}
 ldr x16, [x16, x17, lsl #3]
 br x16
""",
}


def symbols(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return sorted({word[2].split("@")[0] for word in map(str.split, out.splitlines()) if len(word) == 3 and word[1] in "Ti"})


def soname(library):
    out = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return re.search(r"\(SONAME\).*\[(.*)\]", out)[1]


def main():
    library, pattern, out, *classes = sys.argv[1:]
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    stub, unloaded = STUBS[machine]
    functions = [name for name in symbols(library) if re.fullmatch(pattern, name)]
    if not functions:
        sys.exit(f"{library} has no function that matches {pattern}")
    prefix = "lazy_" + re.sub(r"\W", "_", soname(library))
    slots, first, load = prefix + "_slots", prefix + "_first", prefix + "_load"
    asm = [".text", f"{first}:{FIRST[machine].format(load=load, slots=slots)}"]
    for i, name in enumerate(functions):
        asm += [f".globl {name}", f".hidden {name}", f".type {name}, %function",
                f"{name}:", " " + stub.format(slots=slots, at=8 * i).replace("\\n", "\n"),
                f"{prefix}_{i}:", " " + unloaded.format(i=i, first=first).replace("\\n", "\n")]
    asm += [".data", ".balign 8", f".globl {slots}", f".hidden {slots}", f"{slots}:"]
    asm += [f" .quad {prefix}_{i}" for i in range(len(functions))]
    asm += [".section .data.rel.ro,\"aw\""]
    for name in classes:
        asm += [".balign 8", f".weak _ZTI{name}", f".hidden _ZTI{name}", f"_ZTI{name}:",
                " .quad _ZTVN10__cxxabiv117__class_type_infoE+16", f" .quad {prefix}_{name}",
                f"{prefix}_{name}: .asciz \"{name}\""]
    asm += [".text"]
    lines = "\n".join(asm)
    names = ", ".join(f'"{name}"' for name in functions)
    with open(out, "w") as file:
        file.write(f"""// Made by cmake/lazy.py from {library}.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

asm(R"({lines}
)");

extern "C" void* {slots}[];
extern "C" __attribute__((visibility("hidden"), used)) void {load}() {{
  static const char* const names[] = {{{names}}};
  void* const library = dlopen("{soname(library)}", RTLD_LAZY | RTLD_LOCAL);
  void* found[sizeof names / sizeof *names];
  const char* missing = library ? nullptr : dlerror();
  for (unsigned i = 0; i < sizeof names / sizeof *names && !missing; ++i) {{
    found[i] = dlsym(library, names[i]);
    if (!found[i]) missing = dlerror();
  }}
  if (missing) {{
    std::fprintf(stderr, "etude: error while loading a shared library: %s\\n", missing);
    _exit(127);
  }}
  // Threads that get here together write the same addresses.
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) __atomic_store_n(&{slots}[i], found[i], __ATOMIC_RELEASE);
}}
""")


if __name__ == "__main__":
    main()
