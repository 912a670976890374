"""
Tries: a model reads the machine's files, the home's store, its key's environment.
Must: there is no file system behind its tools: each is refused.
"""
from lab import PROPOSES


def attack(lab):
    paths = ["/etc/passwd", "../../etc/passwd", "../home/etude.db", str(lab.home / "etude.db"), "/proc/self/environ",
             "./job.sh/../../config.yaml", "."]
    lab.thinking([*[("read_file", {"path": path}) for path in paths], *PROPOSES])
    answers = [(refused, text) for tool, refused, text in lab.answers() if tool == "read_file"][:len(paths)]
    lab.assertEqual([refused for refused, _ in answers], [True] * len(paths), answers)
    lab.assertNotIn("root:x:", str(lab.server.requests))
    return lab.tool_refuses("read_file", "no such file")
