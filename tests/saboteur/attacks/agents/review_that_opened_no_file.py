"""
Tries: a model that reviews code confirms every requirement without opening a file, or after it read other lines.
Must: refused until it has read the lines in that line of work; nothing is registered before.
"""
from lab import JOB


def attack(lab):
    judges = {"id": "R1", "met": True, "why": "The source does what is asked."}
    draws = [("bind_requirement", {"of": "method", "text": "The arm decides on the cost.", "file": "job.sh", "from_line": 2,
                                   "to_line": 6}), ("finish", {"summary": "This matters."})]
    reviews = [("judge_requirement", judges),
               [("read_file", {"path": "job.sh", "lines": 4}), ("judge_requirement", judges)],
               [("grep", {"text": "fast"}), ("judge_requirement", judges)], ("finish", {"summary": "All is well."})]
    # A job that does not fit into the task: what the task quotes counts as read.
    study = lab.thinking(job=JOB + "#" + "-" * 30000 + "\n", scripts={"you say what the question requires": draws, "you review the source": reviews}, code=None)
    refused = [no for tool, no, _ in lab.answers() if tool == "judge_requirement"]
    lab.assertTrue(refused and all(refused), lab.answers())
    lab.assertFalse([e for e in lab.said[:-1] if e["type"] in ("RequirementJudged", "ExperimentRegistered")], study)
    return lab.tool_refuses("judge_requirement", "which this review has not read")
