"""A study whose job trains on half of its rows and is scored on the others, in one file that no evaluator protects."""
import pathlib

from lab import PROPOSES, verdicts

# On rows that it was not trained on, the memory arm has no lower error than the line.
JOB = '''
import math, os, random, sys
arm, rng = sys.argv[1], random.Random(int(sys.argv[2]))
rows = [(x, int(x + rng.gauss(0, 0.6) > 0)) for x in (rng.gauss(0, 1) for _ in range(120))]
train, test = rows[:60], rows[60:]
if arm == "memory":
    BROKEN
    guess = lambda x: sum(y for _, y in sorted(train, key=lambda row: abs(row[0] - x))[:2]) / 2
else:
    cut = sum(x for x, _ in train) / len(train)
    guess = lambda x: 1 / (1 + math.exp(3 * (cut - x)))
error = sum((guess(x) - y) ** 2 for x, y in test) / len(test)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "error", "value": {error}}}\\n')
'''
STUDY = '''
etude: 1
title: Memory against a line
question: Does remembering rows give fewer errors?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [line, memory], baseline: line}}
metrics: {error: {goal: minimize, primary: true}}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m, sandbox: none}
'''
HYPOTHESIS = {"statement": "The memory arm has a lower error than the line arm.", "mechanism": "it keeps every row",
              "confidence": 0.8, "test": {"metric": "error", "treatment": {"arm": "memory"}, "control": {"arm": "line"},
                                          "direction": "less"}}
PROPOSES_IT = [("propose_hypothesis", HYPOTHESIS), *PROPOSES[1:]]
MENDED = ("edit_file", {"path": "job.py", "old": "    BROKEN\n", "new": ""})
SUMMARY = ("finish", {"summary": "One arm crashed."})
SILENT = [("finish", {"summary": "I looked at nothing."})]


def denies(why):
    return [("judge_requirement", {"id": "K1", "met": False, "why": why}),
            ("finish", {"summary": "The change does more than it should."})]


def mended(lab, *cheats, code=None, reviews=None):
    """Runs the study anew, whose memory arm crashes; a model mends it with these further edits. Returns the study and
    the types of its events."""
    lab.tearDown()
    lab.servers.clear()
    lab.setUp()
    lab.write("job.py", JOB)
    study = lab.thinking(PROPOSES_IT, [MENDED, *cheats, SUMMARY], STUDY, code=code,
                         scripts={"you review the source": reviews} if reviews else None)
    return study, [e["type"] for e in lab.said[:-1]]


def blocked(lab, says, reviews, *cheats):
    """Checks that nothing is registered on the change, and that the requirement on it says this."""
    study, events = mended(lab, *cheats, reviews=reviews)
    lab.assertIn("CodeCompared", events)
    lab.assertNotIn("ExperimentRegistered", events, study)
    required = next(r for r in study["requirements"] if r["by"] == "kernel")
    lab.assertIn(says, required["text"])


def in_the_open(lab, study, line, says):
    """Checks that a change which a reviewer let pass is shown: its line to the reviewer and in the artifact, and whose
    code it is, with what the comparison of the code found, at the head of the report."""
    lab.assertEqual(verdicts(study), {"H1": "supported"})
    asked = [m["content"] for r in lab.server.requests if "you review the source" in r["messages"][0]["content"]
             for m in r["messages"] if m["role"] == "user"]
    lab.assertIn(line, asked[0])
    artifact = pathlib.Path(study["artifact"])
    lab.assertIn(line, (artifact / "src/amendment.diff").read_text())
    head = (artifact / "report.md").read_text().split("\n## ")[1]
    head = " ".join(head.replace("\\", "").split())
    for words in ("These results rest on code that an agent changed (engineer, model one: job.py).", says,
                  "Agent's code, not reviewed by a person."):
        lab.assertIn(words, head)
    return "report: Agent's code, not reviewed by a person"
