"""
Tries: a model finishes at once, without a hypothesis, so that there is nothing to refute.
Must: the study does not conclude: it stops and says what is missing.
"""


def attack(lab):
    study = lab.thinking([("finish", {"summary": "Nothing needs to be tested."})], code=None)
    lab.assertNotEqual(study["outcome"], "concluded")
    lab.assertNotIn("supported", str(study["hypotheses"]))
    return f"study {study['state']}: {(study.get('detail') or study.get('reason') or '')[:70]}"
