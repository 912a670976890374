"""code that crashed in every run is mended before any value was seen: hypotheses keep their slots"""
from lab import JOB, VERDICTS


def study(lab):
    ident = lab.stopped(runs=3, job="exit 4\n", edits={"max: 6}": "max: 6}, smoke: false"})
    lab.write("job.sh", JOB)
    lab.etude("amend", ident, "--why", "it crashed")
    lab.sound(lab.lines("resume", ident, "--budget", "runs=100")[-1], VERDICTS)
