"""Jobs that try to get out of their sandbox, through the real binary, judged by their effect outside.

One study whose arms are the tricks, beside a victim process, live sockets and secrets; then the tricks that only look,
once more without a sandbox: there they succeed, so the same checks can fail. Prints a table of what became of each.
"""
import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest

from harness import ETUDE, EtudeTest

HERE = pathlib.Path(__file__).resolve().parent
LOOKING = ("read-key", "read-store", "other-runs", "unix-sockets", "network")
CONTAINED = LOOKING + ("environments", "own-environment", "write-outside", "remount", "mknod", "kill-everyone", "ptrace",
                       "daemons", "many-files", "links", "protected", "metrics-symlink", "metrics-hard-link",
                       "metrics-fifo", "metrics-folder", "metrics-device")
MISPLACED = ("metrics-symlink", "metrics-fifo", "metrics-folder", "metrics-device")
STUDY = '''
etude: 1
title: Ways out
question: Does any of these leave the sandbox?
workspace: {path: code}
run: ["/usr/bin/python3", job.py, "{trick}", "{world}", "{listener}", "{victim}", "{device}"]
factors:
  trick: {levels: TRICKS, baseline: nothing}
constants: CONSTANTS
metrics:
  got: {goal: minimize, primary: true}
evaluator: {protect: [evaluate.py, lib/]}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 10m, disk: 300M, sandbox: SANDBOX}
'''
rows = {}


def has_sandbox():
    checks = json.loads(subprocess.run([ETUDE, "doctor", "--json"], capture_output=True, text=True).stdout)["checks"]
    return next(c["status"] for c in checks if c["name"] == "sandbox") == "ok"


def space_of(file):
    """Bytes on the disk; 0 of a file that was renamed or deleted meanwhile."""
    try:
        return file.stat().st_blocks * 512
    except FileNotFoundError:
        return 0


def processes_with(word):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


class Listener:
    """Counts who connects."""

    def __init__(self, family, address):
        self.heard, self.address = 0, address
        self.socket = socket.socket(family)
        self.socket.bind(address)
        self.socket.listen(64)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                self.socket.accept()[0].close()
            except OSError:
                return
            self.heard += 1

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)  # Wakes who waits in accept, which would keep the address.
        self.socket.close()


