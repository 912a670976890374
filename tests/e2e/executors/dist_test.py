"""The archive of `make dist`, unpacked by an ordinary user on a machine that has busybox and nothing else: no C library, no
/usr, no network. It gives the verdicts of a build, on a kernel without newer system calls, too."""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

from harness import ETUDE, PATIENCE
from old_kernel import CLOSE_RANGE, LANDLOCK, OPENAT2, PIDFD_OPEN, lack

# The archive beside the program, if `make dist` has made one.
ARCHIVE = os.environ.get("DIST") or next(map(str, sorted((ETUDE.parent / "dist").glob("etude-*.tar.gz"))), None)
BUSYBOX = pathlib.Path("/bin/busybox")
SOMEBODY = 65534
VERDICTS = {"H1": "supported", "H2": "supported", "H3": "supported", "H4": "refuted"}

SLOW = '''
etude: 1
title: Sleep
question: Does it end?
run: sleep 600
factors: {arm: {levels: [a, b]}}
metrics: {x: {goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: a is less than b., test: {metric: x, treatment: {arm: a}, control: {arm: b}, direction: less}}
design: {replicates: {min: 3, max: 3}}
resources: {timeout: 20m}
budget: {wall: 30m, runs: 20}
'''


class Dist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if platform.machine() != "x86_64":
            raise unittest.SkipTest("the archive is for x86-64")
        if not ARCHIVE:
            raise unittest.SkipTest(f"no archive in {ETUDE.parent}/dist: `make dist-test` makes one")
        if not BUSYBOX.exists() or "INTERP" in subprocess.run(["readelf", "-l", BUSYBOX], capture_output=True, text=True).stdout:
            raise unittest.SkipTest("no busybox without shared libraries: apt-get install busybox-static")
        cls.user = []
        if os.getuid() == 0:
            cls.user = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
        cls.tmp = pathlib.Path(tempfile.mkdtemp(prefix="etude-dist-"))
        cls.addClassCleanup(shutil.rmtree, cls.tmp, ignore_errors=True)
        cls.root = cls.tmp / "root"
        for folder in ("bin", "etc", "tmp", "proc", "dev", "home/user"):
            (cls.root / folder).mkdir(parents=True)
        shutil.copy(BUSYBOX, cls.root / "bin/busybox")
        for name in subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split():
            if name != "busybox":
                (cls.root / "bin" / name).symlink_to("busybox")
        (cls.root / "etc/passwd").write_text("user:x:1000:1000::/home/user:/bin/sh\n")
        (cls.root / "etc/group").write_text("user:x:1000:\n")
        shutil.copy(ARCHIVE, cls.root / "home/user/etude.tar.gz")
        (cls.root / "home/user/slow.yaml").write_text(SLOW)
        if cls.user:
            cls.tmp.chmod(0o755)
            subprocess.run(["chown", "-R", f"{SOMEBODY}:{SOMEBODY}", cls.root], check=True)
        tried = cls.inside("id -u")
        if tried.returncode != 0 or tried.stdout != "1000\n":
            raise unittest.SkipTest(f"no root of its own for a user who is not root: {tried.stderr.strip()}")
        unpacked = cls.inside("tar -xzf etude.tar.gz && mv etude-*/ etude && rm etude.tar.gz && ls /lib* /usr; ls -A etude")
        assert unpacked.stdout.split() == ["LICENSE", "README.md", "etude", "examples", "lib", "licenses", "share"], unpacked

    @classmethod
    def inside(cls, script, calls=()):
        """A shell script of a user of the other machine; `calls`: system calls that it lacks."""
        command = [*cls.user, "bwrap", "--unshare-all", "--uid", "1000", "--gid", "1000", "--die-with-parent", "--clearenv",
                   "--setenv", "PATH", "/bin", "--setenv", "HOME", "/home/user", "--bind", cls.root, "/", "--proc", "/proc",
                   "--dev", "/dev", "--chdir", "/home/user", "--", "/bin/sh", "-c", script]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=2 * PATIENCE,
                              preexec_fn=lack(*calls) if calls else None)

    def good(self, script, calls=()):
        done = self.inside(script, calls)
        self.assertEqual(done.returncode, 0, f"{script}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done.stdout

    def run_example(self, home, calls=()):
        etude = f"etude/etude --home {home}"
        out = self.good(f"{etude} run etude/examples/monte-carlo/study.yaml -j 2 -o {home}-ara", calls)
        self.assertIn("audit     passed", out)
        self.assertIn("H1  ✓ supported", out)
        study = json.loads(self.good(f"{etude} show s1 --json", calls))
        self.assertEqual({h["id"]: h["verdict"] for h in study["hypotheses"]}, VERDICTS)
        runs = [json.loads(line) for line in self.good(f"{etude} runs s1 --json", calls).splitlines()]
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})
        self.good(f"{etude} verify && {etude} check {home}-ara --strict", calls)
        return runs

    def test_it_is_smaller_than_80_mb(self):
        self.assertLess(os.path.getsize(ARCHIVE), 80_000_000)

    def test_a_machine_without_a_c_library(self):
        checks = {check["name"]: check for check in json.loads(self.inside("etude/etude doctor --json").stdout)["checks"]}
        self.assertEqual(checks["gnuplot"]["status"], "ok", checks)
        self.assertEqual(checks["sandbox"]["status"], "ok", checks)
        self.assertIn("/home/user/etude/lib/helpers/bwrap", checks["sandbox"]["detail"])
        runs = self.run_example("plain")
        self.assertTrue(all(run["sandboxed"] for run in runs))
        pictures = self.good("find plain-ara -name '*.svg' -o -name '*.png'").split()
        self.assertTrue(pictures and len({pathlib.Path(p).suffix for p in pictures}) == 2, pictures)

    def test_called_through_a_link(self):
        self.assertIn("etude ", self.good("mkdir links && ln -s ../etude/etude links/other && cd / && /home/user/links/other --version"))

    def test_apart_from_its_libraries_it_says_what_is_missing(self):
        done = self.inside("cp etude/etude alone && ./alone --version")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "etude: /home/user/alone: its folder lib is not beside it: unpack the whole archive, and "
                                      "keep it together\n")

    def test_a_kernel_without_newer_system_calls(self):
        calls = (PIDFD_OPEN, OPENAT2, CLOSE_RANGE, *LANDLOCK)
        self.run_example("old", calls)
        # A job is stopped without a pidfd, and nothing of it stays.
        etude = "etude/etude --home old"
        self.good(f"{etude} run slow.yaml -o slow-ara -j 1 >slow.log 2>&1 & "
                  f"until pidof sleep >/dev/null; do usleep 20000; done; {etude} cancel s2 && wait; "
                  "while pidof sleep >/dev/null; do usleep 20000; done", calls)
        study = json.loads(self.good(f"{etude} show s2 --json", calls))
        self.assertEqual(study["state"], "ended", study)


if __name__ == "__main__":
    unittest.main()
