// Real jobs that try system calls, by number, from Perl.
#include <cerrno>
#include <map>

#include <catch2/catch.hpp>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/executors/fixture.h"

using test::Bench;

namespace {

/// Perl that prints the error number of each call, in order. The arguments are such that no call does anything.
std::string errors_of_calls(const std::map<std::string, int>& calls) {
  std::string perl = "/usr/bin/perl -e '";
  for (const auto& [name, number] : calls)
    perl +=
        "$! = 0; syscall(" + std::to_string(number) + ", -1, -1, -1, -1, -1); print \"" + name + "=\", $!+0, \" \";";
  return perl + "'";
}

const std::map<std::string, int> refused = {{"add_key", SYS_add_key},
                                            {"clock_settime", SYS_clock_settime},
                                            {"finit_module", SYS_finit_module},
                                            {"kexec_load", SYS_kexec_load},
                                            {"keyctl", SYS_keyctl},
                                            {"open_by_handle_at", SYS_open_by_handle_at},
                                            {"request_key", SYS_request_key},
                                            {"swapon", SYS_swapon},
                                            {"userfaultfd", SYS_userfaultfd}};
const std::map<std::string, int> refused_in_sandbox = {
    {"bpf", SYS_bpf}, {"fsopen", SYS_fsopen}, {"mount", SYS_mount}, {"perf_event_open", SYS_perf_event_open}};

std::string all_with(const std::map<std::string, int>& calls, int error) {
  std::string text;
  for (const auto& [name, number] : calls) text += name + "=" + std::to_string(error) + " ";
  return text;
}

kernel::JobSpec job_of(Bench& bench, const std::string& name, kernel::SandboxMode mode, const std::string& commands) {
  kernel::JobSpec job = bench.job(name, commands);
  job.resources.sandbox = mode;
  return job;
}

}  // namespace

TEST_CASE("a job can use neither the user's keyrings nor calls that change the machine, with and without a sandbox") {
  Bench bench;
  for (const auto mode : {kernel::SandboxMode::automatic, kernel::SandboxMode::none}) {
    if (mode == kernel::SandboxMode::automatic && !test::has_sandbox()) continue;
    const auto job = job_of(bench, mode == kernel::SandboxMode::none ? "r2" : "r1", mode, errors_of_calls(refused));
    CHECK(bench.run(job).exit == 0);
    CHECK(test::output_of(job) == all_with(refused, EPERM));
  }
}

TEST_CASE("in a sandbox a job can neither mount nor look into the kernel") {
  if (!test::has_sandbox()) return;
  Bench bench;
  const auto job = job_of(bench, "r1", kernel::SandboxMode::automatic, errors_of_calls(refused_in_sandbox));
  CHECK(bench.run(job).exit == 0);
  CHECK(test::output_of(job) == all_with(refused_in_sandbox, EPERM));
}

TEST_CASE("a sandbox shows no list of keys") {
  if (!test::has_sandbox() || !test::exists("/proc/keys")) return;
  Bench bench;
  const auto job = job_of(bench, "r1", kernel::SandboxMode::automatic, "cat /proc/keys 2> /dev/null | wc -c");
  CHECK(bench.run(job).exit == 0);
  CHECK(test::output_of(job) == "0\n");
}

TEST_CASE("a debugger of a job's own processes works, and so does a container in a job without a sandbox") {
  Bench bench;
  // PTRACE_TRACEME is 0.
  const std::string traced = "/usr/bin/perl -e 'print syscall(" + std::to_string(SYS_ptrace) + ", 0, 0, 0, 0)'";
  if (test::has_sandbox()) {
    const auto job = job_of(bench, "r1", kernel::SandboxMode::automatic, traced);
    bench.run(job);
    CHECK(test::output_of(job) == "0");
  }
  const auto job = job_of(bench, "r2", kernel::SandboxMode::none,
                          traced + "; bwrap --unshare-all --ro-bind / / --tmpfs /tmp -- echo ' inside'");
  bench.run(job);
  INFO(test::errors_of(job));
  if (test::has_sandbox()) CHECK(test::output_of(job) == "0 inside\n");
}

#if defined(__x86_64__)

TEST_CASE("calls in the conventions of x32 and of 32-bit programs are no way around the filter") {
  Bench bench;
  const std::string x32 =
      "/usr/bin/perl -e '$! = 0; syscall(0x40000000 + " + std::to_string(SYS_getpid) + "); print $!+0, \"\\n\"'";
  // Exits with 7 where the processor's 32-bit calls are answered.
  const std::string program = "void _start(void) { __asm__(\"int $0x80\" :: \"a\"(1), \"b\"(7)); for (;;); }";
  const auto mode = test::has_sandbox() ? kernel::SandboxMode::automatic : kernel::SandboxMode::none;
  const auto job =
      job_of(bench, "r1", mode,
             x32 + "; printf '%s' '" + program + "' > t.c; gcc -nostdlib -static t.c -o t || exit 9; ./t; echo $?");
  kernel::JobSpec escaped = job;
  // Braces of placeholders are doubled.
  std::string words;
  for (const char c : job.command.words[0]) words += std::string(c == '{' || c == '}' ? 2 : 1, c);
  escaped.command.words = {words};
  const auto outcome = bench.run(escaped);
  INFO(test::errors_of(job));
  if (outcome.exit == 9) return;  // No compiler here.
  CHECK(test::output_of(job) == std::to_string(EPERM) + "\n159\n");
}

#endif
