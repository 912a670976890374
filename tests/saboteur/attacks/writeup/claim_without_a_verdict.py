"""
Tries: a person adds a claim that no hypothesis stands behind, with proof and status.
Must: the audit calls it unrecorded.
"""


def attack(lab):
    forged = lab.forged()
    claim = "\n## C03: Fast is always better\n- **Statement**: it is\n- **Status**: supported\n- **Proof**: [E01]\n"
    forged.write("logic/claims.md", forged.text("logic/claims.md") + claim)
    forged.seal()
    return lab.flagged(forged.root, "unrecorded-claim", file="logic/claims.md", says="Fast is always better")
