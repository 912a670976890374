"""an evaluator scores outputs on sealed data, once"""
from scored import place_scored


def study(lab):
    lab.sandbox()
    place_scored(lab)
    lab.sound(lab.run_study(), {"H1": "supported"})
