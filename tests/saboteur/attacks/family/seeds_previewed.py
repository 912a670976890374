"""
Tries: somebody runs the very study in another home first, to see the runs that will count, and keeps what they support.
Must: the seeds that count are drawn at the registration: none of them was to be seen before, and fixed ones are marked.
"""


def attack(lab):
    lab.place(edits={"resources:": "seeds: drawn\nresources:"})
    seeds = []
    for home in ("preview", "home"):
        lab.home = lab.tmp / home
        study = lab.run_study("-o", str(lab.dir / f"{home}-ara"))
        seeds.append({run["seed"] for run in lab.lines("runs", study["id"])})
    lab.assertFalse(seeds[0] & seeds[1])
    lab.place(edits={"resources:": "seeds: fixed\nresources:"})
    fixed = lab.run_study("-o", str(lab.dir / "fixed-ara"))
    for hypothesis in fixed["hypotheses"]:
        lab.assertIn("seeds chosen by the author", hypothesis["warnings"])
    return lab.report_says(fixed, "The seeds were chosen by the author")
