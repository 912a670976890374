"""
Tries: someone turns a verdict round and says that another version of etude wrote the artifact, which may differ.
Must: it is an error all the same.
"""
import json


def attack(lab):
    forged = lab.forged()
    seal = json.loads(forged.text("etude.json"))
    seal["tool"] = "etude 0.0.1"
    forged.write("etude.json", json.dumps(seal, indent=1))
    forged.replace("logic/claims.md", "- **Status**: refuted", "- **Status**: supported")
    forged.seal()
    lab.flagged(forged.root, "other-version", "info")
    return lab.flagged(forged.root, "changed-status", file="logic/claims.md")
