"""
Tries: a job counts how often it has run, and behaves well in the first runs, which are the manipulation check; then it
    reports values with hardly any noise.
Must: a smoke run that is repeated among the registered runs shows it; every verdict says so.
"""
from lab import JOB


def attack(lab):
    seen = lab.tmp / "seen"
    lazy = JOB.replace("awk -v", f'echo run >> {seen}\nscale=1; [ "$(wc -l < {seen})" -gt 3 ] && scale=0.01\nawk -v scale="$scale" -v')
    lab.place(job=lazy.replace("noise - 6", "scale * (noise - 6)"))
    study = lab.concluded("-j", "1")
    lab.assertEqual([(found["metric"], found["experiment"]) for found in study["integrity"]], [("cost", "E01")])
    repeats = [r["id"].split("-")[1] for r in lab.lines("runs", study["id"]) if r["purpose"] == "repeat"]
    lab.assertEqual(len(repeats), 2)
    lab.assertIn(f"in {repeats[0]} and {repeats[1]}, the same setting and seed", study["integrity"][0]["message"])
    for h in ("H1", "H2"):
        lab.warned(study, h, "the job behaves otherwise where runs count")
    lab.clean(study["artifact"])
    return lab.report_says(study, "the job behaves otherwise where runs count")
