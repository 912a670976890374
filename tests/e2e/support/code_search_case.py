"""A test case for searches over versions of a program: a study with an evaluator, and engineers that follow scripts."""
import re
import threading
import time

from harness import EtudeTest
from scripted_model import ScriptedModel

# Guesses labels that it cannot see; how well is in one line.
JOB = '''
import json, os, random, sys
SKILL = 0.6
rng = random.Random(int(sys.argv[1]))
truth = {"val.csv": lambda i: i * 7 % 11 % 2, "test.csv": lambda i: i * 5 % 13 % 2}
guesses = {name: [of(i) if rng.random() < SKILL else 1 - of(i) for i in range(200)] for name, of in truth.items()}
with open(os.environ["ETUDE_OUTPUT"] + "/guesses.json", "w") as out:
    json.dump(guesses, out)
'''
SCORING = '''
def accuracy(labels, guesses):
    return sum(a == b for a, b in zip(labels, guesses)) / len(labels)
'''
EVALUATE = '''
import json, os, sys
from scoring import accuracy
name = sys.argv[1]
labels = [int(line) for line in open(name)]
guesses = json.load(open(os.environ["ETUDE_JOB_OUTPUT"] + "/guesses.json"))[os.path.basename(name)]
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "acc", "value": accuracy(labels, guesses)}) + "\\n")
'''
STUDY = '''
etude: 1
title: Better guesses
question: Which version of the program guesses best?
kind: optimize
run: python3 -S job.py {seed}
code: {drafts: 3, branches: 3, debug_depth: 2, versions: 6}
metrics: {acc: {goal: maximize, from: evaluator}}
design: {replicates: {min: 2, max: 4}, confirm: {top: 1, replicates: 6}}
evaluator:
  protect: [evaluate.py]
  validation: {command: python3 -S evaluate.py val.csv, data: [val.csv]}
  test: {command: python3 -S evaluate.py secret/test.csv, data: [secret/test.csv]}
resources: {timeout: 10m, sandbox: auto}
agents: mock
seeds: fixed
'''
# What the evaluator imports is not protected, and lies beside what the job runs.
KIND_SCORING = "def accuracy(labels, guesses):\n    return 1.0\n"
GREEDY = '''
for path in ("val.csv", "secret/test.csv", "/etude/work/val.csv", "/etude/work/secret/test.csv"):
    try:
        print("found", open(path).read()[:20])
    except OSError:
        pass
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "acc", "value": 1.0}) + "\\\\n")
'''.replace("\\\\", "\\")


def skill(text):
    return ("edit_file", {"path": "job.py", "old": "SKILL = 0.6", "new": "SKILL = " + text})


# Of the three drafts one fails, one is better, and one cheats.
DRAFTS = {
    "draft-1": [skill("skill")],  # A name that nobody knows.
    "draft-2": [skill("0.8")],
    "draft-3": [("write_file", {"path": "evaluate.py", "content": "print(1)\n"}),  # Refused.
                ("write_file", {"path": "scoring.py", "content": KIND_SCORING}),
                ("write_file", {"path": "json.py", "content": "raise SystemExit('shadowed')\n"}),
                ("edit_file", {"path": "job.py", "old": "with open", "new": GREEDY.strip("\n") + "\nwith open"}),
                ("edit_file", {"path": "job.py", "old": "import json, os", "new": "import sys; sys.path.pop(0)\n"
                               "import json, os"})],
}
DONE = [("finish", {"summary": "It guesses 20 % better."}),  # A number that nothing supports.
        ("finish", {"summary": "It guesses otherwise than the person's own."})]


class Engineers(ScriptedModel):
    """What a step says follows from what it is told alone: who asks first, and how often, changes nothing."""

    def __init__(self, delay=0.0):
        super().__init__({})
        self.delay, self.lock = delay, threading.Lock()

    def reply(self, request):
        time.sleep(self.delay)
        system, task = request["messages"][0]["content"], request["messages"][1]["content"]
        with self.lock:
            self.scripts = {system: self.script(system, task)} if "## Your step" in task else {}
            return super().reply(request)

    def script(self, system, task):
        step = re.search(r"^## Your step\n\n([a-z]+-\d+):", task, re.M).group(1)
        if step in DRAFTS:
            return DRAFTS[step] + DONE
        if "you mend a version" in system:
            return [("edit_file", {"path": "job.py", "old": "SKILL = skill", "new": "SKILL = 0.7"})] + DONE
        old = re.search(r"^\+SKILL = (0\.\d+)$", task, re.M)
        new = "0.95" if old and old.group(1) == "0.8" and "improve" in step else "0.65"
        return [("edit_file", {"path": "job.py", "old": "SKILL = " + (old.group(1) if old else "0.6"),
                               "new": f"SKILL = {new}  # {step}"}),
                ("run_scratch", {"command": "python3 -S job.py 1 2> /dev/null; true"})] + DONE


class CodeSearchCase(EtudeTest):
    def setUp(self):
        super().setUp()
        self.write("study.yaml", STUDY)
        self.write("job.py", JOB)
        self.write("scoring.py", SCORING)
        self.write("evaluate.py", EVALUATE)
        self.write("val.csv", "".join(f"{i * 7 % 11 % 2}\n" for i in range(200)))
        self.write("secret/test.csv", "".join(f"{i * 5 % 13 % 2}\n" for i in range(200)))

    def serve(self, model):
        self.addCleanup(model.close)
        self.config = self.write("../config.yaml", f"""
            providers:
              mock: {{api: openai, base_url: "{model.url}", timeouts: {{first_byte: 4m, total: 10m}}}}
            models:
              small: {{provider: mock, model: mock-1, prices: {{input: 3, output: 15}}, max_output: 1000}}
            profiles:
              mock: {{default: small}}
            """)
        return model

    def search(self, *args, code=0):
        lines = self.lines("--config", self.config, "run", "study.yaml", "-j", "2", *args, code=code)
        return lines[:-1], lines[-1]

    def shown(self, study):
        return self.json("show", study)["search"]["code"]

    def scores(self, study):
        """Version → seed → what the evaluator said of its run while it was searched for."""
        scores = {}
        for run in self.lines("runs", study):
            if run["purpose"] == "search" and run["metrics"].get("acc") is not None:
                scores.setdefault(run["label"], {})[run["seed"]] = run["metrics"]["acc"]
        return scores
