"""Makes the home of tests/e2e/home/recorded and the artifacts of tests/artifacts/fixtures: small studies of every kind, as one
program ran them. It is run by hand, once for each generation of fixtures; recorded_home_test.py compares.

    ETUDE=build/etude PYTHONPATH=tests/e2e/support:tests/e2e/studies python3 tests/e2e/home/record_home.py FOLDER [PART ...]

FOLDER (its path is recorded) gets a folder for each study, and `home`.
"""
import os
import pathlib
import socket
import subprocess
import sys
import time

import amend_test
import blocks_test
import code_search_case
import looks_test
import search_test
import stages_test
from harness import NOISY_JOB, NOISY_STUDY, EtudeTest
from scripted_model import ScriptedModel
from thinking_test_case import FAST, STUDY as THINKING

METHODS_JOB = '''
import json, os, random, sys
arm, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
noise = random.Random(f"{arm} {n} {seed}")
base = {"slow": 20 + 2 * n, "fast": 10 + 2 * n, "same": 20 + 2 * n, "odd": 30 - 8 * n}[arm]
wait = {"slow": 9.0, "fast": 3.0, "same": 9.0, "odd": 6.0}[arm] + noise.gauss(0, 1)
points = [{"name": "cost", "value": base + noise.gauss(0, 0.5)},
          {"name": "solved", "value": int(noise.random() < {"fast": 0.99}.get(arm, 0.05))},
          {"name": "wait", "value": min(wait, 8.5), "censored": wait > 8.5}]
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write("".join(json.dumps(p) + "\\n" for p in points))
'''
METHODS = '''
etude: 1
title: Every method
question: How do the arms compare, by each of the tests?
run: python3 job.py {arm} {n} {seed}
factors:
  arm: {levels: [slow, fast, same, odd], baseline: slow}
  n: {levels: [1, 2], type: int}
metrics:
  cost: {unit: s, goal: minimize, primary: true}
  solved: {type: proportion, goal: maximize}
  wait: {type: time, censor: right, unit: s, goal: minimize}
hypotheses:
  - {id: H1, statement: Fast costs less., mechanism: it does less, test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less, margin: {relative: 0.1}}}
  - {id: H2, statement: Fast costs more., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: greater}}
  - {id: H3, statement: Same has other ranks., test: {metric: cost, treatment: {arm: same}, control: {arm: slow}, where: {n: 1}, direction: different, method: rank}}
  - {id: H4, statement: Cost grows with size., test: {kind: slope, metric: cost, along: n, where: {arm: slow}, direction: greater}}
  - {id: H5, statement: Odd falls where slow rises., test: {kind: interaction, metric: cost, along: n, treatment: {arm: odd}, control: {arm: slow}, direction: less}}
  - {id: H6, statement: Odd crosses slow., test: {kind: crossover, metric: cost, along: n, treatment: {arm: odd}, control: {arm: slow}, direction: less}}
  - {id: H7, statement: Fast solves more often., test: {metric: solved, treatment: {arm: fast}, control: {arm: slow}, where: {n: 1}, direction: greater}}
  - {id: H8, statement: Fast waits less., test: {metric: wait, treatment: {arm: fast}, control: {arm: slow}, where: {n: 1}, direction: less}}
  - {id: H9, statement: Same costs the same., test: {metric: cost, treatment: {arm: same}, control: {arm: slow}, direction: equal, margin: {absolute: 2}}}
  - {id: H10, statement: Same is no worse and solves no less., test: {metric: cost, treatment: {arm: same}, control: {arm: slow}, over: every, direction: not_worse, margin: {absolute: 2}, requires: [{metric: wait, direction: not_worse, margin: {absolute: 4}}]}}
design: {replicates: {min: 9, max: 9}}
resources: {timeout: 60s, sandbox: none}
'''
FAILING_JOB = '''
import json, os, random, sys, time
arm, seed = sys.argv[1], int(sys.argv[2])
if arm == "broken":
    raise SystemExit("no such arm")
if arm == "slow" and seed % 3 == 0:
    time.sleep(30)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "cost", "value": {"slow": 50, "fast": 40}[arm] + random.Random(seed).gauss(0, 1)}) + "\\n")
'''
FAILING = '''
etude: 1
title: Runs that fail
question: Which is cheaper?
run: python3 job.py {arm} {seed}
factors: {arm: {levels: [slow, fast, broken], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
  - {id: H2, statement: Broken costs less., test: {metric: cost, treatment: {arm: broken}, control: {arm: slow}, direction: less}}
design: {replicates: {min: 6, max: 6}, smoke: false}
resources: {timeout: 2s, sandbox: none}
'''
EXACT = '''
etude: 1
title: Not deterministic
question: Which is cheaper?
run: python3 job.py {arm} {seed}
factors: {arm: {levels: [slow, fast, same], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true, deterministic: true}}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 60s, sandbox: none}
'''
SIZED = '''
etude: 1
title: Sized by a pilot
question: Which is cheaper?
run: python3 job.py {arm} {seed}
factors: {arm: {levels: [slow, fast, same], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less, smallest_effect: {absolute: 5}}}
design: {pairing: none, pilot: 4, replicates: {min: 4, max: 8}, warmup_runs: 1, planted: {test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}}
resources: {timeout: 60s, sandbox: none}
'''
HELD_JOB = NOISY_JOB + '''
import time
while os.path.exists("HOLD"):
    time.sleep(0.05)
'''
LOOKS = looks_test.STUDY + "gates: [{on: experiments, otherwise: pause}]\n"
TRAIN = "import os, sys\nopen(os.environ['ETUDE_METRICS'], 'a').write('{\"name\": \"loss\", \"value\": %s}\\n' % sys.argv[1])\n"
# Replies of each role; after the last one the model does what is asked.
ROLES = {
    "you propose the hypotheses": [
        ("list_files", {}), ("read_file", {"path": "job.py"}),
        ("propose_hypothesis", {**FAST, "test": {**FAST["test"], "metric": "cots"}}), ("propose_hypothesis", FAST),
        ("record_decision", {"title": "One contrast", "choice": "fast against slow", "rationale": "the code says so",
                             "alternatives": ["the arm that is the same"]}),
        ("finish", {"summary": "I proposed that the fast arm is cheaper."})],
    "you say what the question requires": [
        ("bind_requirement", {"of": "question", "text": "Is the fast arm cheaper?", "hypotheses": ["H1"]}),
        ("bind_requirement", {"of": "method", "text": "The arm decides on the cost.", "file": "job.py", "from_line": 1,
                              "to_line": 3}),
        ("finish", {"summary": "These matter."})],
    "you review the source": [
        ("judge_requirement", {"id": "R2", "met": True, "why": "job.py looks the cost up by the arm."}),
        ("finish", {"summary": "I read job.py."})],
    "you interpret the verdicts": [("note", {"text": "The arm decides."}),
                                   ("finish", {"summary": "H1 answers the question."})],
    "you write this study up": [
        ("write_section", {"name": "summary", "text": "The fast arm is 20 % cheaper."}),
        ("write_section", {"name": "summary", "text": "H1 is {{H1.verdict}}, with an effect of {{H1.effect}}."}),
        ("finish", {"summary": "Written."})],
}


