"""Times looking up items in a list or a set, and checks the answers. Put the implementations you compare here."""
import argparse
import json
import os
import random
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--container", choices=["list", "set"], required=True)
parser.add_argument("--items", type=int, required=True)
parser.add_argument("--repeats", type=int, default=6)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

rng = random.Random(args.seed)  # the same seed gives every arm the same input
numbers = rng.sample(range(10 * args.items), args.items)
container = set(numbers) if args.container == "set" else numbers
known = set(numbers)

# Metrics are JSON lines appended to $ETUDE_METRICS; outside etude they are printed.
path = os.environ.get("ETUDE_METRICS")
with open(path, "a") if path else sys.stdout as out:
    wrong = 0
    for repeat in range(args.repeats):
        wanted = [rng.randrange(10 * args.items) for _ in range(100)]
        start = time.process_time_ns()  # processor time: a busy machine is not a slow program
        found = [number in container for number in wanted]
        elapsed = (time.process_time_ns() - start) / 1000 / len(wanted)
        wrong += sum(answer != (number in known) for number, answer in zip(wanted, found))
        print(json.dumps({"name": "time_us", "value": elapsed, "step": repeat}), file=out)
    print(json.dumps({"name": "wrong", "value": wrong}), file=out)
