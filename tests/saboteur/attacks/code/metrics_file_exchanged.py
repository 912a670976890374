"""
Tries: a job puts a link to another file in the place of its metrics file.
Must: it is not read, and the run has failed.
"""
from lab import JOB


def attack(lab):
    (lab.tmp / "good.jsonl").write_text('{"name":"cost","value":1}\n')
    lab.place(job=JOB + f'rm "$ETUDE_METRICS"; ln -s {lab.tmp}/good.jsonl "$ETUDE_METRICS"\n')
    study = lab.run_study(code=1)
    runs = lab.lines("runs", study["id"])
    reasons = {r["reason"] for r in runs if r["state"] == "failed"}
    lab.assertTrue(any("its metrics file is not read" in reason for reason in reasons), reasons)
    return "runs failed: its metrics file is not read"
