"""
Tries: someone calls runs failed in the table that `runs` reads, of a study that is to be resumed.
Must: verify finds it, and the study goes on from its events.
"""
import sqlite3

from lab import VERDICTS, verdicts


def attack(lab):
    ident = lab.stopped()
    base = sqlite3.connect(lab.home / "etude.db")
    with base:
        changed = base.execute("UPDATE runs SET doc = replace(doc, 'succeeded', 'failed')").rowcount
    base.close()
    lab.assertGreater(changed, 0)
    how = lab.verify_finds("runs")
    study = lab.lines("resume", ident, "--budget", "runs=100")[-1]
    lab.assertEqual(verdicts(study), VERDICTS)
    lab.clean(study["artifact"])
    return how
