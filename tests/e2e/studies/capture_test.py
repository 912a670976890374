"""Research that a person does by hand: commands, notes, decisions and dead ends on the record, and none of it evidence."""
import json
import os
import signal
import subprocess
import unittest

from harness import PATIENCE, EtudeTest, until

TRAIN = '''
import json, os, sys
lr = float(sys.argv[1])
with open(os.environ["ETUDE_METRICS"], "a") as out:
    for step, value in enumerate([2.0, lr * 3]):
        out.write(json.dumps({"name": "loss", "value": value, "step": step}) + "\\n")
    out.write("no metric\\n")
open("model.txt", "w").write(str(lr))
open(os.path.join(os.environ["ETUDE_OUTPUT"], "kept.txt"), "w").write("kept")
print("trained at", lr)
print("careful", file=sys.stderr)
'''


class Capture(EtudeTest):
    def capture(self, *words, code=0, options=(), **kw):
        return self.etude("exec", *options, "--", *words, code=code, **kw)

    def captured(self, *words, code=0, options=()):
        return json.loads(self.capture(*words, code=code, options=["--json", *options]).stdout)

    def graph(self, id):
        return self.json("graph", id)["nodes"]

    def test_a_command_runs_where_the_person_is_and_is_a_scratch_run(self):
        self.write("train.py", TRAIN)
        done = self.capture("python3", "train.py", "0.25")
        self.assertEqual(done.stdout, "trained at 0.25\n")
        self.assertIn("careful\n", done.stderr)
        self.assertIn("s1-r1 succeeded", done.stderr)
        self.assertIn("loss = 0.75", done.stderr)
        self.assertEqual((self.dir / "model.txt").read_text(), "0.25")
        run = self.lines("runs", "s1")[0]
        self.assertEqual((run["purpose"], run["state"], run["evidence"], run["exit"]), ("scratch", "succeeded", False, 0))
        self.assertEqual((run["metrics"], run["malformed_metrics"]), ({"loss": 0.75}, 1))
        self.assertEqual(run["command"], ["python3", "train.py", "0.25"])
        self.assertEqual((run["folder"], run["sandboxed"]), (str(self.dir), False))
        self.assertGreater(run["usage"]["rss_peak_bytes"], 0)
        # The code as it was at that time, and as it is after a change.
        self.write("train.py", TRAIN + "print('changed')\n")
        again = self.captured("python3", "train.py", "0.5")
        self.assertEqual(again["id"], "s1-r2")
        self.assertNotEqual(again["workspace"], run["workspace"])
        self.assertEqual(self.etude("run-log", "s1-r1", "--stream", "stdout").stdout, "trained at 0.25\n")
        study = self.only_id()
        shape = self.json("show", study)
        self.assertEqual((shape["state"], shape["stage"], shape["runs"]["scratch"]), ("running", "capturing", 2))
        self.assertTrue(self.json("verify")["ok"])

    def test_its_status_is_ours(self):
        self.capture("sh", "-c", "exit 3", code=3)
        self.capture("sh", "-c", "exit 75", code=75)
        self.capture("sh", "-c", "kill -9 $$", code=137)
        self.capture("sleep", "1000", code=1, options=["--timeout", "1s"])
        runs = self.lines("runs", self.only_id())
        self.assertEqual([run["state"] for run in runs], ["failed", "failed", "failed", "timed_out"])
        self.assertEqual([run["retry_of"] for run in runs], [None] * 4)

    def test_words_pass_as_they_are(self):
        odd = ["{seed} {x}", "a b", "'", '"$HOME"', "", "\\", "ünï"]
        done = self.capture("python3", "-c", "import sys, json; print(json.dumps(sys.argv[1:]))", *odd)
        self.assertEqual(json.loads(done.stdout), odd)
        done = self.capture("printf", r"\033[31mred\r\n")
        self.assertEqual(done.stdout, "\x1b[31mred\n")  # As the terminal gets it; text mode makes \r\n one.

    def test_in_the_sandbox_it_has_a_copy(self):
        done = self.captured("sh", "-c", "pwd; echo x > made.txt", options=["--sandbox"])
        self.assertEqual((done["state"], done["sandboxed"], done["folder"]), ("succeeded", True, None))
        self.assertEqual(self.etude("run-log", done["id"]).stdout, "/etude/work\n")
        self.assertFalse((self.dir / "made.txt").exists())

    def test_no_key_reaches_it_or_the_record(self):
        env = {**os.environ, "OPENAI_API_KEY": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF", "PYTHONPATH": "/x"}
        done = self.capture("env", env=env)
        self.assertNotIn("OPENAI_API_KEY", done.stdout)
        self.assertIn("PYTHONPATH=/x\n", done.stdout)
        key = "sk-ant-api03-" + "Ab3" * 30 + "-AAAAAAAA"
        self.assertIn("contains a key", self.capture("echo", key, code=2).stderr)
        self.etude("note", f"it ran with {key}")
        events = self.etude("log", self.only_id(), "--json").stdout
        self.assertNotIn(key, events)
        self.assertIn("[redacted", events)

    def test_the_journey_is_a_graph_and_is_recalled(self):
        self.capture("true")
        self.etude("note", "The loss is noisy below 0.1", "--run", "r1")
        self.etude("decision", "Use Adam", "--alternative", "SGD", "--alternative", "Lion", "--why", "it needs no schedule")
        self.etude("dead-end", "Warm restarts", "--why", "they diverge", "--lesson", "clip first", "--run", "s1-r1")
        question, ran, noted, decided, dead = self.graph("s1")
        self.assertEqual([n["type"] for n in (question, ran, noted, decided, dead)],
                         ["question", "experiment", "insight", "decision", "dead_end"])
        self.assertEqual((noted["parents"], noted["runs"], noted["by"]), ([ran["id"]], ["s1-r1"], "person"))
        self.assertEqual(decided["fields"], {"choice": "Use Adam", "rationale": "it needs no schedule"})
        self.assertEqual(decided["alternatives"], ["SGD", "Lion"])
        self.assertEqual(dead["fields"], {"hypothesis": "Warm restarts", "why_failed": "they diverge",
                                          "failure_mode": "they diverge", "lesson": "clip first"})
        shown = self.etude("show", "s1").stdout
        self.assertIn("note: The loss is noisy below 0.1", shown)
        self.assertIn("dead end: Warm restarts", shown)
        self.assertEqual([one["kind"] for one in self.json("recall", "restarts")], ["dead_end"])
        self.assertEqual(self.json("recall", "Lion", "--where", "kind=decision")[0]["address"], f"s1/{decided['id']}")

    def test_it_ends_as_an_artifact_without_claims(self):
        self.write("train.py", TRAIN)
        self.capture("python3", "train.py", "0.5")
        self.etude("note", "Half is enough: 0.5 gives 1.5", "--run", "r1")
        self.etude("dead-end", "Larger steps")
        self.etude("decision", "Go on at 0.5")
        said = self.etude("conclude").stdout
        artifact = self.dir / "s1-ara"
        self.assertIn(str(artifact), said)
        checked = self.json("check", artifact)
        self.assertEqual([f for f in checked["findings"] if f["severity"] == "error"], [], checked)
        self.assertEqual(checked["warnings"], 0, checked)
        audited = self.json("audit", artifact)
        self.assertEqual([f for f in audited["findings"] if f["severity"] in ("error", "critical")], [], audited)
        staged = (artifact / "staging/observations.yaml").read_text()
        self.assertIn('content: "Half is enough: 0.5 gives 1.5"', staged)
        self.assertIn("promoted: false", staged)
        self.assertIn("provenance: user", staged)
        tree = (artifact / "trace/exploration_tree.yaml").read_text()
        self.assertIn("s1-r1 succeeded, loss = 1.5", tree)
        self.assertNotIn("ai-executed", tree)
        self.assertIn("By hand", (artifact / "report.md").read_text())
        code = [path for path in artifact.glob("src/workspace/*/train.py")]
        self.assertEqual([path.read_text() for path in code], [TRAIN.lstrip("\n")])
        # What was noted is regenerated from the log: a word put into its mouth is found.
        page = artifact / "staging/observations.yaml"
        page.write_text(staged.replace("promoted: false", "promoted: true"))
        self.assertIn("staging/observations.yaml", self.etude("audit", artifact, code=1).stdout)
        self.assertIn("has ended", self.etude("note", "late", "--study", "s1", code=2).stderr)
        self.assertIn("s2 captures", self.etude("note", "a new one begins").stderr)

    def test_bad_input_is_one_clear_error_and_begins_nothing(self):
        for args, said in [(["exec"], "there is no command"), (["exec", "--"], "there is no command"),
                           (["exec", "--", "no-such-program-at-all"], "there is no such program"),
                           (["exec", "--stuby", "s1", "--", "true"], "stuby"),
                           (["exec", "--timeout", "soon", "--", "true"], "is not a duration"),
                           (["exec", "--study", "s7", "--", "true"], "s7"),
                           (["note", ""], "says nothing"), (["note", " \n"], "says nothing"),
                           (["note", "z", "--run", "r1"], "no study is open"), (["note", "y" * 5000], "more than 4000 bytes"),
                           (["note"], "TEXT"), (["conclude"], "no study is open")]:
            done = self.etude(*args, code=2)
            self.assertIn(said, done.stderr, args)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(self.json("ls"), [])
        huge = subprocess.run(self.command("note", "-"), input="x" * 10_000_000, text=True, capture_output=True, cwd=self.dir)
        self.assertEqual(huge.returncode, 2)
        self.assertIn("more than 4000 bytes", huge.stderr)
        self.etude("note", "there is one study", "--study", "new")
        id = self.json("ls")[-1]["id"]
        self.assertIn("more than 4000 bytes", self.etude("note", "y" * 5000, code=2).stderr)
        self.assertIn("no run r9", self.etude("note", "z", "--run", "r9", code=2).stderr)
        self.assertIn("no hypothesis H1", self.etude("note", "z", "--about", "H1", code=2).stderr)
        self.etude("note", "bell \a and \x1b[31mred")
        for shown in (self.etude("show", id).stdout, self.etude("graph", id).stdout):
            self.assertNotIn("\x1b[31m", shown)
            self.assertNotIn("\a", shown)

    def test_a_killed_exec_loses_nothing(self):
        waits = "echo begun; until test -e go; do sleep 0.05; done; echo done > end.txt; echo over"
        runs = subprocess.Popen(self.command("exec", "--", "sh", "-c", waits), cwd=self.dir, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(runs.stdout.readline(), "begun\n")
        runs.kill()
        runs.wait()
        runs.stdout.close()
        # It goes on under its supervisor, and the next kernel records its end.
        resumed = subprocess.Popen(self.command("resume"), cwd=self.dir, stdout=subprocess.DEVNULL)
        until(lambda: self.json("ls")[0]["owner"] == resumed.pid)
        self.assertFalse((self.dir / "end.txt").exists())
        (self.dir / "go").touch()
        self.assertEqual(resumed.wait(PATIENCE), 0)
        self.assertEqual((self.dir / "end.txt").read_text(), "done\n")
        run, = self.lines("runs", "s1")
        self.assertEqual((run["state"], run["exit"]), ("succeeded", 0))
        self.assertEqual(self.etude("run-log", "s1-r1").stdout, "begun\nover\n")
        self.assertIn("nothing to resume", self.etude("resume").stdout)

    def test_an_interrupt_ends_the_command(self):
        runs = subprocess.Popen(self.command("exec", "--", "sh", "-c", "echo begun; sleep 1000"), cwd=self.dir,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(runs.stdout.readline(), "begun\n")
        runs.send_signal(signal.SIGINT)
        runs.communicate(timeout=PATIENCE)
        self.assertEqual(runs.returncode, 130)
        run, = self.lines("runs", "s1")
        self.assertEqual(run["state"], "cancelled")

    def test_several_at_once_share_a_study_and_a_home(self):
        def begin(word, status):
            waits = f"echo {word}; until test -e {word}; do sleep 0.05; done; exit {status}"
            command = subprocess.Popen(self.command("exec", "--", "sh", "-c", waits), cwd=self.dir,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(command.stdout.readline(), word + "\n")
            return command

        # The first one has the home: the second is its client, and goes on when it leaves.
        for word, command, status in [("one", begin("one", 5), 5), ("two", begin("two", 6), 6)]:
            (self.dir / word).touch()
            command.communicate(timeout=PATIENCE)
            self.assertEqual(command.returncode, status)
        self.etude("note", "both ended")
        self.assertEqual([run["exit"] for run in self.lines("runs", self.only_id())], [5, 6])
        self.assertTrue(self.json("verify")["ok"])

    def test_beside_a_study_that_is_paused(self):
        self.study()
        self.write("study.yaml", (self.dir / "study.yaml").read_text() + "gates: [{on: experiments, otherwise: pause}]\n")
        id = self.run_study(code=None)["id"]
        self.assertEqual(self.json("show", id)["state"], "paused")
        self.etude("note", "Slow may be faster than it looks", "--about", "H1")
        self.etude("note", "Fast never costs more", "--about", "H2")
        self.assertIn("no process works on it", self.capture("true", code=2).stderr)
        self.etude("approve", f"{id}-g1")
        study = self.lines("resume", id)[-1]
        self.assertEqual(study["outcome"], "concluded")
        artifact = self.dir / "study-ara"
        staged = (artifact / "staging/observations.yaml").read_text()
        self.assertIn("hypothesis: H1", staged)
        # H1 has its verdict: the claim is the kernel's, and the observation says which.
        self.assertIn("promoted_to: C01", staged)
        self.etude("check", artifact, "--strict")
        self.assertEqual(self.json("audit", artifact)["findings"], [])


if __name__ == "__main__":
    unittest.main()
