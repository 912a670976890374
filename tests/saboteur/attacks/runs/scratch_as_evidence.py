"""
Tries: someone calls smoke runs registered ones, to have more evidence.
Must: the audit finds runs that no registration planned.
"""
from lab import LOG


def attack(lab):
    forged = lab.forged()
    forged.relog(lambda lines: [line.replace('"purpose":"smoke"', '"purpose":"registered"') for line in lines])
    findings = lab.json("audit", forged.root, code=1)["findings"]
    rules = sorted({f["rule"] for f in findings if f["severity"] == "critical" and f["file"] == LOG})
    lab.assertTrue({"late-registration", "unregistered-run", "decision-mismatch"} & set(rules), findings)
    return "audit: " + ", ".join(rules) + " (critical)"
