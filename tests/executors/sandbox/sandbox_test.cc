#include "executors/sandbox/sandbox.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executors/local/local_executor.h"
#include "executors/run_protocol/landlock.h"
#include "tests/executors/fixture.h"
#include "tests/places.h"

using Catch::Matchers::Contains;
using kernel::JobEnd;
using test::Bench;
using test::has_sandbox;

namespace {

/// What the commands print in a sandbox.
std::string seen(Bench& bench, const std::string& commands) {
  static int number = 0;
  auto job = bench.job("s" + std::to_string(++number), commands);
  const auto outcome = bench.run(job);
  INFO(newest_words(outcome.reason) << "\n" << test::errors_of(job));
  CHECK(outcome.end == JobEnd::exited);
  return test::output_of(job) + test::errors_of(job);
}

}  // namespace

TEST_CASE("the probe finds no capability left in the sandbox, or says what to do") {
  const executors::SandboxProbe probe = executors::probe_sandbox("/usr/local/bin:/usr/bin:/bin");
  CHECK(probe.works == (probe.why.empty() && probe.remedy.empty()));
  const executors::SandboxProbe none = executors::probe_sandbox("/nonexistent");
  CHECK_FALSE(none.works);
  CHECK(none.why == "bubblewrap is not installed");
  CHECK_THAT(none.remedy, Contains("apt-get install bubblewrap"));
}

TEST_CASE("a bubblewrap that cannot make namespaces, or leaves capabilities, is not taken for a sandbox") {
  const test::Folder folder;
  test::write(folder / "a/bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n");
  test::write(folder / "b/bwrap",
              "#!/bin/sh\nexec printf 'CapInh:\\t0\\nCapPrm:\\t0\\nCapEff:\\t00ff\\nCapBnd:\\t0\\nCapAmb:\\t0\\n'\n");
  test::write(folder / "c/bwrap",
              "#!/bin/sh\nexec printf 'CapInh:\\t0\\nCapPrm:\\t0\\nCapEff:\\t0\\nCapBnd:\\t0\\nCapAmb:\\t0\\n'\n");
  for (const std::string name : {"a", "b", "c"}) chmod((folder / (name + "/bwrap")).c_str(), 0755);
  const auto forbidden = executors::probe_sandbox(folder / "a");
  CHECK_FALSE(forbidden.works);
  CHECK_THAT(forbidden.why, Contains("No permissions to create new namespace"));
  CHECK_FALSE(forbidden.remedy.empty());
  const auto powerful = executors::probe_sandbox(folder / "b");
  CHECK_FALSE(powerful.works);
  CHECK_THAT(powerful.why, Contains("CapEff 00ff"));
  const auto unfiltered = executors::probe_sandbox(folder / "c");
  CHECK_FALSE(unfiltered.works);
  CHECK(unfiltered.why == "this kernel cannot filter a job's system calls");
}

TEST_CASE("every sandbox drops all capabilities: the probe's, a job's and its evaluation's") {
  // Tests that run a job are skipped where the probe finds capabilities.
  Bench bench;
  kernel::JobSpec job = bench.job("r1", "true");
  job.evaluation.emplace();
  executors::SystemFiles system;
  for (const std::vector<std::string>& arguments :
       {executors::bare_sandbox(), executors::plan_sandbox(job, system, "/checkpoint").arguments,
        executors::plan_evaluation(job, system).arguments}) {
    const auto drop = std::find(arguments.begin(), arguments.end(), "--cap-drop");
    REQUIRE(arguments.end() - drop > 1);
    CHECK(*(drop + 1) == "ALL");
    CHECK(std::find(arguments.begin(), arguments.end(), "--cap-add") == arguments.end());
  }
}

