"""
Tries: a run writes three hundred values, to be counted as as many replicates.
Must: the run is the unit: n is the number of runs, and the interval is as wide as they make it.
"""
from lab import JOB


def attack(lab):
    same_seeds = {"resources:": "seeds: fixed\nresources:"}
    lab.place(edits=same_seeds)
    plain = lab.run_study()["hypotheses"][0]
    lab.place(job=JOB.replace('>> "$ETUDE_METRICS"', '> one') + 'for i in $(seq 300); do cat one; done >> "$ETUDE_METRICS"\n',
              edits=same_seeds | {"primary: true": "primary: true, summary: mean"})
    study = lab.run_study()
    one = study["hypotheses"][0]
    lab.assertEqual(one["n"], [6, 6])
    for mine, honest in zip(one["interval"], plain["interval"]):
        lab.assertAlmostEqual(mine, honest, places=6)
    return "without effect: n = 6 + 6, and the interval of one value a run"
