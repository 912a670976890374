"""
Tries: a person's script lets the control sleep, where a time is measured.
Must: a warning heads the report, with the line that sleeps.
"""
from lab import JOB


def attack(lab):
    lab.place(job=JOB.replace("awk -v", '[ "$1" = slow ] && sleep 1\nawk -v'), edits={"unit: points": "unit: ms"})
    study = lab.concluded()
    lab.warned(study, "H1", "the control (arm=slow) of H1 waits")
    lab.assertIn("Lines to read: job.sh:2: ", study["integrity"][0]["message"])
    return lab.report_says(study, "of H1 waits: ")
