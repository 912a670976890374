"""
Tries: someone loosens the refuted hypothesis's margin wherever the log has it, after the data; every hash agrees.
Must: the audit judges again, and the recorded runs give another verdict.
"""
from lab import LOG, registered_anew, rewritten


def loosen(node):
    if isinstance(node, dict):
        if node.get("id") == "H2" and "direction" in node:
            node["margin"] = {"kind": "absolute", "value": -30.0}
        node = list(node.values())
    if isinstance(node, list):
        for value in node:
            loosen(value)


def attack(lab):
    forged = lab.forged()

    def change(lines):
        lines = [rewritten(line, loosen) if '"direction"' in line else line for line in lines]
        return registered_anew(lines, lambda registration: None)

    forged.relog(change)
    return lab.flagged(forged.root, "score-mismatch", file=LOG, says="'H2'")
