"""
Tries: a job of an ordinary user fills the disk of a home for good, with folders without permissions and folders deeper than
    a process can open, in all its own folders.
Must: they are deleted with the run.
"""
import os

from lab import HONEST, JOB, VERDICTS, verdicts

TREES = JOB + '''
for folder in "$ETUDE_OUTPUT" "$ETUDE_CHECKPOINT" "$TMPDIR" .; do
  mkdir -p "$folder/kept/below/further" "$folder/closed"
  echo x > "$folder/kept/below/further/file"
  chmod 0 "$folder/closed" "$folder/kept/below/further"
  chmod 0555 "$folder/kept/below" "$folder/kept"
done
[ $(($2 % 3)) = 0 ] && /usr/bin/python3 -c 'import os
os.chdir(os.environ["TMPDIR"])
for _ in range(1100): os.mkdir("d"); os.chdir("d")'
:
'''


def attack(lab):
    lab.sandbox()
    lab.place(HONEST.replace("sandbox: none", "sandbox: auto"), job=TREES)
    lab.ordinary_user()
    study = lab.run_study(env={**os.environ, "HOME": str(lab.tmp)})
    lab.assertEqual(verdicts(study), VERDICTS)
    left = [str(path) for path in (lab.home / "runs").glob("*/*")]
    lab.assertEqual(left, [])
    return "without effect: nothing is left of any run"
