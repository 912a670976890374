"""
Tries: a person lists more hypotheses than the family has slots, to have each at a better level.
Must: what is beyond the family is explored: never supported, however clear.
"""
from lab import HONEST


def attack(lab):
    lab.place(HONEST.replace("direction: greater", "direction: different"), edits={"max: 6}": "max: 6}, family: 1"})
    study = lab.run_study()
    lab.assertEqual([(h["status"], h["verdict"]) for h in study["hypotheses"]],
                    [("final", "supported"), ("exploratory", "inconclusive")])
    lab.assertIn("exploratory", study["hypotheses"][1]["reason"])
    return "H2 exploratory: it is outside of the family's slots, so nothing is concluded"
