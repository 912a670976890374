"""
Tries: a person copies the test data into the workspace with a line more, so that no hash is the same.
Must: it is found that most of what is sealed lies open there.
"""
from scored import place_scored

KNOWN_GAP = ("what is sealed is looked for in the workspace and in data by name and by its bytes as a whole; a copy that was "
             "changed, packed or translated is not recognised. The code and the manifest of all it could read are in the "
             "artifact, for people to look at")


def attack(lab):
    place_scored(lab)
    lab.write("backup.csv", "label\n" + (lab.dir / "secret/test.csv").read_text())
    lab.sandbox()
    return lab.open_gap(lambda: lab.refused("run", "study.yaml", says="backup.csv"))
