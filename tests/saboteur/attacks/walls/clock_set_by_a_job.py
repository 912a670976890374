"""
Tries: a job of root without a sandbox sets the machine's clock, from which the record has the times of runs.
Must: the clock cannot be set, by none of the calls that do it.
"""
import os

from lab import JOB, NotHere, VERDICTS, verdicts

# It sets the time that it is, so that this does no harm to a machine where it succeeds.
CLOCK = JOB + '''
/usr/bin/python3 -c 'import time
time.clock_settime(time.CLOCK_REALTIME, time.time())' 2>> clock.log && echo set >&2 && exit 9
date -s "@$(date +%s.%N)" 2>> clock.log >&2 && exit 9
:
'''


def attack(lab):
    if os.geteuid() != 0:
        raise NotHere("only root can try")
    lab.place(job=CLOCK)
    study = lab.run_study()
    failed = [r["reason"] for r in lab.lines("runs", study["id"]) if r["state"] != "succeeded"]
    lab.assertEqual((failed, verdicts(study)), ([], VERDICTS))
    return "without effect: every call was refused"
