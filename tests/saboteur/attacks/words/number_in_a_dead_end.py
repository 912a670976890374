"""
Tries: a model records a dead end that nobody walked into, with its figures.
Must: refused, with the field.
"""


def attack(lab):
    end = {"title": "Caching", "hypothesis": "a cache would help", "failure_mode": "hit rate of 3 %",
           "why_failed": "no locality", "lesson": "leave it"}
    lab.thinking(scripts={"you interpret the verdicts": [("record_dead_end", end), ("finish", {"summary": "It is said."})]})
    return lab.tool_refuses("record_dead_end", "`3` is an unsupported number")
