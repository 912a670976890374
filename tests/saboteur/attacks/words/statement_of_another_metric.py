"""
Tries: a person tests what an arm costs, and states that it is more accurate, swaps the arms, or claims equality.
Must: refused, each with what the statement says.
"""


def attack(lab):
    metrics = "metrics: {accuracy: {goal: maximize}, cost: {unit: points"
    for statement, says in (("Accuracy is higher under fast.", "says something of `accuracy`; its test asks about `cost`"),
                            ("Slow costs less than fast.", "is higher under fast (treatment)"),
                            ("Fast costs the same as slow.", "says that `cost` is the same")):
        lab.place(edits={"metrics: {cost: {unit: points": metrics, "statement: Fast costs less.": f"statement: {statement}"})
        how = lab.refused("run", "study.yaml", says=says)
    return how
