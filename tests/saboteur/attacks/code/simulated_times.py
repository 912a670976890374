"""
Tries: a script reports times that it did not take: ten seconds, in a run of milliseconds.
Must: the check asks whether that time is simulated.
"""


def attack(lab):
    lab.place(edits={"unit: points": "unit: s"})
    return lab.check_found(lab.run_study(), "is that time simulated?", serious=False)
