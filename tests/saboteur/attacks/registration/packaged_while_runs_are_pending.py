"""
Tries: a person packages a study of which half of the runs have ended, to have their values and a claim.
Must: refused: there is nothing to package yet.
"""


def attack(lab):
    ident = lab.stopped(runs=9)
    return lab.refused("artifact", ident, "-o", lab.dir / "early", says="has not concluded: resume it first")
