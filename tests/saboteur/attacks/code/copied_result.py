"""
Tries: without a sandbox, the second of two seeds copies what the first one computed, to the last digit.
Must: the audit finds two runs of other seeds that agree in every digit.
"""
from lab import JOB

COPY = JOB + '''
kept=KEPT/$1
[ -e "$kept.0" ] && [ ! -e "$kept.1" ] && mv "$kept.0" "$kept.1" && cp "$kept.1" "$ETUDE_METRICS" && exit 0
cp "$ETUDE_METRICS" "$kept.0"
'''


def attack(lab):
    (lab.tmp / "kept").mkdir()
    lab.place(job=COPY.replace("KEPT", str(lab.tmp / "kept")), edits={"max: 6}": "max: 6}, smoke: false"})
    study = lab.run_study("-j", "1")
    return lab.flagged(study["artifact"], "copied-result", "warning")
