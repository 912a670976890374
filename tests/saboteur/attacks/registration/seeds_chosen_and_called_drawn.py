"""
Tries: someone chooses the seeds of the runs and writes them into the registration as if they had been drawn; every hash
agrees.
Must: the audit computes the seeds from the recorded random bits, and finds others.
"""
import pathlib

from lab import LOG, Forgery, registered_anew


def attack(lab):
    lab.place(edits={"resources:": "seeds: drawn\nresources:"})
    artifact = pathlib.Path(lab.run_study()["artifact"])
    for name, change in (("bits", lambda registration: registration.update(draw="0" * 32)),
                         ("none", lambda registration: registration.pop("draw")),
                         ("seeds", lambda registration: registration.update(seeds=registration["seeds"][::-1]))):
        forged = Forgery(artifact, lab.tmp / name)
        forged.relog(lambda lines: registered_anew(lines, change))
        caught = lab.flagged(forged.root, "decision-mismatch", file=LOG, says="the registration")
    return caught
