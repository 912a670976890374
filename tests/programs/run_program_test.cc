#include "programs/run_program.h"

#include <cerrno>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using Catch::Matchers::Contains;
using programs::Excess;
using programs::OpenFile;
using programs::Program;
using programs::ProgramOutput;
using programs::run_program;
using namespace std::chrono_literals;

namespace {

/// A limit that no program of these tests reaches.
constexpr std::chrono::hours no_limit(1);

Program shell(const std::string& script, std::chrono::milliseconds limit = no_limit) {
  return {.argv = {"/bin/sh", "-c", script}, .environment = {{"PATH", "/usr/bin:/bin"}}, .limit = limit};
}

ProgramOutput output_of(const Program& program) {
  const auto ran = run_program(program);
  INFO((ran ? "" : ran.problem().text()));
  REQUIRE(ran);
  return *ran;
}

/// Runs a script that prints a process number and outlasts any limit; with more time if the machine was too slow to
/// print it.
ProgramOutput output_after_time_out(const std::string& script) {
  for (std::chrono::milliseconds limit = 50ms;; limit *= 2)
    if (ProgramOutput output = output_of(shell(script, limit)); !output.out.empty()) return output;
}

/// Waits for the end of a process that need not be our child.
bool ends(int pid) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return errno == ESRCH;
  pollfd end{pidfd, POLLIN, 0};
  const bool ended = poll(&end, 1, 240'000) == 1;
  close(pidfd);
  return ended;
}

std::ptrdiff_t open_descriptors() {
  std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

bool has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

}  // namespace

TEST_CASE("a program's output, errors and exit status are returned") {
  const ProgramOutput output = output_of(shell("echo said; echo complained >&2; exit 7"));
  CHECK(output.out == "said\n");
  CHECK(output.err == "complained\n");
  CHECK(output.exit == 7);
  CHECK_FALSE(output.signal);
  CHECK_FALSE(output.timed_out);
  CHECK_FALSE(output.cut);
  CHECK(output.why.empty());
}

TEST_CASE("a program that a signal ended has no exit status, and the signal is named") {
  const ProgramOutput output = output_of(shell("kill -SEGV $$"));
  CHECK_FALSE(output.exit);
  CHECK(output.signal == SIGSEGV);
  CHECK(output.why == "killed by signal 11");
}

TEST_CASE("arguments reach the program as they are, empty ones too") {
  const std::vector<std::string> words{"/usr/bin/printf", "<%s>", "", "two words", "\"quoted\" $HOME *"};
  CHECK(output_of({.argv = words}).out == "<><two words><\"quoted\" $HOME *>");
}

TEST_CASE("a program has the environment that it is given and nothing else") {
  CHECK(output_of({.argv = {"/usr/bin/env"}}).out == "");
  CHECK(output_of({.argv = {"/usr/bin/env"}, .environment = {{"B", ""}, {"A", "1 = one"}}}).out == "A=1 = one\nB=\n");
}

TEST_CASE("a program runs in the root folder, or in the folder that it is given") {
  CHECK(output_of({.argv = {"/bin/pwd"}}).out == "/\n");
  CHECK(output_of({.argv = {"/bin/pwd"}, .directory = "/usr"}).out == "/usr\n");
}

TEST_CASE("what cannot be started is a problem that says why") {
  const auto missing = run_program({.argv = {"/nonexistent/program"}});
  REQUIRE_FALSE(missing);
  CHECK(missing.problem().text() == "/nonexistent/program: No such file or directory");
  CHECK(programs::why_no_exit(missing) == "No such file or directory");
  const auto no_program = run_program({.argv = {"/etc/passwd"}});
  REQUIRE_FALSE(no_program);
  CHECK(no_program.problem().text() == "/etc/passwd: Permission denied");
  const auto nowhere = run_program({.argv = {"/bin/true"}, .directory = "/nonexistent"});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.problem().text() == "/nonexistent: No such file or directory");
  CHECK_FALSE(has_children());
}

TEST_CASE("at the time limit the whole process group is killed") {
  const ProgramOutput output = output_after_time_out("sleep 10000 & echo $!; wait");
  CHECK(output.timed_out);
  CHECK_FALSE(output.exit);
  CHECK(output.signal == SIGKILL);
  CHECK(ends(std::stoi(output.out)));
  CHECK_FALSE(has_children());
}

TEST_CASE("the message of a time-out names the limit") {
  CHECK(output_of(shell("sleep 10000", 1s)).why == "no answer within 1 s");
}

TEST_CASE("a program that ignores SIGTERM is killed at the time limit") {
  const ProgramOutput output = output_after_time_out("trap '' TERM HUP INT; echo $$; sleep 10000; sleep 10000");
  CHECK(output.timed_out);
  CHECK(output.signal == SIGKILL);
  CHECK(ends(std::stoi(output.out)));
}

TEST_CASE("a program that closes its output and stays is killed at the time limit") {
  CHECK(output_of(shell("exec >&- 2>&-; exec sleep 10000", 50ms)).timed_out);
}

TEST_CASE("a descendant that keeps the output open is waited for until the time limit, and killed") {
  const ProgramOutput output = output_after_time_out("sleep 10000 & echo $!");
  CHECK(output.timed_out);
  CHECK_FALSE(output.exit);
  CHECK(ends(std::stoi(output.out)));
}

TEST_CASE("a descendant in a session of its own cannot hold up the time limit") {
  const ProgramOutput output = output_after_time_out("setsid sleep 10000 & echo $!");
  CHECK(output.timed_out);
  kill(std::stoi(output.out), SIGKILL);
}

