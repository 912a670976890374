"""a registered look at half of the runs decides what is clear, and stops"""
from lab import VERDICTS


def study(lab):
    lab.place(edits={"min: 6, max: 6}": "min: 10, max: 10}, looks: {at: [0.5, 1]}"})
    ended = lab.run_study()
    lab.assertEqual(ended["hypotheses"][0]["look"]["number"], 1)
    lab.sound(ended, VERDICTS)
