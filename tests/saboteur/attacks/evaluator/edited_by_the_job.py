"""
Tries: without a sandbox, a job writes itself a kinder evaluator.
Must: protected files are hashed after every run: the run is invalid, and counts against its arm.
"""
from lab import JOB


def attack(lab):
    lab.write("evaluate.py", "print('honest')\n")
    lab.place(job=JOB + "[ $1 = fast ] && echo 'print(1)' > evaluate.py; exit 0\n",
              edits={"design:": "evaluator: {protect: [evaluate.py]}\ndesign:"})
    study = lab.run_study()
    invalid = [r for r in lab.lines("runs", study["id"]) if r["state"] == "invalid"]
    lab.assertIn("it changed evaluate.py, which `evaluator.protect` keeps as it is", invalid[0]["reason"])
    lab.assertEqual(study["hypotheses"][0]["verdict"], "inconclusive")
    return "runs invalid, H1 inconclusive: it changed evaluate.py"
