"""
Tries: the command does not take the factor, and no code reads it: both arms are the same.
Must: the check finds that it changes nothing, and the audit that nothing names it, though the study file lies there too.
"""
from lab import JOB

BLIND = JOB.replace('(arm == "fast" ? 17 : 0)', "0").replace('(arm == "fast" ? 40 : 50)', "40")


def attack(lab):
    lab.place(job=BLIND.replace("arm", "it").replace("ARM", "IT"), edits={"{arm} {seed}": "x {seed}"})
    study = lab.run_study()
    lab.check_found(study, "changing `arm` from")
    return lab.flagged(study["artifact"], "unused-factor", "warning")
