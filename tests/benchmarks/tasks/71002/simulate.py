"""The solution: the mean squared errors of both estimators with outliers."""
import json
import os
import random
import sys

from estimators import mean, median

rng = random.Random(int(sys.argv[1]))
errors = {"mean": 0.0, "median": 0.0}
for _ in range(200):
    sample = [rng.gauss(0, 1) + (50 if rng.random() < 0.1 else 0) for _ in range(20)]
    errors["mean"] += mean(sample) ** 2 / 200
    errors["median"] += median(sample) ** 2 / 200
with open(os.environ["ETUDE_OUTPUT"] + "/results.json", "w") as out:
    json.dump(errors, out)
