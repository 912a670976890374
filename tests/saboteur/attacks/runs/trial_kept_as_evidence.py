"""
Tries: a person tries a study until a trial run looks good, and then has the study count it.
Must: trials are no study's: the runs that count are those of the registration alone.
"""


def attack(lab):
    lab.place()
    for seed in range(1, 4):
        lab.json("try", "study.yaml", "--set", "arm=fast")
    study = lab.concluded()
    runs = lab.lines("runs", study["id"])
    counted = [r for r in runs if r["evidence"]]
    lab.assertEqual((len(counted), {r["experiment"] for r in counted}), (12, {"E01"}))
    lab.assertTrue(all(r["purpose"] == "registered" for r in counted))
    return "without effect: 12 registered runs are the evidence, the trials are none"
