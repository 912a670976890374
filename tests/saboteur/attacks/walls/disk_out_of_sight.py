"""
Tries: a job writes more than its limit of disk where the supervisor does not look: below three hundred folders, and into its
    metrics file.
Must: it is counted, and ends the run.
"""
from lab import HONEST

DISK = r'''
import os, sys, time
if sys.argv[1] == "fast":
    for _ in range(300):
        os.mkdir("d")
        os.chdir("d")
    place = "file"
else:
    place = os.environ["ETUDE_METRICS"]
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write('{"name": "cost", "value": 1}\n')
with open(place, "ab") as out:
    out.write(bytes(60 << 20))
time.sleep(5)
'''


def attack(lab):
    lab.sandbox()
    lab.place(HONEST.replace("sandbox: none", "sandbox: auto, disk: 20M").replace("{min: 6, max: 6}", "{min: 4, max: 4}, smoke: false")
              .replace("sh job.sh", "/usr/bin/python3 job.py"))
    lab.write("job.py", DISK)
    study = lab.run_study(code=None)
    reasons = [run["reason"] or "" for run in lab.lines("runs", study["id"])]
    lab.assertTrue(reasons and all("disk: " in reason for reason in reasons), reasons)
    return "every such run ended: disk: more than the limit"
