"""
Tries: a person copies the test data into the workspace with a line more, so that no hash is the same.
Must: refused before anything starts: nearly all of what is sealed lies open there.
"""
from scored import place_scored

def attack(lab):
    place_scored(lab)
    lab.write("backup.csv", "label\n" + (lab.dir / "secret/test.csv").read_text())
    return lab.refused("run", "study.yaml", says="`backup.csv` of the workspace holds 100 % of")
