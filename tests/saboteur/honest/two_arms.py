"""two arms that differ: one hypothesis holds, the other does not"""
from lab import VERDICTS


def study(lab):
    lab.place()
    lab.sound(lab.run_study(), VERDICTS)
