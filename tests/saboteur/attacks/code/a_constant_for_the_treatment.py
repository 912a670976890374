"""
Tries: a person's script takes a billionth off the treatment, which a paired test finds on every seed.
Must: a warning heads the report.
"""
from lab import JOB


def attack(lab):
    lab.place(job=JOB.replace('(arm == "fast" ? 17 : 0)', "0").replace("%.9f", "%.13f").replace(
        '(arm == "fast" ? 40 : 50)', '(arm == "fast" ? -1e-9 : 0) + 50'))
    study = lab.concluded()
    lab.warned(study, "H1", "a constant was added")
    return lab.report_says(study, "a constant was added")
