"""A package that an engineer's code lacks: asked for by a tool, allowed by a person, set up, and there in a reproduction."""
import signal
import subprocess
import unittest

from harness import NOISY_JOB, PATIENCE, until, verdicts
from thinking_test_case import SCRIPT, STUDY, ThinkingTest, mends, reviews_change

# Makes a package for each line of requirements.txt, as an installer would.
SETUP = '''
mkdir .deps
while read -r line; do
  name=${line%%==*}
  [ "$name" = nosuch ] && { echo "no package is called $name" >&2; exit 1; }
  echo "NAME = '$name'" > .deps/$name.py
done < requirements.txt
'''
JOB = "import sys\nsys.path.insert(0, '.deps')\nimport costs\n" + NOISY_JOB
WITH_SETUP = STUDY.replace("sandbox: none", "sandbox: auto") + '''
environment: {setup: {run: sh setup.sh, key: [requirements.txt]}}
'''


class Dependency(ThinkingTest):
    def setUp(self):
        super().setUp()
        self.study(WITH_SETUP, JOB)
        self.write("setup.sh", SETUP)
        self.write("requirements.txt", "plots==2.0\n")

    def serve(self, *mending):
        self.configure(self.server(fixtures=reviews_change("requirements.txt") + SCRIPT + list(mending)).url)

    def until_asked(self):
        """Runs the study until its first gate waits."""
        kernel = subprocess.Popen(self.command("--config", self.config, "run", "study.yaml", "-o", self.tmp / "ara"),
                                  cwd=self.dir, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: kernel.poll() is None and kernel.kill())

        def asked():
            studies = self.json("ls")
            if studies and (gates := self.json("show", studies[0]["id"])["gates"]):
                return kernel, studies[0]["id"], gates[0]
            if kernel.poll() is not None:
                self.fail("it ended before it asked: " + kernel.communicate()[1])
            return None

        return until(asked)

    def ended(self, kernel, code=0):
        _, said = kernel.communicate(timeout=PATIENCE)
        self.assertEqual(kernel.returncode, code, said)

    def test_a_person_allows_it_and_the_environment_is_set_up_anew(self):
        self.serve(
            mends(0, "read_log", {"run": 3}),
            mends(1, "write_file", {"path": "requirements.txt", "content": "costs==1.0\n"}),
            mends(2, "add_dependency", {"file": "requirements.txt", "line": "--index-url http://127.0.0.1/", "why": "A mirror."}),
            mends(3, "add_dependency", {"file": "old.txt", "line": "costs==1.0", "why": "It imports costs."}),
            mends(4, "add_dependency", {"file": "requirements.txt", "line": "costs==1.0", "why": "job.py imports costs."}),
            mends(5, "request_runs", {"settings": {"arm": "fsat"}}),
            # The set-up is a person's: another one in the branch is never run.
            mends(6, "write_file", {"path": "setup.sh", "content": "exit 1"}),
            mends(7, "finish", {"summary": "The package costs was missing."}))
        kernel, id, gate = self.until_asked()
        self.assertIn("add_dependency", gate["what"])
        self.assertIn("costs==1.0", gate["arguments"])
        self.etude("approve", gate["id"])
        self.ended(kernel)
        study = self.json("show", id)
        self.assertEqual(verdicts(study), {"H1": "supported"})
        runs = self.lines("runs", id)
        self.assertEqual([r["state"] for r in runs if r["stage"] == "setup"], ["succeeded", "succeeded"])
        answers = [e["payload"]["answer"] for e in self.events(id, "ToolReturned") if e["payload"]["answer"]["tool"] in
                   ("write_file", "add_dependency", "request_runs")]
        self.assertEqual([a["refused"] for a in answers], [True, True, True, False, True, False])
        self.assertIn("only a person may add options and comments", self.told(answers[1]))
        self.assertIn("from requirements.txt, and not from that file", self.told(answers[2]))
        self.assertIn("no level fsat, but slow, fast, same", self.told(answers[4]))
        amended = self.events(id, "WorkspaceAmended")[0]["payload"]
        self.assertNotEqual(amended["setup"]["workspace"]["hash"], amended["workspace"]["hash"])
        self.assertEqual((self.dir / "requirements.txt").read_text(), "plots==2.0\n")
        written = self.tmp / "ara/src/workspace" / amended["workspace"]["hash"] / "requirements.txt"
        self.assertEqual(written.read_text(), "plots==2.0\ncosts==1.0\n")
        self.etude("check", self.tmp / "ara", "--strict")
        self.assertEqual(self.json("audit", self.tmp / "ara")["findings"], [])
        self.assertTrue(self.json("verify")["ok"])
        self.assertEqual(self.json("reproduce", self.tmp / "ara")["outcome"], "reproduced")

    def test_a_person_who_says_no_keeps_the_environment_as_it_is(self):
        self.serve(
            mends(0, "add_dependency", {"file": "requirements.txt", "line": "costs==1.0", "why": "job.py imports costs."}),
            mends(1, "edit_file", {"path": "job.py", "old": "import costs\n", "new": ""}),
            mends(2, "finish", {"summary": "The import did nothing."}))
        kernel, id, gate = self.until_asked()
        self.etude("reject", gate["id"], "--why", "no new packages here")
        self.ended(kernel)
        self.assertEqual(verdicts(self.json("show", id)), {"H1": "supported"})
        self.assertEqual([r["number"] for r in self.lines("runs", id) if r["stage"] == "setup"], [1])
        self.assertNotIn("setup", self.events(id, "WorkspaceAmended")[0]["payload"])

    def test_a_kernel_that_is_killed_again_and_again_sets_up_what_was_allowed(self):
        self.study(WITH_SETUP + "gates: [{on: tool, tools: [add_dependency], wait: 10ms, otherwise: approve}]\n", JOB)
        self.serve(
            mends(0, "add_dependency", {"file": "requirements.txt", "line": "costs==1.0", "why": "job.py imports costs."}),
            mends(1, "finish", {"summary": "The package costs was missing."}))
        verb, kills = ("run", "study.yaml", "-o", self.tmp / "ara"), 0
        while True:
            env = self.env | {"ETUDE_FAULT": f"kill-after-commit:{5 + kills % 3}"}
            done = self.etude("--config", self.config, *verb, code=None, env=env)
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            verb, kills = ("resume", "s1"), kills + 1
            if self.json("show", "s1")["state"] == "ended":  # Killed after its last event.
                break
        self.assertGreater(kills, 5)
        self.assertEqual(verdicts(self.json("show", "s1")), {"H1": "supported"})
        self.assertEqual([r["state"] for r in self.lines("runs", "s1") if r["stage"] == "setup"], ["succeeded", "succeeded"])
        self.assertEqual(self.json("audit", self.tmp / "ara")["findings"], [])
        self.assertTrue(self.json("verify")["ok"])

    def test_a_package_that_is_not_there_is_a_persons_to_mend(self):
        self.serve(
            mends(0, "add_dependency", {"file": "requirements.txt", "line": "nosuch==9", "why": "It may help."}),
            mends(1, "finish", {"summary": "A package was missing."}))
        kernel, id, gate = self.until_asked()
        self.etude("approve", gate["id"])
        self.ended(kernel, code=3)
        study = self.json("show", id)
        self.assertEqual((study["state"], study["reason"]), ("paused", "setup"))
        self.assertIn(f"mend what it is made from, then `etude amend {id}", study["detail"])
        # Resumed as it is it fails no second time: nothing changed.
        self.etude("--config", self.config, "resume", id, code=3, env=self.env)
        self.write("requirements.txt", "plots==2.0\ncosts==1.0\n")
        self.etude("--config", self.config, "amend", id, "--why", "the name was wrong", env=self.env)
        self.etude("--config", self.config, "resume", id, env=self.env)
        self.assertEqual(verdicts(self.json("show", id)), {"H1": "supported"})
        self.assertEqual([r["state"] for r in self.lines("runs", id) if r["stage"] == "setup"],
                         ["succeeded", "failed", "succeeded"])
        self.assertEqual(self.json("audit", self.tmp / "ara")["findings"], [])


if __name__ == "__main__":
    unittest.main()
