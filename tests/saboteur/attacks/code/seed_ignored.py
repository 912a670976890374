"""
Tries: a script ignores its seed, so that replicates are copies of one run.
Must: the study pauses before anything is registered and names the line; resumed, its verdict is inconclusive; the audit
finds a constant metric.
"""
from lab import JOB


def attack(lab):
    lab.place(job=JOB.replace("srand(seed % 1000003 ", "srand(7 "))
    paused = lab.run_study(code=1)
    lab.assertEqual((paused["state"], paused["reason"]), ("paused", "seed"))
    lab.assertIn("sets a seed to a constant: job.sh:", paused["detail"])
    lab.assertFalse([e for e in lab.lines("log", paused["id"]) if e["type"] == "ExperimentRegistered"])
    study = lab.lines("resume", paused["id"])[-1]
    lab.assertEqual({h["verdict"] for h in study["hypotheses"]}, {"inconclusive"})
    lab.check_found(study, "a new seed changed no metric")
    return lab.flagged(study["artifact"], "constant-metric", "warning")
