"""Trains logistic regression on made-up data by gradient descent. Put your own training here; what matters to etude is
that it takes its settings and seed from the command line and calls `record`."""
import argparse
import json
import math
import os
import random
import sys


# Metrics are JSON lines appended to $ETUDE_METRICS; outside etude they are printed. NaN may be written as it is.
out = open(os.environ["ETUDE_METRICS"], "a") if "ETUDE_METRICS" in os.environ else sys.stdout


def record(name, value, step):
    print(json.dumps({"name": name, "value": value, "step": step}), file=out, flush=True)


def make_data(count, weights, rng):
    xs = [[rng.gauss(0, 1 / (1 + i)) for i in range(len(weights))] for _ in range(count)]
    ys = [int(sum(w * v for w, v in zip(weights, x)) + rng.gauss(0, 0.5) > 0) for x in xs]
    return xs, ys


def probability(weights, x):
    z = sum(w * v for w, v in zip(weights, x))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))


parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, required=True)
parser.add_argument("--momentum", type=float, default=0)
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

rng = random.Random(args.seed)
truth = [rng.gauss(0, 1) * (1 + i) for i in range(10)]
train_x, train_y = make_data(400, truth, rng)
test_x, test_y = make_data(1000, truth, rng)

weights, velocity = [0.0] * len(truth), [0.0] * len(truth)
for step in range(1, args.steps + 1):
    batch = rng.sample(range(len(train_x)), 32)
    gradient, loss = [0.0] * len(weights), 0.0
    for i in batch:
        p = probability(weights, train_x[i])
        loss -= math.log(p if train_y[i] else 1 - p) / len(batch)
        for k, v in enumerate(train_x[i]):
            gradient[k] += (p - train_y[i]) * v / len(batch)
    velocity = [args.momentum * v - args.lr * g for v, g in zip(velocity, gradient)]
    weights = [w + v for w, v in zip(weights, velocity)]
    if step % 10 == 0:
        record("loss", loss, step)

right = sum((probability(weights, x) > 0.5) == bool(y) for x, y in zip(test_x, test_y))
record("accuracy", right / len(test_x), args.steps)

# Whatever lies in $ETUDE_OUTPUT when the run ends is kept with it.
if "ETUDE_OUTPUT" in os.environ:
    with open(os.path.join(os.environ["ETUDE_OUTPUT"], "weights.json"), "w") as file:
        json.dump({"step": args.steps, "weights": weights}, file)
