"""a model mends a crash of one arm; the other arm is the same before and after, to the last digit"""
from lab import JOB, PROPOSES


def study(lab):
    mends = [("write_file", {"path": "job.sh", "content": JOB}), ("finish", {"summary": "One arm crashed."})]
    ended = lab.thinking(PROPOSES, mends, job=JOB.replace("awk -v", '[ "$1" = fast ] && exit 4\nawk -v'))
    compared = next(e["payload"] for e in lab.said[:-1] if e["type"] == "CodeCompared")
    lab.assertNotIn("unchecked", compared)
    lab.assertTrue(compared["values"])
    for value in compared["values"]:
        lab.assertEqual({value["original"], value["again"]}, {value["amended"]})
    lab.assertEqual(compared["noisy"], [])
    lab.report_says(ended, "Agent's code, not reviewed by a person.")
    lab.sound(ended, {"H1": "supported"})
