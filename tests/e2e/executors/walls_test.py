"""Where no sandbox can be made: `sandbox: auto` warns once and confines jobs by what is left, `require` refuses."""
import ctypes
import json
import os
import pathlib
import unittest

from harness import JOB, STUDY, EtudeTest, verdicts

LANDLOCK_CREATE_RULESET, VERSION_FLAG = 444, 1

# Appends to its own log what it could reach.
CURIOUS = '''
import os, socket
def tried(what, how):
    try:
        how()
        print("reached", what)
    except OSError as e:
        print("kept from", what)
tried("secret", lambda: open(SECRET).read())
tried("home", lambda: os.listdir(HOME))
tried("outside", lambda: open(SECRET + ".new", "w"))
tried("network", lambda: socket.socket(socket.AF_INET))
tried("own files", lambda: (open("note", "w").close(), open(os.environ["ETUDE_OUTPUT"] + "/kept", "w").close()))
'''


def has_landlock():
    return ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, VERSION_FLAG) > 0


class Walls(EtudeTest):
    on_disk = True

    def setUp(self):
        super().setUp()
        # A bubblewrap that can make no namespace, found before the machine's.
        self.write("bin/bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", 0o755)
        self.env = {**os.environ, "PATH": f"{self.dir}/bin:{os.environ['PATH']}"}
        self.secret = self.tmp / "secret"
        self.secret.write_text("secret")

    def test_auto_warns_once_and_confines(self):
        if not has_landlock():
            self.skipTest("no Landlock")
        job = JOB + CURIOUS.replace("SECRET", repr(str(self.secret))).replace("HOME", repr(str(self.home)))
        self.study(job=job)
        done = self.etude("run", "study.yaml", "-o", "ara", env=self.env)
        warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: sandbox: ")]
        self.assertEqual(len(warnings), 1, done.stderr)
        self.assertIn("jobs are held by Landlock ", warnings[0])
        self.assertEqual(verdicts(self.json("show", "s1")), {"H1": "supported", "H2": "refuted"})
        runs = self.lines("runs", "s1")
        self.assertEqual({(run["state"], run["sandboxed"]) for run in runs}, {("succeeded", False)})
        log = self.etude("run-log", runs[0]["id"]).stdout
        self.assertEqual([line for line in log.splitlines() if line.startswith(("reached", "kept"))],
                         ["kept from secret", "kept from home", "kept from outside", "kept from network", "reached own files"])
        self.assertFalse(pathlib.Path(f"{self.secret}.new").exists())
        report = (self.dir / "ara/report.md").read_text()
        self.assertIn("**walls**: Landlock ", report)
        self.assertIn("a filter of system calls", report)
        self.etude("check", "ara", "--strict")
        self.etude("audit", "ara")

    def test_require_refuses_and_so_does_what_rests_on_the_sandbox(self):
        self.study(STUDY.replace("timeout: 10m", "timeout: 10m, sandbox: require"))
        self.assertIn("`resources.sandbox` is `require`", self.etude("run", "study.yaml", env=self.env, code=3).stderr)
        self.study(STUDY.replace("design:", "evaluator: {protect: [job.py]}\ndesign:"))
        self.assertIn("only a sandbox keeps jobs from what scores them",
                      self.etude("run", "study.yaml", env=self.env, code=3).stderr)
        self.assertEqual(self.json("ls"), [])

    def test_doctor_says_what_holds_jobs(self):
        checks = json.loads(self.etude("doctor", "--json", env=self.env, code=None).stdout)["checks"]
        sandbox = next(check for check in checks if check["name"] == "sandbox")
        self.assertEqual(sandbox["status"], "warn")
        self.assertIn("No permissions to create new namespace; jobs are held by ", sandbox["detail"])

    def test_a_study_that_began_in_a_sandbox_does_not_go_on_without(self):
        checks = json.loads(self.etude("doctor", "--json", code=None).stdout)["checks"]
        if next(check["status"] for check in checks if check["name"] == "sandbox") != "ok":
            self.skipTest("no sandbox on this machine")
        self.study(STUDY.replace("runs: 100", "runs: 10"))
        self.assertEqual(self.run_study(code=None)["state"], "paused")
        self.etude("resume", "s1", "--budget", "runs=100", env=self.env, code=None)
        later = [run for run in self.lines("runs", "s1") if run["state"] != "succeeded"]
        self.assertTrue(later)
        self.assertTrue(all("no sandbox: " in (run["reason"] or "") for run in later), later)


if __name__ == "__main__":
    unittest.main()
