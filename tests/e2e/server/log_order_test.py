"""Both streams of a run in the one order in which its job wrote them."""
import unittest

from harness import until
from held import HOLD
from served import ServedTest

# Alternates between its streams, in as many writes as the pipes hold unread, is held with an unfinished line, and goes on.
JOB = '''
import os, sys
arm, seed, HOLD = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def say(stream, words):
    stream.write(words)
    stream.flush()
for i in range(50):
    say(sys.stderr if i % 2 else sys.stdout, f"{arm} {i}\\n")
say(sys.stdout, "not ")
say(sys.stderr, "a warning\\n")
''' + HOLD + '''
say(sys.stderr, "another\\n")
say(sys.stdout, "cut\\nand the ")
say(sys.stderr, "last\\n")
say(sys.stdout, "end")
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {len(arm) + seed % 97 / 1000}}}\\n')
'''

STUDY = '''
etude: 1
title: Study both
question: Does fast cost another amount than slower?
run: python3 -S job.py {{arm}} {{seed}} {hold}
factors:
  arm: {{levels: [slower, fast], baseline: slower}}
metrics:
  cost: {{unit: s, goal: minimize, primary: true}}
hypotheses:
  - id: H1
    statement: Fast does not cost what slower costs.
    test: {{metric: cost, treatment: {{arm: fast}}, control: {{arm: slower}}, direction: different}}
design: {{replicates: {{min: 2, max: 2}}, smoke: false}}
resources: {{timeout: 20m, sandbox: {sandbox}}}
'''


def expected(arm, ended=True):
    lines = [f"{'err' if i % 2 else 'out'}: {arm} {i}" for i in range(50)] + ["err: a warning"]
    if ended:
        lines += ["err: another", "out: not cut", "err: last", "out: and the end"]
    return "".join(line + "\n" for line in lines)


class LogOrder(ServedTest):
    def opened(self, sandbox):
        """A study of which one run is held."""
        folder = self.tmp / "both"
        folder.mkdir()
        hold = self.tmp / "both.hold"
        hold.touch()
        # Outside the sandbox a job is held by a file that is not in it.
        (folder / "job.py").write_text(JOB.lstrip())
        (folder / "study.yaml").write_text(STUDY.format(hold=hold if sandbox == "none" else "nothing", sandbox=sandbox).lstrip())
        return self.post("/studies", {"path": str(folder / "study.yaml"), "jobs": 1}, 201)["id"]

    def ended_runs(self, ident):
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        runs = self.get(f"/studies/{ident}/runs")["items"]
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})
        return runs

    def merged(self, run, status=200, **kw):
        return self.get(f"/runs/{run}/log?stream=both", status, **kw)

    def check_ended(self, ident):
        runs = self.ended_runs(ident)
        self.assertEqual(len(runs), 4)
        for run in runs:
            wanted = expected(run["factors"]["arm"])
            self.assertEqual(self.merged(run["id"]).decode(), wanted)
            self.assertEqual(self.etude("run-log", run["id"]).stdout, wanted)
            # Each stream alone is as it was written.
            for stream in ("stdout", "stderr"):
                alone = self.get(f"/runs/{run['id']}/log?stream={stream}").decode()
                self.assertEqual(alone.splitlines(), [line[5:] for line in wanted.splitlines() if line.startswith(stream[3:])])
                self.assertEqual(self.etude("run-log", run["id"], "--stream", stream).stdout, alone)
        piece, said = self.ask("GET", f"/runs/{runs[0]['id']}/log?stream=both", headers={"Range": "bytes=5-20"})
        self.assertEqual((piece.status, said.decode()), (206, expected(runs[0]["factors"]["arm"])[5:21]))
        self.assertTrue(self.json("verify")["ok"])
        return runs

    def test_in_a_sandbox(self):
        if next(check["status"] for check in self.json("doctor", code=None)["checks"] if check["name"] == "sandbox") != "ok":
            self.skipTest("no sandbox on this machine")
        self.serve()
        runs = self.check_ended(self.opened("require"))
        self.assertTrue(all(run["sandboxed"] for run in runs))
        self.problem(400, "GET", f"/runs/{runs[0]['id']}/log?stream=all")

    def test_without_a_sandbox_and_while_it_runs_also_after_its_kernel_was_killed(self):
        self.serve()
        ident = self.opened("none")
        first = f"{ident}-r1"
        until(lambda: self.get(f"/runs/{first}")["state"] == "running")
        arm = self.get(f"/runs/{first}")["factors"]["arm"]
        so_far = expected(arm, ended=False)
        until(lambda: self.merged(first).decode() == so_far)
        self.assertEqual(self.etude("run-log", first).stdout, so_far)
        self.server.kill()
        self.server.communicate()
        self.serve()
        self.assertEqual(self.merged(first).decode(), so_far)
        self.let_go("both")
        self.check_ended(ident)

    def test_without_marks_of_an_older_supervisor_both_streams_are_served_apart(self):
        self.serve()
        ident = self.opened("none")
        first = f"{ident}-r1"
        until(lambda: self.get(f"/runs/{first}")["state"] == "running")
        (marks,) = until(lambda: list(self.home.glob(f"runs/{ident}/*/log-order")))
        marks.unlink()
        self.problem(404, "GET", f"/runs/{first}/log?stream=both")
        self.let_go("both")
        runs = self.ended_runs(ident)
        old = next(run for run in runs if run["id"] == first)
        self.assertNotIn("log_order", old["blobs"])
        self.problem(404, "GET", f"/runs/{first}/log?stream=both")
        out = self.get(f"/runs/{first}/log?stream=stdout").decode()
        err = self.get(f"/runs/{first}/log?stream=stderr").decode()
        self.assertEqual(self.etude("run-log", first).stdout, f"==> stdout <==\n{out}\n==> stderr <==\n{err}")
        self.assertIn("log_order", runs[1]["blobs"])


if __name__ == "__main__":
    unittest.main()
