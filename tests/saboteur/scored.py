"""A study with an evaluator, which scores each run on data that no job sees, after the job has ended."""

IDS = range(100)
JOB = '''
import json, os, random, sys
BEFORE
rule, rng = sys.argv[1], random.Random(int(sys.argv[2]))
share = {"bad": 0.55, "good": 0.9}[rule]
truth = {"val.csv": lambda i: i * 7 % 11 % 2, "test.csv": lambda i: i * 5 % 13 % 2}
guesses = {name: [of(i) if rng.random() < share else 1 - of(i) for i in range(100)] for name, of in truth.items()}
with open(os.environ["ETUDE_OUTPUT"] + "/guesses.json", "w") as out:
    json.dump(guesses, out)
AFTER
'''
EVALUATE = '''
import json, os, sys
name = sys.argv[1]
labels = [int(line) for line in open(name)]
guesses = json.load(open(os.environ["ETUDE_JOB_OUTPUT"] + "/guesses.json"))[os.path.basename(name)]
acc = sum(a == b for a, b in zip(labels, guesses)) / len(labels)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "acc", "value": acc}) + "\\n")
'''
SCORED = '''
etude: 1
title: Scored where it cannot see
question: Does the good rule classify better?
run: python3 -S job.py {rule} {seed}
factors: {rule: {levels: [bad, good], baseline: bad}}
metrics: {acc: {goal: maximize, from: evaluator}}
hypotheses:
  - id: H1
    statement: The good rule classifies better.
    test: {metric: acc, treatment: {rule: good}, control: {rule: bad}, direction: greater}
design: {replicates: {min: 4, max: 4}}
evaluator:
  protect: [evaluate.py]
  validation: {command: python3 -S evaluate.py val.csv, data: [val.csv]}
  test: {command: python3 -S evaluate.py secret/test.csv, data: [secret/test.csv]}
resources: {timeout: 10m, sandbox: auto}
seeds: fixed
'''


def place_scored(lab, before="", after="", more=""):
    """Writes the study into its folder; `before` and `after` are lines of the job."""
    lab.write("job.py", JOB.replace("BEFORE", before).replace("AFTER", after))
    lab.write("evaluate.py", EVALUATE)
    lab.write("secret/test.csv", "".join(f"{i * 5 % 13 % 2}\n" for i in IDS))
    lab.write("val.csv", "".join(f"{i * 7 % 11 % 2}\n" for i in IDS))
    return lab.write("study.yaml", SCORED + more)