class Recorder(EtudeTest):
    """Runs each study in a folder of its own, all in one home."""

    def __init__(self, folder):
        super().__init__()
        self.tmp, self.home, self.dir = folder, folder / "home", None

    def place(self, name, study=None, job=NOISY_JOB):
        self.dir = self.tmp / name
        self.dir.mkdir()
        if study:
            self.study(study, job)

    def ids(self):
        return [study["id"] for study in self.json("ls")]

    def configure(self, model):
        self.config = self.write("config.yaml", f"""
            providers:
              mock: {{api: openai, base_url: "{model.url}", timeouts: {{first_byte: 20s, total: 60s}}}}
            models:
              small: {{provider: mock, model: mock-1, prices: {{input: 3, output: 15}}, max_output: 1000}}
            profiles:
              mock: {{default: small}}
            """)

    def methods(self):
        self.place("methods", METHODS, METHODS_JOB)
        self.run_study("-j", "2")

    def failing(self):
        self.place("failing", FAILING, FAILING_JOB)
        # Killed between the intent to launch and the launch, which is then repeated.
        self.etude("run", "study.yaml", "-j", "1", code=None, env=os.environ | {"ETUDE_FAULT": "kill-after-commit:12"})
        self.etude("resume", code=None)

    def integrity(self):
        self.place("integrity", EXACT)
        self.run_study("-j", "2", code=None)

    def sized(self):
        self.place("sized", SIZED)
        self.run_study("-j", "2")

    def cancelled(self):
        self.place("cancelled", NOISY_STUDY + "design: {replicates: {min: 3, max: 3}, smoke: false}\n",
                   HELD_JOB.replace("HOLD", str(self.tmp / "cancelled" / "hold")))
        (self.dir / "hold").touch()
        kernel = subprocess.Popen(self.command("run", "study.yaml", "-j", "2"), cwd=self.dir,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        study = self.wait_for(lambda: [s["id"] for s in self.json("ls") if s["title"] == "Noisy arms"])[-1]
        runs = self.wait_for(lambda: [r["id"] for r in self.lines("runs", study) if r["state"] == "running"])
        self.etude("steer", study, "look at the same arm first")
        self.post(f"/runs/{runs[0]}/cancel")
        self.wait_for(lambda: [r for r in self.lines("runs", study) if r["state"] == "cancelled"])
        self.etude("pause", study)
        self.etude("cancel", study, "--why", "it asks nothing", code=None)
        kernel.wait(60)
        self.etude("resume", study, code=None)

    def looks(self):
        self.place("looks", LOOKS)
        study = self.run_study("-j", "2", code=None)["id"]
        self.etude("approve", f"{study}-g1")
        self.etude("resume", study, "-j", "2")

    def blocks(self):
        self.place("blocks", blocks_test.STUDY, blocks_test.JOB)
        self.run_study("-j", "2")

    def screen(self):
        self.place("screen", search_test.SCREEN, search_test.SCREEN_JOB)
        self.run_study("-j", "2")

    def optimize(self):
        self.place("optimize", search_test.OPTIMIZE.replace("runs: 120", "runs: 60"), search_test.OPTIMIZE_JOB)
        self.run_study("-j", "2", code=None)

    def stages(self):
        self.place("stages")
        self.write("train.py", stages_test.TRAIN)
        self.write("eval.py", stages_test.EVAL)
        self.write("study.yaml", stages_test.STUDY + 'environment: {setup: {run: ["mkdir .tools"], timeout: 60s}}\n')
        self.run_study("-j", "2")

    def amended(self):
        self.place("amended", amend_test.STUDY, amend_test.BROKEN % "== 'fast'")
        self.write("frozen.py", "print(1)\n")
        study = self.run_study(code=None)["id"]
        self.etude("approve", f"{study}-g1")
        self.etude("resume", study, "-j", "1", code=4)
        self.write("job.py", NOISY_JOB)
        self.etude("amend", study, "--why", "it crashed")
        self.etude("resume", study, "--budget", "runs=100")

    def withdrawn(self):
        self.place("withdrawn", looks_test.STUDY.replace(", looks: {at: [0.5, 1]}", "").replace("10, max: 10", "5, max: 5")
                   + "gates: [{on: experiments, otherwise: pause}, {on: conclude, otherwise: pause}]\n")
        study = self.run_study(code=None)["id"]
        self.etude("withdraw", study, "H2", "--why", "it asks nothing")
        self.etude("approve", f"{study}-g1", "--why", "it may run")
        self.etude("resume", study, code=None)
        self.etude("approve", f"{study}-g2", code=None)
        self.etude("resume", study, code=None)

    def forked(self):
        first = self.ids()[0]
        self.place("forked")
        at = [e["seq"] for e in self.lines("log", first) if e["type"] == "RunEnded"][-6]
        fork = self.json("fork", first, "--at", at)["id"]
        self.etude("resume", fork)

    def thinking(self):
        self.place("thinking", THINKING)
        model = ScriptedModel(ROLES)
        self.configure(model)
        self.etude("--config", self.config, "run", "study.yaml", "-j", "2", code=None)
        model.close()

    def code(self):
        self.place("code")
        for name, text in (("study.yaml", code_search_case.STUDY), ("job.py", code_search_case.JOB),
                           ("scoring.py", code_search_case.SCORING), ("evaluate.py", code_search_case.EVALUATE),
                           ("val.csv", "".join(f"{i * 7 % 11 % 2}\n" for i in range(200))),
                           ("secret/test.csv", "".join(f"{i * 5 % 13 % 2}\n" for i in range(200)))):
            self.write(name, text)
        model = code_search_case.Engineers()
        self.configure(model)
        self.etude("--config", self.config, "run", "study.yaml", "-j", "2", code=None)
        model.close()

    def captured(self):
        self.place("captured")
        self.write("train.py", TRAIN)
        self.etude("exec", "--", "python3", "train.py", "0.25")
        self.etude("exec", "--", "python3", "train.py", "none", code=None)
        study = self.ids()[-1]
        self.etude("note", "The loss is noisy below 0.1")
        self.etude("decision", "Use Adam", "--alternative", "SGD", "--why", "it needs no schedule")
        self.etude("dead-end", "Warm restarts", "--why", "they diverge", "--lesson", "clip first")
        self.etude("conclude", study)

    def reproduced(self):
        self.dir = self.tmp / "looks"
        self.etude("reproduce", "study-ara", "-j", "2", "-o", self.tmp / "reproduced", code=None)

    def post(self, path):
        """Sends a request to the kernel of the home, over its socket."""
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(self.home / "kernel.sock"))
            peer.sendall(f"POST /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         "Content-Length: 2\r\nConnection: close\r\n\r\n{}".encode())
            while peer.recv(4096):
                pass

    def wait_for(self, what):
        for _ in range(600):
            if found := what():
                return found
            time.sleep(0.1)
        raise AssertionError("it did not happen in time")


PARTS = ["failing", "integrity", "sized", "cancelled", "looks", "blocks", "screen", "optimize", "stages", "amended",
         "withdrawn", "forked", "thinking", "code", "captured", "reproduced", "methods"]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    recorder = Recorder(folder)
    for part in sys.argv[2:] or PARTS:
        getattr(recorder, part)()
        print("made", part, flush=True)


if __name__ == "__main__":
    main()
