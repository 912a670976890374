"""a model reads the code, proposes, decides and finishes; another one mends a seed that was ignored"""
from lab import JOB, PROPOSAL

PROPOSES = [("list_files", {}), ("read_file", {"path": "job.sh"}), ("propose_hypothesis", PROPOSAL),
            ("record_decision", {"title": "One contrast", "choice": "fast against slow", "alternatives": ["none"],
                                 "rationale": "the code says where the cost comes from"}),
            ("finish", {"summary": "I proposed the contrast that the question asks for."})]
MENDS = [("read_log", {"run": 1}), ("edit_file", {"path": "job.sh", "old": "srand(7 ", "new": "srand(seed % 1000003 "}),
         ("finish", {"summary": "The seed was ignored."})]


def study(lab):
    ended = lab.thinking(PROPOSES, MENDS, job=JOB.replace("srand(seed % 1000003 ", "srand(7 "))
    lab.assertEqual([a for a in lab.answers() if a[1]], [])
    lab.sound(ended, {"H1": "supported"})
