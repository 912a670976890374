"""
Tries: a model calls one tool after the other, each time with something new, and never ends.
Must: its line of work is ended after a fixed number of calls.
"""


def attack(lab):
    lab.thinking([("grep", {"text": f"word {n}"}) for n in range(200)], code=None)
    ended = [e["payload"] for e in lab.said[:-1] if e["type"] == "LineEnded"]
    lab.assertIn("stopped after 80 calls", str(ended))
    lab.assertLessEqual(len(lab.server.requests), 81)
    return "line ended: It was stopped after 80 calls, the most that it may make."
