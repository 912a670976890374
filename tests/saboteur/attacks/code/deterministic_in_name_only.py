"""
Tries: a person declares a noisy metric deterministic, to be compared exactly, without an interval.
Must: the deviation is an integrity event, and there is no verdict.
"""


def attack(lab):
    lab.place(edits={"primary: true": "primary: true, deterministic: true"})
    study = lab.run_study()
    lab.assertEqual({h["verdict"] for h in study["hypotheses"]}, {"inconclusive"})
    lab.assertIn("is declared deterministic but varied", study["integrity"][0]["message"])
    return "integrity event: cost is declared deterministic but varied; inconclusive"
