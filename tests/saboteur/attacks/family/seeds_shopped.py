"""
Tries: a person runs the same study with one seed after the other, until a verdict is to his liking.
Must: the later study names the earlier ones beside its verdict, and their verdicts.
"""


def attack(lab):
    studies = []
    for seed in (1, 2, 3):
        lab.place(edits={"resources:": f"seed: {seed}\nresources:"})
        studies.append(lab.run_study("-o", str(lab.dir / f"ara-{seed}")))
    named = {p["study"] for p in studies[2]["hypotheses"][0]["predecessors"]}
    lab.assertEqual(named, {studies[0]["id"], studies[1]["id"]})
    return lab.report_says(studies[2], "H1 of s1")
