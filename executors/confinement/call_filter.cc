#include "executors/confinement/call_filter.h"

#include <cstddef>
#include <cstdint>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "executors/confinement/raw_calls.h"

// This code must not need a C library; its headers are included only for constants.

namespace supervisor {

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#endif

/// Newer than the headers of some systems; these numbers are the same for every architecture.
constexpr int quotactl_by_descriptor = 443, mount_attributes = 442, open_tree_with_attributes = 467;

/// Refused everywhere. Debuggers (ptrace) and memory shared between processes (process_vm_readv) stay: sanitizers and
/// MPI need them, and in a PID namespace they reach no other process than the job's own.
constexpr int refused_always[] = {
    // Keyrings belong to the user, not to a namespace: one run could leave a note for a later one.
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    // The running kernel.
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    // The machine's clock, from which records have their times.
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    // Swap, quotas, accounting and terminals of the machine.
    SYS_swapon,
    SYS_swapoff,
    SYS_quotactl,
    quotactl_by_descriptor,
    SYS_acct,
    SYS_vhangup,
    // Files by number instead of by path: they need no folder that is visible.
    SYS_open_by_handle_at,
    // Page faults handled by a program make races of the kernel easy to win.
    SYS_userfaultfd,
    // Historical.
    SYS_nfsservctl,
    SYS_lookup_dcookie,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_create_module,
    SYS_query_module,
    SYS_get_kernel_syms,
    SYS_uselib,
    SYS__sysctl,
    SYS_sysfs,
    SYS_ustat,
#endif
};

/// Refused in a sandbox only. io_uring stays: programs would silently take a slower way, and measure another thing.
constexpr int refused_in_sandbox[] = {
    // A job without capabilities may not call these; so a fault in their checks cannot help it either.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsconfig, SYS_fsmount,
    SYS_fspick, mount_attributes, open_tree_with_attributes, SYS_setns,
    // They observe the machine, other runs included.
    SYS_bpf, SYS_perf_event_open, SYS_syslog};

/// Refused where a filter of arguments keeps a job from networks: io_uring opens sockets without this call.
constexpr int refused_offline[] = {SYS_io_uring_setup};

constexpr std::size_t count_of(Walls walls) {
  return sizeof refused_always / sizeof(int) + (walls == Walls::sandbox   ? sizeof refused_in_sandbox / sizeof(int)
                                                : walls == Walls::offline ? sizeof refused_offline / sizeof(int)
                                                                          : std::size_t{0});
}

#if defined(__x86_64__)
constexpr std::size_t instructions_before = 7;
#else
constexpr std::size_t instructions_before = 4;
#endif

constexpr std::size_t most_in_a_row = 4;
/// Instructions that compare with this many numbers.
constexpr std::size_t size_of_tree(std::size_t leaves) {
  if (leaves <= most_in_a_row) return leaves + 1;
  return 1 + size_of_tree(leaves / 2) + size_of_tree(leaves - leaves / 2);
}

/// A search tree: Linux runs a filter once for every number of a call when it is set, which is for every run.
template <Walls walls>
struct Filter {
  static constexpr std::size_t calls = count_of(walls);
  static constexpr std::size_t for_sockets = walls == Walls::offline ? 6 : 0;
  static constexpr std::size_t size = instructions_before + for_sockets + size_of_tree(calls) + 1;
  static_assert(size < 250, "a jump of a filter is at most 255 instructions long");
  sock_filter code[size] = {};
  std::uint32_t refused[calls] = {};  ///< In order.
  std::size_t at = 0;

  constexpr Filter() {
    sort_calls();
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, own_architecture, 1, 0);
    // Not an error: a program that gets an error from every call cannot even exit.
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // The same calls have other numbers in the x32 convention. -1 is a call that a debugger has replaced.
    constexpr std::uint32_t first_of_x32 = 0x40000000, replaced = ~0u;
    jump(BPF_JGE, first_of_x32, 0, 2);
    jump(BPF_JEQ, replaced, 1, 0);
    answer(SECCOMP_RET_ERRNO | EPERM);
#endif
    if (walls == Walls::offline) {
      jump(BPF_JEQ, SYS_socket, 0, 5);
      load(offsetof(seccomp_data, args));  // The lower half on a little-endian processor, which both are.
      jump(BPF_JEQ, AF_UNIX, 1, 0);
      jump(BPF_JEQ, AF_NETLINK, 0, 1);
      answer(SECCOMP_RET_ALLOW);
      answer(SECCOMP_RET_ERRNO | EACCES);
    }
    search(0, calls);
    answer(SECCOMP_RET_ERRNO | EPERM);
  }

  constexpr void sort_calls() {
    std::size_t count = 0;
    const auto insert = [&](int call) {
      std::size_t place = count++;
      for (; place > 0 && refused[place - 1] > static_cast<std::uint32_t>(call); --place)
        refused[place] = refused[place - 1];
      refused[place] = static_cast<std::uint32_t>(call);
    };
    for (const int call : refused_always) insert(call);
    if (walls == Walls::sandbox)
      for (const int call : refused_in_sandbox) insert(call);
    if (walls == Walls::offline)
      for (const int call : refused_offline) insert(call);
  }

  constexpr void load(std::uint32_t offset) {
    code[at++] = {BPF_LD | BPF_W | BPF_ABS, 0, 0, offset};
  }
  constexpr void jump(int kind, std::uint32_t value, std::size_t if_true, std::size_t if_false) {
    code[at++] = {static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K), static_cast<std::uint8_t>(if_true),
                  static_cast<std::uint8_t>(if_false), value};
  }
  constexpr void answer(std::uint32_t value) {
    code[at++] = {BPF_RET | BPF_K, 0, 0, value};
  }

  /// Allows what is not among these; the last instruction of all refuses what is.
  constexpr void search(std::size_t from, std::size_t to) {
    if (to - from <= most_in_a_row) {
      for (; from < to; ++from) jump(BPF_JEQ, refused[from], size - 2 - at, 0);
      return answer(SECCOMP_RET_ALLOW);
    }
    const std::size_t middle = from + (to - from) / 2;
    jump(BPF_JGE, refused[middle], size_of_tree(middle - from), 0);
    search(from, middle);
    search(middle, to);
  }
};

template <Walls walls>
int apply() {
  static constexpr Filter<walls> filter;
  const sock_fprog program{sizeof filter.code / sizeof(sock_filter), const_cast<sock_filter*>(filter.code)};
  // By default Linux before 5.16 slows down every process with a filter, which would change what a job measures.
  return static_cast<int>(-raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program));
}

}  // namespace

int filter_calls(Walls walls) {
  if (const long result = raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); result < 0) return static_cast<int>(-result);
  switch (walls) {
    case Walls::sandbox:
      return apply<Walls::sandbox>();
    case Walls::offline:
      return apply<Walls::offline>();
    case Walls::none:
      break;
  }
  return apply<Walls::none>();
}

#else

int filter_calls(Walls) {
  return 0;
}

#endif

}  // namespace supervisor
