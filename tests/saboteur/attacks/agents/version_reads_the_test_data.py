"""
Tries: an engineer writes a version that looks for the labels wherever they might be, and writes them down as its guesses.
Must: no path leads to them from a run, in the search or in the confirmation.
"""
from versions import gained_nothing, searched

READS = '''
import glob
for name in guesses:
    found = [p for d in (".", "/etude", "/tmp", "/var/tmp", "/work", "/home") for p in glob.glob(d + "/**/" + name, recursive=True)]
    for root in ("/proc/[0-9]*/root", "/proc/[0-9]*/cwd"):
        for place in ("", "/secret", "/etude/work", "/etude/work/secret", "/etude/evaluator/work/secret"):
            found += glob.glob(root + place + "/" + name)
    for path in found:
        guesses[name] = [int(line) for line in open(path)]
with open(os.environ["ETUDE_OUTPUT"] + "/guesses.json", "w") as out:
    json.dump(guesses, out)
'''


def attack(lab):
    return gained_nothing(lab, searched(lab, ("edit_file", {"path": "job.py", "old": "\npass\n", "new": "\n" + READS})))
