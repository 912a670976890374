"""
Tries: a job looks for the test data wherever they might be: by path, through /proc, by listing every folder.
Must: no run sees either tier's data.
"""
from scored import place_scored
from lab import verdicts

PEEK = '''
import glob
places = [ORIGINAL + "/secret/test.csv", "secret/test.csv", "../secret/test.csv",
          "/etude/data/test.csv", "/proc/self/cwd/val.csv"]
for root in glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/[0-9]*/cwd"):
    places += [root + "/val.csv", root + ORIGINAL + "/secret/test.csv"]
for top in ("/etude", "/tmp", "/home", "/root", "/var/tmp", "/dev/shm"):
    places += [f + "/" + n for f, _, names in os.walk(top) for n in names if n in ("val.csv", "test.csv")]
for path in places:
    try:
        sys.exit("leaked: " + path + open(path).read(9))
    except OSError:
        pass
'''


def attack(lab):
    lab.sandbox()
    place_scored(lab, before=PEEK.replace("ORIGINAL", repr(str(lab.dir))))
    study = lab.run_study()
    lab.assertEqual({r["state"] for r in lab.lines("runs", study["id"])}, {"succeeded"})
    lab.assertEqual(verdicts(study), {"H1": "supported"})
    return "refused by the sandbox: no path leads to the data"
