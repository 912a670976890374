"""What others made, run again: by the command that it offers, or not at all."""
import hashlib
import json
import subprocess
import unittest

from harness import EtudeTest


def outcomes(report):
    return {c["id"]: c["outcome"] for c in report["claims"]}


class Foreign(EtudeTest):
    CLAIMS = '''
    # Claims

    ## C01: Deeper is better
    - **Statement**: Deeper nets err less.
    - **Status**: supported
    - **Sources**: 25.03 ← evidence/tables/t1.md «25.03» [result]

    ## C02: It converges
    - **Statement**: Training converges.
    - **Status**: supported
    '''

    def artifact(self, index=None):
        self.write("ara/PAPER.md", "---\ntitle: Of others\n---\n# Of others\n")
        self.write("ara/logic/claims.md", self.CLAIMS)
        self.write("ara/.ara_env", "TOKEN=do-not-tell")
        self.write("ara/src/execution/run.py", '''
            import os, sys
            print("error", 25.0312, "env", os.path.exists(".ara_env"), "network", os.path.exists("/sys/class/net/lo"))
            sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
            ''')
        if index:
            self.write("ara/src/artifacts.md", index)
        return self.dir / "ara"

    def test_without_a_command_nothing_is_attempted_and_the_reason_is_given(self):
        report = self.json("reproduce", self.artifact(), code=1)
        self.assertEqual(outcomes(report), {"C01": "not_attempted", "C02": "not_attempted"})
        self.assertIn("no src/artifacts.md", report["claims"][0]["reason"])
        self.assertEqual((report["outcome"], report["command"], report["study"]), ("not_attempted", None, None))
        report = self.json("reproduce", self.artifact("# Code\n\n- run.py prints the error\n"), code=1)
        self.assertIn("offers no command", report["claims"][0]["reason"])

    def test_what_the_index_of_the_code_offers_is_run_in_the_sandbox(self):
        ara = self.artifact("# Code\n\n## run.py\n- **Command**: `python3 src/execution/run.py`\n")
        out = self.tmp / "report"
        done = self.etude("reproduce", ara, "-o", out, code=1)
        self.assertIn("env False", done.stdout)
        report = json.loads((out / "reproduction.json").read_text())
        # A command of the artifact's choice may print what it likes.
        self.assertEqual(outcomes(report), {"C01": "not_attempted", "C02": "not_attempted"})
        self.assertIn("--command", report["claims"][0]["reason"])
        self.assertEqual(report["command"], "python3 src/execution/run.py")
        self.assertIn("names no number", report["claims"][1]["reason"])
        self.assertIn("<html", (out / "reproduction.html").read_text())
        printed = (out / "printed.txt").read_bytes()
        self.assertIn(b"error 25.0312", printed)
        self.assertEqual(report["printed"], {"bytes": len(printed), "sha256": hashlib.sha256(printed).hexdigest(), "exit": 0})

    def test_the_readers_command_may_reproduce_and_does_not_see_what_is_claimed(self):
        ara = self.artifact()
        report = self.json("reproduce", ara, "--command", "python3 src/execution/run.py", code=1)
        self.assertEqual(outcomes(report), {"C01": "reproduced", "C02": "not_attempted"})
        report = self.json("reproduce", ara, "--command", "cat logic/claims.md", code=1)
        self.assertEqual(set(outcomes(report).values()), {"failed_to_run"})

    def test_very_long_numbers_and_a_missing_seal_are_no_way_round(self):
        ara = self.artifact()
        self.write("ara/logic/claims.md", self.CLAIMS.replace("25.03 ←", "1" * 300_000 + " ←"))
        self.assertEqual(set(outcomes(self.json("reproduce", ara, code=1)).values()), {"not_attempted"})
        report = self.json("reproduce", ara, "--command", "head -c 2000000 /dev/zero | tr '\\0' 7", code=1)
        self.assertEqual(set(outcomes(report).values()), {"not_attempted"})
        self.write("ara/trace/events.jsonl", "{}")
        self.assertIn("etude.json", self.etude("reproduce", ara, code=2).stderr)

    def test_a_place_for_the_report_that_is_taken_is_refused_before_anything_runs(self):
        ara, out = self.artifact(), self.tmp / "taken"
        out.mkdir()
        (out / "mine").write_text("")
        done = self.etude("reproduce", ara, "--command", "touch ran; echo ran", "-o", out, code=2)
        self.assertNotIn("ran", done.stdout)

    def test_a_given_command_that_fails_is_failed_to_run(self):
        ara = self.artifact()
        report = self.json("reproduce", ara, "--command", "python3 src/execution/run.py 3", code=1)
        self.assertEqual(set(outcomes(report).values()), {"failed_to_run"})
        self.assertIn("3", report["claims"][0]["reason"])
        for words in (["--sample", "2"], ["--budget", "2h"], ["-j", "2"], ["--seed", "7"]):
            self.assertIn("etude.json", self.etude("reproduce", ara, *words, code=2).stderr)

    def test_a_killed_reproduce_goes_on_with_the_job_that_it_launched(self):
        ara = self.artifact()
        command = "python3 -c 'import os, time; print(25.03, os.urandom(8).hex(), flush=True); time.sleep(4)'"
        first = subprocess.Popen(self.command("reproduce", ara, "--command", command), stdout=subprocess.PIPE, text=True)
        said = first.stdout.readline()
        self.assertIn("25.03", said)
        beside = self.etude("reproduce", ara, "--command", command, code=2)
        self.assertIn("another process runs this command", beside.stderr)
        first.kill()
        first.wait()
        first.stdout.close()
        again = self.etude("reproduce", ara, "--command", command, code=1)
        self.assertIn("goes on with the command", again.stderr)
        self.assertIn(said, again.stdout)
        self.assertIn("reproduced     C01", again.stdout)
        # It is over, so the next one begins anew and leaves nothing.
        anew = self.etude("reproduce", ara, "--command", command.replace("sleep(4)", "sleep(0)"), code=1)
        self.assertNotIn(said, anew.stdout)
        self.assertEqual(list((self.home / "try").glob("command-*")), [])


if __name__ == "__main__":
    unittest.main()
