"""one run of thirteen crashes, without regard to its value: fewer than may fail"""
from lab import JOB, VERDICTS


def study(lab):
    crash = JOB.replace('awk -v', '[ $1 = slow ] && [ "$2" = 437080074 ] && echo "no convergence" >&2 && exit 3\nawk -v', 1)
    lab.place(job=crash, edits={"min: 6, max: 6": "min: 13, max: 13", "resources:": "seeds: fixed\nresources:"})
    ended = lab.run_study()
    lab.assertEqual(ended["runs"]["failed"], 1, ended["runs"])
    lab.sound(ended, VERDICTS)
