"""
Tries: a person declares a guard that only the other arm's values can break, to have them out of the comparison.
Must: runs that break a guard count against the hypothesis's arms as failures.
"""


def attack(lab):
    lab.place(edits={"design:": "guards: [{metric: cost, at_most: 49.5}]\ndesign:"})
    study = lab.run_study()
    h = study["hypotheses"][0]
    lab.assertGreater(study["runs"]["invalid"], 0)
    lab.assertEqual(h["verdict"], "inconclusive", h)
    return f"H1 inconclusive: {h['reason'][:96]}"
