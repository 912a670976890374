"""Estimates pi from random points in the unit square; prints the average error. Put your own experiment here."""
import argparse
import math
import random

parser = argparse.ArgumentParser()
parser.add_argument("--sampling", choices=["plain", "stratified"], required=True)
parser.add_argument("--points", type=int, default=1024)
parser.add_argument("--estimates", type=int, default=30)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

rng = random.Random(args.seed)


def estimate():
    if args.sampling == "plain":
        points = [(rng.random(), rng.random()) for _ in range(args.points)]
    else:  # one point in each cell of a grid
        side = math.isqrt(args.points)
        points = [((i + rng.random()) / side, (j + rng.random()) / side) for i in range(side) for j in range(side)]
    return 4 * sum(x * x + y * y <= 1 for x, y in points) / len(points)


error = sum(abs(estimate() - math.pi) for _ in range(args.estimates)) / args.estimates
print(f"error={error:.6g}")
