"""
Tries: a person sees how it goes, pauses, turns a hypothesis round in the study file, and resumes.
Must: the study goes on with what was registered, and says so in artifact and verdict.
"""
from lab import VERDICTS, verdicts


def attack(lab):
    ident = lab.stopped()
    file = lab.dir / "study.yaml"
    file.write_text(file.read_text().replace("direction: greater", "direction: less"))
    study = lab.lines("resume", ident, "--budget", "runs=100")[-1]
    lab.assertEqual(verdicts(study), VERDICTS)
    lab.assertIn("direction: greater", (lab.dir / "study-ara/src/study.yaml").read_text())
    lab.clean(study["artifact"])
    return "without effect: H2 was judged as registered, refuted"