class World:
    """Everything a job must not reach."""

    def __init__(self, tmp):
        self.path = tmp / ("world-" + secrets.token_hex(8))
        self.home = self.path / "home"
        self.word = self.path.name.rsplit("-", 1)[-1]
        self.key, self.secret = ("canary-" + kind + "-" + secrets.token_hex(8) for kind in ("key", "env"))
        ssh = self.path / "person/.ssh"
        ssh.mkdir(parents=True)
        (ssh / "id_ed25519").write_text(self.key + "\n")
        self.environment = {**os.environ, "HOME": str(self.path / "person"), "SERVICE_API_KEY": self.secret}
        self.victim = subprocess.Popen(["sleep", "600"], env=self.environment, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.listeners = [Listener(socket.AF_UNIX, str(self.path / "live.sock")),
                          Listener(socket.AF_UNIX, "\0etude-" + self.word), Listener(socket.AF_INET, ("127.0.0.1", 0))]
        try:
            self.listeners.append(Listener(socket.AF_UNIX, f"/run/etude-{self.word}.sock"))
        except OSError:
            print("not root: there is no socket of ours in /run")
        self.constants = {"world": str(self.path), "listener": self.listeners[2].socket.getsockname()[1],
                          "victim": self.victim.pid, "device": tmp.stat().st_dev}

    def heard(self):
        return sum(listener.heard for listener in self.listeners)

    def close(self):
        self.victim.kill()
        self.victim.wait()
        for listener in self.listeners:
            listener.close()
        if len(self.listeners) == 4:
            os.unlink(f"/run/etude-{self.word}.sock")


class Escapes(EtudeTest):
    @classmethod
    def tearDownClass(cls):
        width = max(map(len, rows), default=0)
        print("\nescape" + " " * (width - 4) + "outcome", file=sys.stderr)
        for name, outcome in rows.items():
            print(f"{name:{width}}  {outcome}", file=sys.stderr)

    def setUp(self):
        super().setUp()
        if not has_sandbox():
            self.skipTest("no sandbox on this machine")
        self.world = World(self.tmp)
        self.home = self.world.home
        self.addCleanup(self.world.close)

    def prepare(self, tricks, sandbox):
        code = self.dir / "code"
        (code / "lib/deep").mkdir(parents=True)
        shutil.copy(HERE / "escape_job.py", code / "job.py")
        (code / "evaluate.py").write_text("print('honest')\n")
        (code / "lib/deep/grade.py").write_text("print('honest')\n")
        text = STUDY.replace("TRICKS", json.dumps(["nothing", *tricks])).replace("SANDBOX", sandbox)
        self.write("study.yaml", text.replace("CONSTANTS", json.dumps(self.world.constants)))

    def measure(self, tricks, sandbox):
        """trick → (run, what it printed)."""
        self.prepare(tricks, sandbox)
        self.study_end = self.run_study("-j", "2", code=None, env=self.world.environment)
        found = {}
        for run in self.lines("runs", self.study_end["id"]):
            found[run["factors"]["trick"]] = (run, self.etude("run-log", run["id"]).stdout)
        return found

    def everything_kept(self):
        """Every byte of the store and the artifact."""
        folders = (self.home, self.dir / "study-ara")
        return b"".join(p.read_bytes() for f in folders for p in f.rglob("*") if p.is_file() and not p.is_symlink())

    def test_nothing_gets_out_of_the_sandbox(self):
        core_pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text()
        found = self.measure(CONTAINED, "auto")
        world = self.world
        for trick in ("nothing",) + CONTAINED:
            run, log = found[trick]
            with self.subTest(trick):
                self.assertEqual(run["state"], "succeeded", (run["reason"], log))
                self.assertEqual(run["metrics"], {"got": 0}, log)
                self.assertIn(json.dumps({"trick": trick, "all": []}), log)
                rows[trick] = "refused"
        # The effects, from outside.
        kept = self.everything_kept()
        self.assertNotIn(world.key.encode(), kept)
        self.assertNotIn(world.secret.encode(), kept)
        self.assertEqual(world.heard(), 0)
        self.assertIsNone(world.victim.poll(), "the victim was killed")
        self.assertIn("TracerPid:\t0", pathlib.Path(f"/proc/{world.victim.pid}/status").read_text())
        self.assertEqual(processes_with("escaped-" + world.word), [])
        self.assertEqual(processes_with(str(world.path)), [])
        for folder in ("/", "/etc", "/usr", "/root", "/dev", world.path, self.home):
            self.assertFalse((pathlib.Path(folder) / "etude-escape").exists(), folder)
        self.assertEqual(pathlib.Path("/proc/sys/kernel/core_pattern").read_text(), core_pattern)
        self.assertEqual(os.stat("/dev/null").st_mode & 0o777, 0o666)
        self.assertEqual((self.dir / "code/evaluate.py").read_text(), "print('honest')\n")
        # 50,000 files: the first thousand are kept, the rest counted.
        left = found["many-files"][0]["outputs_left_out"]
        self.assertEqual((left["count"], left["more"]), (49_000, False))
        rows["many-files"] = "1,000 of 50,000 files kept, the others counted"
        self.assertIn("link.txt: a symbolic link", found["links"][0]["outputs_left_out"]["named"])
        self.assertIn("pipe: not a regular file", found["links"][0]["outputs_left_out"]["named"])
        rows["links"] = "hard links refused, links and pipes left out by name"
        rows["daemons"] = "died with the run"
        self.assertTrue(self.json("verify")["ok"])

    def test_without_a_sandbox_the_same_tricks_are_seen_to_succeed(self):
        found = self.measure(LOOKING, "none")
        for trick in LOOKING:
            with self.subTest(trick):
                self.assertGreater(found[trick][0]["metrics"].get("got", 0), 0, found[trick])
                rows[trick + ", no sandbox"] = "succeeds, as it must for the test to be one"
        kept = self.everything_kept()
        self.assertIn(self.world.key.encode(), kept)
        self.assertGreater(self.world.heard(), 2)

    def test_metrics_files_that_are_none_and_changed_evaluators_are_refused_without_a_sandbox_too(self):
        found = self.measure(MISPLACED + ("metrics-hard-link", "protected", "own-environment"), "none")
        for trick in MISPLACED:
            run = found[trick][0]
            with self.subTest(trick):
                self.assertIn(run["state"], ("failed", "invalid"))
                self.assertIn("its metrics file is not read", run["reason"])
                rows[trick + ", no sandbox"] = run["reason"]
        run = found["protected"][0]
        self.assertEqual((run["state"], run["evidence"]), ("invalid", True))
        self.assertEqual(run["reason"], "it changed evaluate.py, which `evaluator.protect` keeps as it is")
        rows["protected, no sandbox"] = "invalid: " + run["reason"]
        self.assertEqual(found["own-environment"][0]["metrics"], {"got": 0})
        self.assertNotEqual(found["metrics-hard-link"][0]["state"], "succeeded")
        self.assertNotIn(self.world.key.encode(), self.everything_kept())

    def test_what_would_use_the_machine_up_is_ended_or_cut(self):
        self.prepare(("fork-bomb", "fill-disk", "loud"), "auto")
        for trick, resource in (("fork-bomb", "processes"), ("fill-disk", "disk")):
            done = self.json("try", "study.yaml", "--set", "trick=" + trick, code=None, env=self.world.environment)
            self.assertTrue(done["reason"].startswith(resource + ": "), done)
            self.assertEqual(processes_with(str(self.world.path)), [])
            rows[trick] = "ended: " + done["reason"]
        trying = subprocess.Popen(self.command("try", "study.yaml", "--set", "trick=loud", "--json"), cwd=self.dir,
                                  stdout=subprocess.PIPE, env=self.world.environment)
        most = 0
        while trying.poll() is None:
            most = max(most, sum(map(space_of, self.home.glob("try/*/run/stdout.*"))))
            time.sleep(0.1)
        done = json.loads(trying.stdout.read())
        trying.stdout.close()
        self.assertTrue(done["ok"], done)
        self.assertGreater(most, 15 << 20)
        self.assertLess(most, 18 << 20)
        rows["10 GB of output"] = f"{most / 2**20:.1f} MB kept, the first and the last"


if __name__ == "__main__":
    unittest.main()