TEST_CASE("a job has no capability, not even as root, and cannot get any") {
  if (!has_sandbox()) return;
  Bench bench;
  const std::string text =
      seen(bench, "grep Cap /proc/self/status; unshare -Ur true || echo no-userns; mount -o remount,rw / 2>&1");
  for (const std::string name : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
    CHECK_THAT(text, Contains(name + ":\t0000000000000000"));
  CHECK_THAT(text, Contains("no-userns"));
}

TEST_CASE("a job sees its own folders and the system, and nothing of home, store, other runs or sockets") {
  if (!has_sandbox()) return;
  Bench bench;
  test::write(bench.folder() / "home/etude.db", "the store");
  test::write(bench.folder() / "home/runs/other/out/secret", "another run");
  CHECK(seen(bench, "ls / | tr '\\n' ' '") == [] {
    std::string all;
    for (const char* name :
         {"bin", "dev", "etc", "etude", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "tmp", "usr", "var"})
      if (std::string(name) == "etude" || test::exists("/" + std::string(name))) all += std::string(name) + " ";
    return all;
  }());
  const char* home = std::getenv("HOME");
  const std::string text = seen(
      bench, "for f in /root /home /run /var/run /var/lib /srv /mnt /etc/shadow /etc/ssl/private /sys/class /sys/fs " +
                 bench.folder().path() + " " + (home ? home : "/root") +
                 "; do [ -e $f ] && echo there: $f; done; ls -A /tmp /sys /sys/devices /var; env | sort | grep -c .");
  CHECK_THAT(text, !Contains("there:"));
  CHECK_THAT(text, Contains("/tmp:\n\n/var:"));
  CHECK(
      seen(
          bench,
          "find / -path /usr -prune -o -path /proc -prune -o \\( -name etude.db -o -name secret \\) -print 2>/dev/null")
          .empty());
}

TEST_CASE("a job writes in its own folders only, and the rest of the tree is read-only") {
  if (!has_sandbox()) return;
  Bench bench;
  test::write(bench.folder() / "data/x", "data");
  test::write(bench.folder() / "workspace/code.py", "original");
  auto job = bench.job(
      "r1",
      "for f in / /etude /etude/data/d /usr /etc /dev /etude/params.json /etude/data/d/x /etude/init "
      "/var /sys/devices/system/cpu /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do "
      "if [ -d $f ]; then touch $f/new 2>/dev/null && echo wrote $f; "
      "else (echo x >> $f) 2>/dev/null && echo wrote $f; fi; done; "
      "chmod 0666 /dev/null /dev/zero /dev/tty 2>/dev/null && echo changed nodes; echo x > new; echo x > code.py; echo "
      "x > /etude/out/o; echo x > /tmp/t; echo x > /dev/shm/s; echo x >> "
      "/etude/metrics.jsonl; echo x > /etude/checkpoint/c; echo x > $HOME/h; cat {data.d}/x");
  job.data = {{"d", bench.folder() / "data", "data.d"}};
  const auto outcome = bench.run(job);
  INFO(test::errors_of(job));
  CHECK(outcome.exit == 0);
  CHECK(test::output_of(job) == "data");
  CHECK(test::read(bench.folder() / "data/x") == "data");
  CHECK(test::read(bench.folder() / "workspace/code.py") == "original");
  CHECK(test::read(job.folder + "/work/code.py") == "x\n");
  CHECK(test::read(job.folder + "/out/o") == "x\n");
  CHECK(test::read(job.folder + "/checkpoint/c") == "x\n");
  CHECK(test::read(job.folder + "/metrics.jsonl") == "x\n");
}

TEST_CASE("a job reads its protected files and can neither change nor replace them") {
  if (!has_sandbox()) return;
  Bench bench;
  test::write(bench.folder() / "workspace/scores/evaluate.py", "original");
  auto job =
      bench.job("r1",
                "cat scores/evaluate.py; echo x > scores/evaluate.py; echo x > new; mv -f new scores/evaluate.py; "
                "mv scores elsewhere; chmod 777 scores/evaluate.py; echo mine > scores/other");
  job.protect = {"scores/evaluate.py"};
  CHECK(bench.run(job).end == JobEnd::exited);
  INFO(test::errors_of(job));
  CHECK(test::output_of(job) == "original");
  CHECK(test::read(job.folder + "/work/scores/evaluate.py") == "original");
  CHECK(test::read(job.folder + "/work/scores/other") == "mine\n");
}

TEST_CASE("a job cannot change the machine's device nodes, not even through the descriptors it is born with") {
  if (!has_sandbox()) return;
  Bench bench;
  const std::string text =
      seen(bench,
           "for fd in 0 1 2; do /usr/bin/perl -e 'open(my $f, \"<&=\", $ARGV[0]); chmod(0666, $f) or print "
           "\"$ARGV[0] $!\\n\"' $fd; done; for n in null zero full random urandom tty; do chmod 666 "
           "/dev/$n 2>/dev/null || echo kept $n; done; echo x > /dev/null; head -c 3 /dev/zero | wc -c");
  CHECK_THAT(text, Contains("0 Read-only file system") || Contains("0 Operation not permitted"));
  for (const std::string node : {"null", "zero", "full", "random", "urandom", "tty"})
    CHECK_THAT(text, Contains("kept " + node + "\n"));
  CHECK_THAT(text, Catch::Matchers::EndsWith("\n3\n"));
}

TEST_CASE("a job has a network that no job has used before") {
  if (!has_sandbox()) return;
  Bench bench;
  // A connection closed by its server: for a minute, nobody else in this network can listen there.
  const std::string serve =
      "/usr/bin/perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(29500, INADDR_LOOPBACK)) or "
      "print \"taken\\n\"; listen(S, 1); socket(C, AF_INET, SOCK_STREAM, 0); connect(C, sockaddr_in(29500, "
      "INADDR_LOOPBACK)) or print \"refused\\n\"; accept(A, S); close(A); sysread(C, $b, 1)'; ";
  const std::string show = "readlink /proc/self/ns/net; ";
  const std::string packets =
      "awk '/lo:/ {{ print $3 }}' /proc/net/dev; awk '/Tcp: [0-9]/ {{ print $6 }}' /proc/net/snmp";
  seen(bench, "true");
  const std::string second = seen(bench, show + packets);
  CHECK_THAT(second, Catch::Matchers::EndsWith("]\n0\n0\n"));
  CHECK(seen(bench, show + packets) == second);  // Nothing was used: the same network.
  CHECK_THAT(seen(bench, show + serve + packets), Catch::Matchers::StartsWith(second.substr(0, second.find('\n'))) &&
                                                      !Contains("taken") && !Contains("refused") && !Contains("\n0\n"));
  CHECK(seen(bench, packets + "; " + serve) == "0\n0\n");
  CHECK(seen(bench, packets + "; " + serve) == "0\n0\n");
}

TEST_CASE("a job has no network but its own loopback, unless the study asks for it") {
  if (!has_sandbox()) return;
  Bench bench;
  CHECK(seen(bench, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '") == "lo\n");
  auto job = bench.job("net", "tail -n +3 /proc/net/dev | wc -l; ls /etc/resolv.conf");
  job.resources.network = true;
  bench.run(job);
  const std::string outside = test::read("/proc/net/dev");
  CHECK_THAT(test::output_of(job),
             Catch::Matchers::StartsWith(std::to_string(std::count(outside.begin(), outside.end(), '\n') - 2) + "\n"));
}

TEST_CASE("a job's environment is the allow-list, its init's included, and keys of the kernel are nowhere") {
  if (!has_sandbox()) return;
  setenv("ETUDE_TEST_API_KEY", "s3cr3t-value", 1);
  setenv("HANDED_ON", "yes", 1);
  Bench bench;
  auto job = bench.job("r1",
                       "env | sort; for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; tr '\\0' ' ' < $p/cmdline; "
                       "done; ls -l /proc/self/fd");
  job.pass = {"HANDED_ON", "NOT_SET"};
  job.set = {{"FLAG", "a b"}, {"OMP_NUM_THREADS", "7"}};
  job.seed = 42;
  job.attempt = 2;
  job.resources.cpus = 3;
  bench.run(job);
  unsetenv("ETUDE_TEST_API_KEY");
  const std::string text = test::output_of(job) + test::errors_of(job);
  CHECK_THAT(text, !Contains("s3cr3t"));
  CHECK_THAT(text, !Contains(bench.folder().path()));
  for (const std::string line :
       {"ETUDE_RUN=token-r1", "ETUDE_ATTEMPT=2", "ETUDE_SEED=42", "ETUDE_PARAMS=/etude/params.json",
        "ETUDE_METRICS=/etude/metrics.jsonl", "ETUDE_OUTPUT=/etude/out", "ETUDE_CHECKPOINT=/etude/checkpoint",
        "HOME=/tmp", "TMPDIR=/tmp", "PWD=/etude/work", "WANDB_MODE=offline",
        "CUDA_VISIBLE_DEVICES=", "OMP_NUM_THREADS=7", "MKL_NUM_THREADS=3", "PYTHONHASHSEED=42", "HANDED_ON=yes",
        "FLAG=a b", "PATH=/usr/local/bin:/usr/bin:/bin"})
    CHECK_THAT(text, Contains("\n" + line + "\n") || Catch::Matchers::StartsWith(line + "\n"));
  CHECK_THAT(text, !Contains("NOT_SET"));
  CHECK_THAT(text, !Contains("ETUDE_TOKEN"));
}

TEST_CASE("a job sees only its own processes and cannot reach its supervisor's binary for writing") {
  if (!has_sandbox()) return;
  Bench bench;
  const std::string text = seen(bench,
                                "ls -d /proc/[0-9]* | wc -l; hostname; cat /proc/1/comm; (echo x >> /proc/1/exe) 2>&1; "
                                "cat /proc/1/environ 2>&1; kill -9 1 2>&1; echo alive");
  CHECK_THAT(text, Catch::Matchers::StartsWith("4\netude\netude-init\n") ||
                       Catch::Matchers::StartsWith("3\netude\netude-init\n"));
  CHECK_THAT(text, Contains("alive"));
}

TEST_CASE("programs find users, time zones, certificates and libraries behind alternatives") {
  if (!has_sandbox()) return;
  Bench bench;
  const std::string text =
      seen(bench,
           "id -un; getent passwd nobody | cut -d: -f1; date +%Z > /dev/null && echo time; "
           "getent hosts localhost | head -1; [ -w /dev/null ] && [ -r /dev/urandom ] && echo devices; "
           "perl -e 'print \"perl\\n\"'; awk 'BEGIN{{print \"awk\"}}'");
  for (const std::string word :
       {getuid() == 0 ? "root" : "etude", "nobody", "time", "localhost", "devices", "perl", "awk"})
    CHECK_THAT(text, Contains(word));
}

TEST_CASE("without a sandbox the same variables name real paths, and the job still dies as one") {
  Bench bench;
  auto job =
      bench.job("r1", "pwd; echo $ETUDE_OUTPUT $ETUDE_METRICS; echo x > {run_dir}/f; cat $ETUDE_PARAMS; cat {data.d}");
  job.resources.sandbox = kernel::SandboxMode::none;
  job.params_json = "{\"n\":3}";
  job.data = {{"d", bench.folder() / "d", "data.d"}};
  test::write(bench.folder() / "d", "data");
  const auto outcome = bench.run(job);
  CHECK(outcome.exit == 0);
  CHECK_FALSE(outcome.sandboxed);
  CHECK(test::output_of(job) ==
        job.folder + "/work\n" + job.folder + "/out " + job.folder + "/metrics.jsonl\n{\"n\":3}data");
  CHECK(test::read(job.folder + "/out/f") == "x\n");
}

TEST_CASE("the workspace arrives with modes, times, links and folders, and can be written even if it was sealed") {
  if (!has_sandbox()) return;
  Bench bench;
  test::write(bench.folder() / "workspace/deep/er/run.sh", "#!/bin/sh\necho $0\n");
  test::write(bench.folder() / "workspace/sealed", "x");
  chmod((bench.folder() / "workspace/deep/er/run.sh").c_str(), 0555);
  chmod((bench.folder() / "workspace/sealed").c_str(), 0444);
  std::filesystem::create_symlink("deep/er/run.sh", bench.folder() / "workspace/link");
  std::filesystem::create_symlink("/etc/shadow", bench.folder() / "workspace/outside");
  mkfifo((bench.folder() / "workspace/pipe").c_str(), 0600);
  test::run_to_end({"/usr/bin/touch", "-d", "2001-02-03 04:05:06", bench.folder() / "workspace/sealed"});
  CHECK(seen(bench,
             "./link; stat -c %a deep/er/run.sh sealed; stat -c %y sealed | cut -c1-4; readlink outside; ls; echo y > "
             "sealed; cat sealed") == "./link\n755\n644\n2001\n/etc/shadow\ndeep\nlink\noutside\nsealed\ny\n");
}

namespace {

/// Runs the job where no user namespace can be made, in a process of its own. Its exit status is what `on_end` returns;
/// 2: namespaces cannot be forbidden here.
int run_without_namespaces(const kernel::JobSpec& spec, const std::function<int(const kernel::JobOutcome&)>& on_end) {
  const pid_t child = fork();
  if (child != 0) return test::wait_for(child);
  // In a user namespace of our own that may have no other.
  if (unshare(CLONE_NEWUSER) != 0) _exit(2);
  test::write("/proc/sys/user/max_user_namespaces", "0");
  if (unshare(CLONE_NEWUSER) == 0) _exit(2);
  kernel::JobListener listener;
  listener.ended = [&](kernel::JobOutcome outcome) { _exit(on_end(outcome)); };
  executors::LocalExecutor executor(listener, tests::build_dir() + "/etude-supervisor");
  executor.start(spec);
  for (;;) pause();
}

bool could_forbid(int status) {
  if (status == 2) WARN("skipped: namespaces cannot be forbidden here");
  return status != 2;
}

}  // namespace

TEST_CASE("where no sandbox is possible a job that requires one fails to start, with the reason and the remedy") {
  const test::Folder folder;
  kernel::JobSpec spec;
  spec.run = "r1";
  spec.token = kernel::LaunchToken("r1");
  spec.folder = folder / "run";
  spec.command = {true, {"touch " + (folder / "ran")}};
  spec.resources.sandbox = kernel::SandboxMode::required;
  const int status = run_without_namespaces(spec, [&](const kernel::JobOutcome& outcome) {
    test::write(folder / "reason", newest_words(outcome.reason));
    return outcome.end == JobEnd::failed_to_start ? 0 : 4;
  });
  if (!could_forbid(status)) return;
  CHECK(status == 0);
  CHECK_THAT(test::read(folder / "reason"),
             Catch::Matchers::StartsWith("no sandbox: ") && Contains("max_user_namespaces=15000"));
  CHECK_FALSE(test::exists(folder / "ran"));
}

TEST_CASE("where no sandbox is possible another job is confined to its own files and the system's, without a network") {
  if (supervisor::landlock::version() == 0) {
    WARN("skipped: no Landlock");
    return;
  }
  Bench bench;
  test::write(bench.folder() / "secret", "secret\n");
  test::write(bench.folder() / "d", "data\n");
  kernel::JobSpec spec = bench.job(
      "r1",
      "cat {data.d}; echo kept > {run_dir}/f && echo metric >> $ETUDE_METRICS && echo t > $TMPDIR/t && echo wrote; "
      "echo x > " +
          (bench.folder() / "escaped") + "; cat " + (bench.folder() / "secret") +
          "; ls $HOME > /dev/null && echo home; "
          "perl -MSocket -e 'socket($s, AF_INET, SOCK_STREAM, 0) or print \"no network: $!\\n\"; "
          "socket($s, AF_UNIX, SOCK_STREAM, 0) and print \"socket\\n\"'; "
          "kill -0 " +
          std::to_string(getpid()) + " && echo reached; cat /proc/" + std::to_string(getpid()) +
          "/environ && echo variables");
  spec.data = {{"d", bench.folder() / "d", "data.d"}};
  const int status = run_without_namespaces(spec, [&](const kernel::JobOutcome& outcome) {
    test::write(bench.folder() / "reason", newest_words(outcome.reason));
    return outcome.end == JobEnd::exited && !outcome.sandboxed ? 0 : 4;
  });
  if (!could_forbid(status)) return;
  INFO(test::read(bench.folder() / "reason") << "\n" << test::errors_of(spec));
  CHECK(status == 0);
  const std::string reached = supervisor::landlock::version() >= 6 ? "" : "reached\n";
  CHECK(test::output_of(spec) == "data\nwrote\nhome\nno network: Permission denied\nsocket\n" + reached);
  CHECK(test::read(spec.folder + "/out/f") == "kept\n");
  CHECK_FALSE(test::exists(bench.folder() / "escaped"));
}
