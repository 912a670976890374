"""Jobs of a user who is not root: the machine's own limits count what each job has, not everything its user runs."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from harness import ETUDE, EtudeTest

STUDY = '''
etude: 1
title: How many processes
question: How many processes may a job have?
workspace: {path: code}
run: ["/usr/bin/python3", job.py, "{arm}"]
factors:
  arm: {levels: [a, b]}
metrics:
  limit: {goal: minimize, primary: true, from: {stdout: 'limit=([0-9]+)'}}
  made: {goal: minimize, from: {stdout: 'made=([0-9]+)'}}
resources: {timeout: 10m, sandbox: SANDBOX}
'''
# The job lowers its own limit, and makes processes until it is told that it has enough.
JOB = '''
import os, resource, signal, time
print("limit=%d" % resource.getrlimit(resource.RLIMIT_NPROC)[0])
resource.setrlimit(resource.RLIMIT_NPROC, (20, 20))
children = []
try:
    while len(children) < 200:
        pid = os.fork()
        if pid == 0:
            time.sleep(600)
        children.append(pid)
except BlockingIOError:
    pass
print("made=%d" % len(children), flush=True)
for pid in children:
    os.kill(pid, signal.SIGKILL)
'''
SOMEBODY = 65534


class NotRoot(EtudeTest):
    def setUp(self):
        super().setUp()
        self.prefix = []
        if tuple(map(int, os.uname().release.split(".")[:2])) < (5, 14):
            self.skipTest("before Linux 5.14 processes are counted by user, so no limit is set")
        if os.getuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("no setpriv")
            self.prefix = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
        # Where the binary was built may be closed to others.
        for name in ("etude", "etude-supervisor"):
            shutil.copy(pathlib.Path(ETUDE).parent / name, self.tmp)
        self.write("code/job.py", JOB)
        if self.prefix:
            subprocess.run(["chown", "-R", f"{SOMEBODY}:{SOMEBODY}", str(self.tmp)], check=True)

    def command(self, *args):
        return [*self.prefix, str(self.tmp / "etude"), *super().command(*args)[1:]]

    def tried(self, sandbox):
        self.write("study.yaml", STUDY.replace("SANDBOX", sandbox))
        env = {**os.environ, "HOME": str(self.tmp)}
        checks = json.loads(subprocess.run(self.command("doctor", "--json"), capture_output=True, text=True, env=env,
                                           cwd=self.dir).stdout)["checks"]
        if next(c["status"] for c in checks if c["name"] == "sandbox") != "ok":
            self.skipTest("no user namespaces for a user who is not root")
        others = [subprocess.Popen([*self.prefix, "sleep", "600"]) for _ in range(40)]
        try:
            done = self.json("try", "study.yaml", env=env)
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertTrue(done["ok"], done)
        return {m["name"]: m["value"] for m in done["metrics"]} if isinstance(done["metrics"], list) else done["metrics"]

    def test_each_job_has_its_own_limit_of_processes(self):
        for sandbox in ("auto", "none"):
            with self.subTest(sandbox):
                found = self.tried(sandbox)
                self.assertEqual(found["limit"], 4096 + 256 * len(os.sched_getaffinity(0)) + 64)
                # It and its supervisor are counted; the forty that its user runs elsewhere are not.
                self.assertGreaterEqual(found["made"], 15)
                self.assertLess(found["made"], 20)


if __name__ == "__main__":
    unittest.main()
