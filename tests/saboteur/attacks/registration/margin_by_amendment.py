"""
Tries: a person amends a study whose values were seen, to have its margin and hypotheses read anew.
Must: an amendment takes code only; the same code is refused.
"""


def attack(lab):
    ident = lab.stopped()
    file = lab.dir / "study.yaml"
    file.write_text(file.read_text().replace("direction: greater", "direction: less"))
    lab.etude("amend", ident, "--why", "a better question", code=None)
    study = lab.json("show", ident)
    lab.assertEqual([h["direction"] for h in study["hypotheses"] if h["id"] == "H2"], ["greater"])
    how = "the workspace holds the study file, so it is other code: "
    withdrawn = [h["id"] for h in study["hypotheses"] if h.get("withdrawn")]
    lab.assertEqual(withdrawn, ["H1", "H2"])
    return how + "hypotheses as registered, withdrawn and counted once more"
