"""
Tries: a person copies the test data into the workspace under another name, for the job to train on.
Must: refused before anything starts: the same bytes.
"""
from scored import place_scored


def attack(lab):
    place_scored(lab)
    lab.write("backup.csv", (lab.dir / "secret/test.csv").read_text())
    return lab.refused("run", "study.yaml", says="`backup.csv` of the workspace has the same bytes")
