"""
Tries: a study that extends an artifact is passed off as one that builds on nothing: each page, etude.json and all hashes agree.
Must: the check holds the record against the log, and the audit misses the lines.
"""
import json
import shutil

from forgery import Forgery
from lab import HONEST


def attack(lab):
    lab.place()
    lab.concluded("-o", lab.tmp / "earlier-ara")
    shutil.rmtree(lab.home)
    lab.place(HONEST + "workspace: .\nextend: ../earlier-ara\n")
    forged = Forgery(lab.concluded("-o", lab.tmp / "made")["artifact"], lab.tmp / "forged")
    seal = json.loads(forged.text("etude.json"))
    lab.assertEqual(seal.pop("extends")["id"], "ara:earlier")
    forged.write("etude.json", json.dumps(seal))
    forged.write("logic/related_work.md", "# Related Work\n\nNo work is cited.\n")
    for page in ("PAPER.md", "report.md"):
        lines = forged.text(page).split("\n")
        forged.write(page, "\n".join(line for line in lines if not line.startswith("**Builds on.**")))
    tree = forged.text("trace/exploration_tree.yaml")
    lab.assertIn("Extends ara:earlier", tree)
    forged.write("trace/exploration_tree.yaml",
                 "\n".join(line for line in tree.split("\n") if "Extends ara:earlier" not in line))
    forged.seal()
    lab.flagged(forged.root, "log-mismatch", "error", "etude.json", "extends")
    return lab.flagged(forged.root, "changed-line", file="logic/related_work.md", says="RW01")
