"""What a job leaves: how much of it is read and kept, and that nothing is dropped in silence."""
import json
import os
import subprocess
import unittest

from harness import EtudeTest

STUDY = '''
etude: 1
title: What is left
question: What becomes of what a job leaves?
run: python3 -S job.py {arm} {seed}
factors:
  arm: {levels: [a, b], baseline: a}
metrics:
  cost: {primary: true}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 10m}
'''
JOB = '''
import json, os, sys
arm, seed, out = sys.argv[1], int(sys.argv[2]), os.environ["ETUDE_OUTPUT"]
metrics = os.environ["ETUDE_METRICS"]
open(metrics, "a").write(json.dumps({"name": "cost", "value": 1 + seed % 17}) + "\\n")
'''


class Outputs(EtudeTest):
    def one_run(self, job, study=STUDY):
        """The first run of arm b, after the study."""
        self.study(study, JOB + job)
        ident = self.run_study(code=None)["id"]
        return next(r for r in self.lines("runs", ident) if r["factors"]["arm"] == "b")

    def test_metrics_beyond_the_limit_cost_the_kernel_little_and_make_the_run_invalid(self):
        self.study(STUDY, JOB + '''
if arm == "b":
    line = json.dumps({"name": "loss", "value": 0.123456, "step": 1000000}) + "\\n"
    open(metrics, "a").write(line * (60_000_000 // len(line)))
''')
        kernel = subprocess.Popen(self.command("run", "study.yaml", "--json"), cwd=self.dir, stdout=subprocess.PIPE)
        out = kernel.stdout.read()
        _, status, usage = os.wait4(kernel.pid, 0)
        kernel.returncode = os.waitstatus_to_exitcode(status)
        kernel.stdout.close()
        study = json.loads(out.splitlines()[-1])
        self.assertEqual(study["outcome"], "concluded")
        if not os.environ.get("ETUDE_SANITIZE"):  # whose shadow is as large again
            self.assertLess(usage.ru_maxrss, 160_000, "kB")
        runs = self.lines("runs", study["id"])
        self.assertEqual({(r["factors"]["arm"], r["state"]) for r in runs}, {("a", "succeeded"), ("b", "invalid")})
        self.assertEqual({r["reason"] for r in runs if r["state"] == "invalid"}, {"its metrics file is larger than 32 MB"})

    def test_a_metrics_file_that_is_a_link_is_refused_by_name(self):
        run = self.one_run('''
if arm == "b":
    os.remove(metrics)
    os.symlink("/etc/passwd", metrics)
''', STUDY.replace("timeout: 10m", "timeout: 10m, sandbox: none"))
        self.assertEqual(run["state"], "failed")
        self.assertIn("its metrics file is not read: a symbolic link", run["reason"])

    def test_outputs_that_cannot_be_kept_are_counted_and_named_in_record_and_artifact(self):
        run = self.one_run('''
if arm == "b":
    os.symlink("/etc/passwd", out + "/secret")
    os.mkfifo(out + "/pipe")
    for i in range(1010): open(f"{out}/{i:04}.txt", "w").write("x")
''')
        left = run["outputs_left_out"]
        self.assertEqual((left["count"], left["more"]), (12, False))
        self.assertIn("secret: a symbolic link", left["named"])
        self.assertIn("1009.txt: too many files", left["named"])
        pages = (self.dir / "study-ara/evidence/logs/log_pointers.md").read_text()
        self.assertIn("secret: a symbolic link", pages)
        sealed = json.loads((self.dir / "study-ara/etude.json").read_text())
        entry = next(r for r in sealed["runs"] if r["id"] == run["id"])
        self.assertEqual(entry["outputs_left_out"], left)
        self.assertEqual(len(entry["outputs"]), 1000)
        self.assertTrue(self.json("check", self.dir / "study-ara", "--strict")["ok"])
        self.assertTrue(self.json("verify")["ok"])

    def test_keep_says_which_outputs_are_kept(self):
        run = self.one_run('''
for path in ("a.json", "deep/b.json", "deep/c.bin", "plots/x/y.png", "no.json", "z.txt"):
    os.makedirs(os.path.dirname(f"{out}/{path}"), exist_ok=True)
    open(f"{out}/{path}", "w").write(path)
''', STUDY + 'outputs: {keep: ["*.json", "!no.json", plots]}\n')
        sealed = json.loads((self.dir / "study-ara/etude.json").read_text())
        entry = next(r for r in sealed["runs"] if r["id"] == run["id"])
        self.assertEqual([o["path"] for o in entry["outputs"]], ["a.json", "deep/b.json", "plots/x/y.png"])
        self.assertEqual(run["outputs_left_out"]["count"], 0)


if __name__ == "__main__":
    unittest.main()
