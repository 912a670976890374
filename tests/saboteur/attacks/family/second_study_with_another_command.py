"""
Tries: a person changes nothing but a blank and a comment in the command, so that a second study seems to be about
something else.
Must: the new study names the earlier one of the same folder.
"""


def attack(lab):
    lab.place()
    lab.run_study("-o", str(lab.dir / "first-ara"))
    lab.place(edits={"run: sh job.sh {arm} {seed}": "run: 'sh  ./job.sh {arm} {seed} # again'"})
    second = lab.run_study("-o", str(lab.dir / "second-ara"))
    return lab.report_says(second, "H1 of s1 (supported)")
