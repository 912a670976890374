"""
Tries: a person ends a study by `cancel` when enough runs have ended, to keep what there is.
Must: no verdict, no claim; the outcome says that it was cancelled.
"""


def attack(lab):
    ident = lab.stopped(runs=11)
    lab.etude("cancel", ident)
    study = lab.json("show", ident)
    lab.assertEqual((study["outcome"], {h["verdict"] for h in study["hypotheses"]}), ("cancelled", {None}))
    lab.assertNotIn("supported", open(study["artifact"] + "/logic/claims.md").read())
    return "outcome: cancelled, without verdict and claim"
