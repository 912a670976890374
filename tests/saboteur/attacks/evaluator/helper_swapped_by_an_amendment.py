"""
Tries: a person amends what the protected evaluator imports, and what is not protected itself, when values were seen.
Must: the test data have been looked at: on other code they are looked at again, and no look is left.
"""
from scored import EVALUATE, place_scored


def attack(lab):
    lab.sandbox()
    place_scored(lab, more="budget: {runs: 6}\n")
    lab.write("evaluate.py", EVALUATE.replace("import json, os, sys", "import json, os, sys, rules"))
    lab.write("rules.py", "kind = False\n")
    ident = lab.run_study(code=4)["id"]
    lab.write("rules.py", "kind = True\n")
    return lab.refused("amend", ident, "--why", "a crash", says="the test data have scored 1 of at most 1 experiment")
