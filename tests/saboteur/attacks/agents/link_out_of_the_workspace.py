"""
Tries: someone puts a link that leads out of the workspace into it, for a model or a job to follow.
Must: refused before anything starts.
"""
import os


def attack(lab):
    lab.place()
    (lab.tmp / "secret.txt").write_text("the secret of the house")
    os.symlink(lab.tmp / "secret.txt", lab.dir / "innocent.txt")
    how = lab.refused("run", "study.yaml", says="is a link that leads out")
    lab.assertEqual(lab.json("ls"), [])
    return how
