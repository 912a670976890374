"""a confidence sequence watches every pair from the fourth on, and stops what is clear"""
from lab import VERDICTS


def study(lab):
    lab.place(edits={"min: 6, max: 6}": "min: 4, max: 30}, looks: anytime"})
    ended = lab.run_study()
    lab.assertLess(ended["hypotheses"][0]["n"][0], 30)
    lab.sound(ended, VERDICTS)
