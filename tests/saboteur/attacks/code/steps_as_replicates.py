"""
Tries: a run writes three hundred values, to be counted as as many replicates.
Must: the run is the unit: n is the number of runs, and the interval is as wide as they make it.
"""
from lab import JOB


def attack(lab):
    lab.place(job=JOB.replace('>> "$ETUDE_METRICS"', '> one') + 'for i in $(seq 300); do cat one; done >> "$ETUDE_METRICS"\n',
              edits={"primary: true": "primary: true, summary: mean"})
    study = lab.run_study()
    plain = lab.bench.honest()[0]["hypotheses"][0]
    one = study["hypotheses"][0]
    lab.assertEqual(one["n"], [6, 6])
    for mine, honest in zip(one["interval"], plain["interval"]):
        lab.assertAlmostEqual(mine, honest, places=6)
    return "without effect: n = 6 + 6, and the interval of one value a run"
