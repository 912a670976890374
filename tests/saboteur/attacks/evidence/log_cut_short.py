"""
Tries: someone cuts the event log before the verdict that is not to his liking, and makes all hashes agree.
Must: what follows from the log is not what the artifact says, or cannot be followed to its end.
"""
from lab import kind


def attack(lab):
    forged = lab.forged()

    def cut(lines):
        at = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentAnalysed")
        return lines[:at] + [line for line in lines[at:] if kind(line) in ("StudyConcluded", "StudyEnded")]

    forged.relog(cut)
    findings = lab.json("audit", forged.root, code=1)["findings"]
    rules = sorted({f["rule"] for f in findings if f["severity"] == "critical"})
    lab.assertTrue({"lost-record", "decision-mismatch", "unrecorded-claim"} & set(rules), findings)
    return "audit: " + ", ".join(rules) + " (critical)"
