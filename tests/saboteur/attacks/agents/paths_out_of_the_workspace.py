"""
Tries: a model that mends code writes to `../`, an absolute path, a path with a NUL, below a file, through a link.
Must: every path is refused, and nothing is written anywhere.
"""
import os

from lab import JOB, PROPOSES, verdicts

BROKEN = JOB.replace("srand(seed % 1000003 ", "srand(7 ")


def attack(lab):
    outside = lab.tmp / "outside"
    outside.mkdir()
    lab.write("room/notes.txt", "nothing\n")
    os.symlink("room", lab.dir / "door")
    paths = ["../escaped.sh", "a/../../escaped.sh", str(outside / "escaped.sh"), "door/escaped.sh", "job.sh/escaped.sh",
             "escaped\u0000.sh", "./../escaped.sh", "", "/", "x/../../escaped.sh", "escaped\n/../../x", "door"]
    tries = [("write_file", {"path": path, "content": "echo escaped"}) for path in paths]
    mends = [*tries, ("edit_file", {"path": "job.sh", "old": "srand(7 ", "new": "srand(seed % 1000003 "}),
             ("finish", {"summary": "The seed was ignored."})]
    study = lab.thinking(PROPOSES, mends, job=BROKEN)
    refused = [refused for tool, refused, _ in lab.answers() if tool == "write_file"]
    lab.assertEqual(refused, [True] * len(paths), list(zip(paths, refused)))
    lab.assertEqual(verdicts(study), {"H1": "supported"})
    lab.assertFalse(list(outside.iterdir()) + list(lab.tmp.rglob("*escaped*")))
    return lab.tool_refuses("write_file", "there is a link, door, which stays as it is")
