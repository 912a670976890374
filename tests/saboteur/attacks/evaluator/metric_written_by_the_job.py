"""
Tries: a job writes the metric that is the evaluator's alone, at its end and, from a process left behind, after it.
Must: it is ignored, an integrity event that heads the report, and the verdict carries the warning.
"""
from scored import place_scored

CHEAT = '''
import subprocess
LATE = """
import os, time
os.setsid()
for _ in range(40):
    open(os.environ["ETUDE_METRICS"], "a").write(os.environ["LINE"])
    time.sleep(0.05)
"""
line = '{"name": "acc", "value": 1.0}\\n'
open(os.environ["ETUDE_METRICS"], "a").write(line)
subprocess.Popen([sys.executable, "-c", LATE], env=dict(os.environ, LINE=line), stdout=subprocess.DEVNULL,
                 stderr=subprocess.DEVNULL)
'''


def attack(lab):
    lab.sandbox()
    place_scored(lab, after=CHEAT)
    study = lab.run_study()
    runs = lab.lines("runs", study["id"])
    lab.assertEqual({r["state"] for r in runs}, {"succeeded"}, [r["reason"] for r in runs])
    lab.assertTrue(all(r["metrics"]["acc"] < 1 and r["ignored_metrics"] == ["acc"] for r in runs))
    lab.report_says(study, "Integrity: jobs wrote acc")
    return lab.warned(study, "H1", "the evaluator's alone")
