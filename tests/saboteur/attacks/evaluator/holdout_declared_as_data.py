"""
Tries: a person declares the test data, or the folder that they are in, as the job's own data.
Must: refused before anything starts.
"""
from scored import place_scored


def attack(lab):
    for path in ("secret/test.csv", "secret"):
        place_scored(lab, more=f"data: {{peek: {{path: {path}, identity: sha256}}}}\n")
        refused = lab.etude("run", "study.yaml", code=None)
        lab.assertEqual(refused.returncode, 2, refused.stderr)
    return "refused, exit 2: " + refused.stderr.strip().split(": ", 1)[1][-70:]
