"""
Tries: a person plans so few runs that no result could be significant, to call what comes out a trend.
Must: the plan is refused, with the number of runs that its test needs.
"""


def attack(lab):
    lab.place(edits={"direction: greater}": "direction: greater}, method: rank", "min: 6, max: 6": "min: 3, max: 3"})
    how = lab.refused("run", "study.yaml", says="3 replicates cannot give a verdict")
    lab.assertEqual(lab.json("ls"), [])
    return how
