"""
Tries: after a refutation a person asks again in a new study, the other way round and with another margin.
Must: the new study names what was found of the same contrast before.
"""


def attack(lab):
    lab.place()
    lab.run_study("-o", str(lab.dir / "first-ara"))
    lab.place(edits={"Fast costs more.": "Fast costs a tenth less.", "direction: greater": "direction: less, margin: {relative: 0.1}"})
    second = lab.run_study("-o", str(lab.dir / "second-ara"))
    lab.assertIn(("s1", "H2", "refuted"), {(p["study"], p["hypothesis"], p["verdict"])
                                           for p in second["hypotheses"][1]["predecessors"]})
    return lab.report_says(second, "H2 of s1")
