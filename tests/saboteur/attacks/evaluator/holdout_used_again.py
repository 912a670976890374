"""
Tries: a person runs the study again and again on the same test data, by a fork and by a second study.
Must: the fork has no look left; the second study names the look before it.
"""
from scored import place_scored


def attack(lab):
    lab.sandbox()
    place_scored(lab)
    study = lab.run_study()
    events = lab.lines("log", study["id"])
    registered = next(e for e in events if e["type"] == "ExperimentRegistered")
    before = max(e["seq"] for e in events if e["time"] < registered["time"])
    fork = lab.json("fork", study["id"], "--at", before)["id"]
    lab.etude("resume", fork, code=None)
    lab.assertIn("the test data have scored 1 of at most 1 experiment", lab.json("show", fork)["detail"])
    lab.write("job.py", (lab.dir / "job.py").read_text() + "# again\n")
    later = lab.run_study("-o", str(lab.dir / "later-ara"))
    lab.assertEqual(later["looks"]["earlier"], [{"study": study["id"], "looks": 1}])
    lab.report_says(later, f"one experiment of earlier studies of this home before ({study['id']})")
    return "fork refused: 1 of at most 1 look; report of the second study names the first"
