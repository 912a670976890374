"""
Tries: one model draws the requirements and judges them, so that it agrees with itself.
Must: the verdict says so, and the report.
"""


def attack(lab):
    study = lab.thinking()
    lab.report_says(study, "its requirements were judged by the model that drew them")
    return lab.warned(study, "H1", "its requirements were judged by the model that drew them (one)")
