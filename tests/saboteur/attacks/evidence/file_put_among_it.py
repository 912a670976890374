"""
Tries: a person adds a table of results of an experiment that never ran, with an entry in the seal.
Must: the audit finds a file that nothing in the log gives.
"""
import json


def attack(lab):
    forged = lab.forged()
    forged.write("evidence/results/E02.csv", "run,cost\ns1-r99,1\n")
    seal = json.loads(forged.text("etude.json"))
    seal["files"]["evidence/results/E02.csv"] = ""
    forged.write("etude.json", json.dumps(seal, indent=1))
    forged.seal()
    return lab.flagged(forged.root, "unrecorded-file", file="evidence/results/E02.csv")
