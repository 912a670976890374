"""
Tries: someone exchanges the protected evaluator in the artifact's copy of the code, and seals again.
Must: the audit has its hash from the log.
"""
from lab import Forgery


def attack(lab):
    lab.write("evaluate.py", "print('honest')\n")
    lab.place(edits={"design:": "evaluator: {protect: [evaluate.py]}\ndesign:"})
    study = lab.run_study()
    forged = Forgery(study["artifact"], lab.tmp / "forged")
    copy = next((forged.root / "src/workspace").rglob("evaluate.py"))
    copy.write_text("print('kind')\n")
    forged.seal()
    return lab.flagged(forged.root, "protected-changed", file=str(copy.relative_to(forged.root)))
