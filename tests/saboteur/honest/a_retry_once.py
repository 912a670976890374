"""a run that was preempted asks to be run again, and is, with the same seed"""
from lab import JOB, VERDICTS


def study(lab):
    job = '[ "$2" = 46336266 ] && [ "$ETUDE_ATTEMPT" = 1 ] && exit 75\n' + JOB
    lab.place(job=job, edits={"resources:": "retries: allowed\nresources:"})
    lab.sound(lab.run_study(), VERDICTS)
