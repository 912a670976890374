"""a model reads the code, finds nothing to mend, and proposes one contrast"""
from lab import PROPOSAL

PROPOSES = [("read_file", {"path": "job.sh"}), ("propose_hypothesis", PROPOSAL),
            ("finish", {"summary": "I proposed the contrast that was asked for."})]


def study(lab):
    ended = lab.thinking(PROPOSES)
    lab.assertEqual([a for a in lab.answers() if a[1]], [])
    lab.assertNotIn("Agent's code", open(f"{ended['artifact']}/report.md").read())
    lab.sound(ended, {"H1": "supported"})
