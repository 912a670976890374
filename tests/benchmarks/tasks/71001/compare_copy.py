"""The solution: comparisons of both algorithms on shuffled and sorted input."""
import json
import os
import random
import sys

from lib.sorting import insertion_sort, merge_sort

rng = random.Random(int(sys.argv[1]))
counts = {}
for order in ("shuffled", "sorted"):
    items = list(range(200))
    if order == "shuffled":
        rng.shuffle(items)
    counts[order] = {f.__name__: f(items)[1] for f in (insertion_sort, merge_sort)}
with open(os.environ["ETUDE_OUTPUT"] + "/results.json", "w") as out:
    json.dump(counts, out)
