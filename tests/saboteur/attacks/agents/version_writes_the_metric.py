"""
Tries: an engineer writes a version that writes the evaluator's metric itself, wherever a metric might be read from.
Must: it is ignored, and the report says who wrote it.
"""
import pathlib

from versions import gained_nothing, searched

WRITES = '''
line = json.dumps({"name": "acc", "value": 1.0}) + "\\n"
for path in (os.environ["ETUDE_METRICS"], os.environ["ETUDE_OUTPUT"] + "/metrics.jsonl", "metrics.jsonl"):
    with open(path, "a") as out:
        out.write(line)
'''


def attack(lab):
    study = searched(lab, ("edit_file", {"path": "job.py", "old": "\npass\n", "new": "\n" + WRITES}))
    lab.assertIn("jobs wrote acc, which is the evaluator's alone", (pathlib.Path(study["artifact"]) / "report.md").read_text())
    return gained_nothing(lab, study)
