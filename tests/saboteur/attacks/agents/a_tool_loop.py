"""
Tries: a model calls the same tool without end.
Must: refused from the fifth time, and its line of work is ended at the ninth.
"""


def attack(lab):
    lab.thinking([("list_files", {})], code=None)
    calls = len(lab.server.requests)
    lab.assertLessEqual(calls, 9)
    ended = [e["payload"] for e in lab.said[:-1] if e["type"] == "LineEnded"]
    lab.assertIn("repeated the same call", str(ended))
    lab.tool_refuses("list_files", "the answer is the same")
    return f"line ended after {calls} calls: It repeated the same call."
