"""
Tries: a person forks a study before its registration, when the verdicts are known, to keep the hypothesis that held.
Must: the fork has no slot left, because its past's were used meanwhile: it is exploratory, on seeds of its own, and the
verdicts that were known are named.
"""


def attack(lab):
    lab.place(edits={"resources:": "seeds: drawn\nresources:"})
    study = lab.concluded()
    events = lab.lines("log", study["id"])
    registered = next(e for e in events if e["type"] == "ExperimentRegistered")
    before = max(e["seq"] for e in events if e["time"] < registered["time"])
    fork = lab.json("fork", study["id"], "--at", before)["id"]
    lab.etude("withdraw", fork, "H2", "--why", "known to fail", code=None)
    ended = lab.lines("resume", fork)[-1]
    first = ended["hypotheses"][0]
    lab.assertEqual((first["status"], first["verdict"]), ("exploratory", "inconclusive"))
    lab.assertEqual(ended["forked_from"]["slots"], 2)
    seeds = [{r["seed"] for r in lab.lines("runs", s) if r["evidence"]} for s in (study["id"], fork)]
    lab.assertFalse(seeds[0] & seeds[1])
    lab.assertEqual(ended["forked_from"]["from"], study["id"])
    return lab.report_says(ended, "on the same code and conditions: H1 of s1 (supported)")
