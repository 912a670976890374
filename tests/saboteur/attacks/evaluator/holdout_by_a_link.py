"""
Tries: a person puts a link to the test data into the workspace.
Must: refused before anything starts, or the link leads nowhere in a run.
"""
import os

from scored import place_scored


def attack(lab):
    place_scored(lab)
    os.symlink("secret/test.csv", lab.dir / "innocent.csv")
    refused = lab.etude("run", "study.yaml", code=None)
    if refused.returncode == 2:
        return "refused, exit 2: " + refused.stderr.strip()[-90:]
    for run in lab.lines("runs", "s1"):
        lab.assertNotIn("innocent", str(run.get("outputs")))
    copies = [p for p in (lab.home / "workspaces").rglob("innocent.csv")]
    lab.assertTrue(all(not p.exists() for p in copies), copies)  # Dangling.
    return "without effect: the link leads nowhere in a run"
