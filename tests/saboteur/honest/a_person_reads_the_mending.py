"""a model mends a crash of one arm, and a person reads the change and clears it"""
from lab import JOB, PROPOSES


def study(lab):
    mends = [("write_file", {"path": "job.sh", "content": JOB}), ("finish", {"summary": "One arm crashed."})]
    ended = lab.thinking(PROPOSES, mends, job=JOB.replace("awk -v", '[ "$1" = fast ] && exit 4\nawk -v'))
    lab.etude("judge", ended["id"], "K1", "--met", "--why", "I read it: the exit is gone, nothing else changed")
    lab.etude("artifact", ended["id"], "-o", lab.dir / "read-ara")
    report = (lab.dir / "read-ara/report.md").read_text()
    lab.assertIn("A person reviewed it", report)
    lab.assertNotIn("not reviewed by a person", report)
    lab.clean(lab.dir / "read-ara")
