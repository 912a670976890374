"""
Tries: a job leaves modules that an evaluator imports (json, sitecustomize, usercustomize) in its outputs, beside itself,
in /tmp and in the site folder of its home, and sets PYTHONPATH in files that shells read.
Must: the evaluator runs in a sandbox of its own, with the code as frozen: nothing of it is imported.
"""
from scored import place_scored
from lab import verdicts

SHADOWS = '''
import os, site
for folder in (".", os.environ["ETUDE_OUTPUT"], "/tmp", os.path.expanduser("~"), "/etude", site.getusersitepackages()):
    for name in ("json.py", "sitecustomize.py", "usercustomize.py", "labels.py"):
        try:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "w") as out:
                out.write("raise SystemExit('shadowed')")
        except OSError:
            pass
for name in (".profile", ".bashrc", ".pythonrc", "pyvenv.cfg"):
    with open(os.path.join(os.environ["ETUDE_OUTPUT"], name), "w") as out:
        out.write("export PYTHONPATH=" + os.environ["ETUDE_OUTPUT"])
'''


def attack(lab):
    lab.sandbox()
    place_scored(lab, after=SHADOWS)
    study = lab.run_study()
    lab.assertEqual(verdicts(study), {"H1": "supported"})
    lab.assertEqual({r["state"] for r in lab.lines("runs", study["id"])}, {"succeeded"})
    lab.clean(study["artifact"])
    return "without effect: scores are those of the honest study"