TEST_CASE("a descendant that keeps no output open is killed when the program ends") {
  const ProgramOutput output = output_of(shell("sleep 10000 >/dev/null 2>&1 & echo $!"));
  CHECK(output.exit == 0);
  CHECK(ends(std::stoi(output.out)));
}

TEST_CASE("of too much output the beginning is kept, or the program is killed") {
  Program program{.argv = {"/usr/bin/head", "-c", "300000", "/dev/zero"}, .limit = no_limit, .most_output = 100'000};
  const ProgramOutput dropped = output_of(program);
  CHECK(dropped.exit == 0);
  CHECK(dropped.cut);
  CHECK(dropped.out.size() == 100'000);

  program.most_output = 300'000;
  program.excess = Excess::kill;
  const ProgramOutput whole = output_of(program);
  CHECK(whole.exit == 0);
  CHECK_FALSE(whole.cut);
  CHECK(whole.out.size() == 300'000);

  program.argv = {"/usr/bin/yes"};
  program.most_output = 2 << 20;
  const ProgramOutput endless = output_of(program);
  CHECK_FALSE(endless.exit);
  CHECK(endless.cut);
  CHECK(endless.signal == SIGKILL);
  CHECK(endless.out.size() == 2 << 20);
  CHECK(endless.why == "it says more than 2 MiB");
}

TEST_CASE("of too many error messages the beginning is kept") {
  const ProgramOutput output = output_of(shell("head -c 300000 /dev/zero >&2; echo done"));
  CHECK(output.out == "done\n");
  CHECK(output.err.size() == 64 << 10);
}

TEST_CASE("input of any size is read by the program as far as it likes") {
  Program program{.argv = {"/usr/bin/wc", "-c"}, .in = std::string(3 << 20, 'x'), .limit = no_limit};
  CHECK(output_of(program).out == "3145728\n");
  program.argv = {"/usr/bin/head", "-c", "3"};
  CHECK(output_of(program).out == "xxx");
  program.argv = {"/bin/true"};
  CHECK(output_of(program).exit == 0);
  program = shell("exec <&-; sleep 0; echo closed");
  program.in = std::string(3 << 20, 'x');
  CHECK(output_of(program).out == "closed\n");
}

TEST_CASE("without input a program reads its end at once") {
  const ProgramOutput output = output_of({.argv = {"/bin/cat"}, .limit = no_limit});
  CHECK(output.exit == 0);
  CHECK(output.out.empty());
}

TEST_CASE("an open file is read from its position, and stays open") {
  const int file = memfd_create("sample", MFD_CLOEXEC);
  REQUIRE(write(file, "0123456789", 10) == 10);
  REQUIRE(lseek(file, 4, SEEK_SET) == 4);
  CHECK(output_of({.argv = {"/bin/cat"}, .in = OpenFile{file}}).out == "456789");
  CHECK(close(file) == 0);
}

TEST_CASE("a program inherits its three streams and no other descriptor") {
  const int left_open = open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as libraries do
  REQUIRE(left_open > 2);
  // 3 is the folder that `ls` reads.
  CHECK(output_of({.argv = {"/bin/ls", "/proc/self/fd"}}).out == "0\n1\n2\n3\n");
  close(left_open);
}

TEST_CASE("a program has its streams where this process has closed its own") {
  const int input = dup(0), errors = dup(2);
  close(0);
  close(2);
  const auto ran = run_program(shell("cat; echo err >&2"));
  dup2(input, 0);
  dup2(errors, 2);
  close(input);
  close(errors);
  REQUIRE(ran);
  CHECK(ran->exit == 0);
  CHECK(ran->err == "err\n");
}

TEST_CASE("a program starts with no blocked signals, and SIGPIPE ends it") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int s : {SIGINT, SIGTERM}) sigaddset(&blocked, s);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler = signal(SIGPIPE, SIG_IGN);
  const std::string status = output_of({.argv = {"/bin/cat", "/proc/self/status"}}).out;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, &before, &after);
  signal(SIGPIPE, handler);
  CHECK_THAT(status, Contains("SigBlk:\t0000000000000000\n"));
  const std::size_t at = status.find("SigIgn:\t");
  REQUIRE(at != std::string::npos);
  CHECK((std::stoull(status.substr(at + 8, 16), nullptr, 16) & (1ull << (SIGPIPE - 1))) == 0);
  CHECK(sigismember(&after, SIGTERM) == 1);
  CHECK(sigismember(&after, SIGUSR1) == 0);
}

TEST_CASE("many threads run programs at once, and no process or descriptor is left") {
  constexpr int threads = 8, programs_each = 12;
  const std::ptrdiff_t before = open_descriptors();
  std::vector<int> wrong(threads);
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&wrong, t] {
        for (int i = 0; i < programs_each; ++i) {
          const std::string word = std::to_string(t) + "-" + std::to_string(i);
          Program program = shell("cat; ls /proc/self/fd >&2; exit " + std::to_string(i));
          program.in = word;
          const auto ran = run_program(program);
          const bool right = ran && ran->out == word && ran->err == "0\n1\n2\n3\n" && ran->exit == i;
          const auto missing = run_program({.argv = {"/nonexistent/" + word}});
          wrong[static_cast<std::size_t>(t)] += !right || missing;
        }
      });
  }
  CHECK(wrong == std::vector<int>(threads));
  CHECK(open_descriptors() == before);
  CHECK_FALSE(has_children());
}
