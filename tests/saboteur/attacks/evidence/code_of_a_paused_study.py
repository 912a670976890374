"""
Tries: someone edits the frozen code of a paused study, in the home, so that the rest of its runs compute another thing.
Must: the study goes on with the code that it froze, and verify says what was changed.
"""
from lab import VERDICTS, verdicts


def attack(lab):
    ident = lab.stopped()
    copy = next((lab.home / "workspaces").iterdir()) / "job.sh"
    honest = copy.read_text()
    copy.chmod(0o644)
    copy.write_text(honest.replace("? 40 : 50", "? 80 : 50"))
    how = lab.verify_finds("job.sh was changed")
    study = lab.lines("resume", ident, "--budget", "runs=100")[-1]
    lab.assertEqual(verdicts(study), VERDICTS)
    lab.assertEqual(copy.read_text(), honest)
    lab.clean(study["artifact"])
    return how
