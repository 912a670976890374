"""
Tries: in the sandbox, a job writes, removes, renames and mounts over the protected evaluator and its folder.
Must: it is read-only: every attempt fails, and the runs are as without them.
"""
from lab import HONEST, JOB, VERDICTS, verdicts

TRICKS = JOB + '''
for f in lib/evaluate.py /etude/work/lib/evaluate.py; do
  echo 'print(1)' > $f && echo "got: written"
  rm -f $f && echo "got: removed"
  mv $f elsewhere && echo "got: renamed"
  chmod 777 $f && echo "got: chmod"
  ln -sf /dev/null $f && echo "got: linked"
done 2>/dev/null
mv lib away 2>/dev/null && echo "got: the folder"
mount --bind /tmp lib 2>/dev/null && echo "got: mounted"
grep -q honest lib/evaluate.py || echo "got: changed"
exit 0
'''


def attack(lab):
    lab.sandbox()
    lab.write("lib/evaluate.py", "print('honest')\n")
    lab.place(HONEST.replace("sandbox: none", "sandbox: auto"), TRICKS,
              edits={"design:": "evaluator: {protect: [lib/evaluate.py]}\ndesign:"})
    study = lab.run_study()
    logs = "".join(lab.etude("run-log", r["id"]).stdout for r in lab.lines("runs", study["id"]))
    lab.assertNotIn("got:", logs)
    lab.assertEqual(verdicts(study), VERDICTS)
    lab.clean(study["artifact"])
    return "refused by the sandbox: read-only"
