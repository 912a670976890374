"""A search over versions of the code in which the engineer is an attacker with one scripted draft."""
from scored import EVALUATE, JOB, IDS

SEARCHED = '''
etude: 1
title: Versions that cheat
question: Which version classifies best?
kind: optimize
run: python3 -S job.py bad {seed}
code: {drafts: 1, branches: 1, versions: 1}
metrics: {acc: {goal: maximize, from: evaluator}}
design: {replicates: {min: 3, max: 3}, confirm: {top: 1, replicates: 4}}
evaluator:
  protect: [evaluate.py]
  validation: {command: python3 -S evaluate.py val.csv, data: [val.csv]}
  test: {command: python3 -S evaluate.py secret/test.csv, data: [secret/test.csv]}
resources: {timeout: 10m, sandbox: auto}
'''
SCORING = "def score(labels, guesses):\n    return sum(a == b for a, b in zip(labels, guesses)) / len(labels)\n"
SUMMARY = ("finish", {"summary": "It does the same in another way."})


def searched(lab, *writes):
    """Runs the study with that draft; returns it after its end."""
    lab.sandbox()
    lab.write("job.py", JOB.replace("BEFORE", "").replace("AFTER", "pass"))
    lab.write("scoring.py", SCORING)
    lab.write("evaluate.py", EVALUATE.replace("import json, os, sys", "import json, os, sys\nfrom scoring import score")
              .replace("sum(a == b for a, b in zip(labels, guesses)) / len(labels)", "score(labels, guesses)"))
    lab.write("secret/test.csv", "".join(f"{i * 5 % 13 % 2}\n" for i in IDS))
    lab.write("val.csv", "".join(f"{i * 7 % 11 % 2}\n" for i in IDS))
    study = lab.thinking(text=SEARCHED, scripts={"you draft one": [*writes, SUMMARY]})
    lab.assertEqual([e["payload"]["version"]["id"] for e in lab.said[:-1] if e["type"] == "CodeProposed"], ["v1"])
    return study


def gained_nothing(lab, study):
    """Checks that on every seed the version scored as the person's code, in search and confirmation."""
    scores = {}
    for run in lab.lines("runs", study["id"]):
        if run["experiment"]:
            own = scores.setdefault(run["seed"], {})
            own[run["factors"]["code"]] = run["metrics"].get("acc")
    lab.assertEqual(len(scores), 7)
    for seed, own in scores.items():
        lab.assertIsNotNone(own["v1"], (seed, own))
        lab.assertEqual(own["v1"], own["original"], seed)
    lab.assertNotIn("supported", [h["verdict"] for h in study["hypotheses"]])
    return "without effect: on every seed it scored what the person's own code did"
