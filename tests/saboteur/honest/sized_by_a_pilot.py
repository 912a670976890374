"""a study that a pilot sizes, with its control repeated against itself"""
from lab import VERDICTS


def study(lab):
    lab.place(edits={"min: 6, max: 6}": "min: 4, max: 9}, pilot: 4"})
    ended = lab.run_study()
    lab.sound(ended, VERDICTS)
    lab.assertIn("pilot", {r["purpose"] for r in lab.lines("runs", ended["id"])})
