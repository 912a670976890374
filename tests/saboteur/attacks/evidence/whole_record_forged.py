"""
Tries: someone changes what was measured in a home, and has etude itself compose a whole artifact that agrees with it.
Must: the head that `run` printed, kept elsewhere, does not fit.
"""
from forgery import halve_costs


def attack(lab):
    study = lab.ended()
    cut = halve_costs(lab.home, study["id"], below=45)
    fork = lab.json("fork", study["id"], "--at", cut - 1)
    forged = lab.lines("resume", fork["id"])[-1]
    lab.assertNotEqual(forged["hypotheses"][0]["effect"], study["hypotheses"][0]["effect"])
    findings = lab.json("audit", forged["artifact"], "--head", study["head"], code=1)["findings"]
    lab.assertEqual([(f["rule"], f["severity"]) for f in findings], [("wrong-head", "critical")])
    return "audit --head: wrong-head (critical)"
