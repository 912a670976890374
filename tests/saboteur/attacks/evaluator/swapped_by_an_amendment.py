"""
Tries: a person amends the code of a study that runs, the protected evaluator with it.
Must: refused: with another evaluator it is another study.
"""
from lab import JOB


def attack(lab):
    lab.write("evaluate.py", "print('honest')\n")
    ident = lab.stopped(edits={"design:": "evaluator: {protect: [evaluate.py]}\ndesign:"})
    lab.write("evaluate.py", "print('kind')\n")
    lab.write("job.sh", JOB + "# mended\n")
    return lab.refused("amend", ident, "--why", "a crash", says="a protected file changed")
