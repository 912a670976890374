"""
Tries: a person has the same metric summarised and labelled another way in a second study, until a way is found that suits.
Must: the new study names the earlier one: it compares the same metric of the same arms.
"""


def attack(lab):
    lab.place()
    lab.run_study("-o", str(lab.dir / "first-ara"))
    lab.place(edits={"unit: points, goal: minimize": "unit: pts, summary: median, goal: minimize"})
    second = lab.run_study("-o", str(lab.dir / "second-ara"))
    return lab.report_says(second, "H1 of s1 (supported)")
