"""
Tries: a model binds what the question requires to a blank line, to a comment, and to a file that no run opens.
Must: refused, with the lines; nothing is registered on such requirements.
"""
from lab import JOB


def attack(lab):
    lab.write("notes.py", "print('the arms are compared fairly')\n")
    demand = {"of": "method", "text": "The arm decides on the cost that is reported.", "file": "job.sh"}
    draws = [("bind_requirement", {**demand, "from_line": 1}), ("bind_requirement", {**demand, "from_line": 2, "to_line": 3}),
             ("bind_requirement", {**demand, "file": "notes.py", "from_line": 1}),
             ("finish", {"summary": "The code does what the question requires."})]
    study = lab.thinking(job="# the arm decides\n\n# on the cost" + JOB, scripts={"you say what the question requires": draws}, code=None)
    refused = [text for tool, no, text in lab.answers() if tool == "bind_requirement" and no]
    lab.assertIn("job.sh, lines 1 to 1: blank lines and comments do nothing", refused[0])
    lab.assertIn("job.sh, lines 2 to 3: blank lines and comments do nothing", refused[1])
    lab.assertIn("notes.py is not a file that the study's command opens", refused[2])
    lab.assertFalse([e for e in lab.said[:-1] if e["type"] == "ExperimentRegistered"], study)
    return lab.tool_refuses("bind_requirement", "notes.py is not a file that the study's command opens")
