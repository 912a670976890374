"""
Tries: somebody leaves a file with keys in the workspace, where every job reads it and the artifact publishes it.
Must: `plan` and `run` name it before anything runs, and say what to do; no artifact is made before a person decides.
"""
from lab import HONEST


def attack(lab):
    lab.place(HONEST)
    lab.write("deploy/.env", "PASSWORD=not-shown\n")
    lab.write("notes.txt", "token ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5" + "\n")
    for verb, code in (("plan", 0), ("run", 130)):
        said = lab.etude(verb, "study.yaml", code=code).stderr
        lab.assertIn("`deploy/.env` (by its name), `notes.txt` (github token) look like secrets", said)
        lab.assertIn("workspace: {exclude:", said)
        lab.assertNotIn("not-shown", said)
    lab.assertFalse((lab.dir / "study-ara").exists())
    lab.place(HONEST + "workspace: {path: ., exclude: [.env, notes.txt]}\n")
    lab.assertNotIn("secret", lab.etude("plan", "study.yaml").stderr)
    return "warning before the first run: … look like secrets; the study waits at a gate before its artifact"
