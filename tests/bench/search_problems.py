"""Noisy objectives for search.py: five functions, whose optimum lies elsewhere for every seed, and two measured tables."""
import csv
import functools
import gzip
import math
import pathlib
import statistics
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


class Problem:
    """Axes are ("real",) from 0 to 1, ("integer", n) from 0 to n − 1, or ("category", n) likewise, without an order."""

    def __init__(self, axes, expected, best, noise, draw=None):
        self.axes, self.expected, self.best, self.noise = axes, expected, best, noise
        self.draw = draw or (lambda setting, random: expected(setting) + noise * random.normal())
        self.baseline = [
            0.5 if axis[0] == "real" else (axis[1] // 2 if axis[0] == "integer" else 0)
            for axis in axes
        ]

    def regret(self, setting):
        return self.expected(setting) - self.best


def branin(u):
    x, y = u[0] * 15 - 5, u[1] * 15
    return (y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6) ** 2 + 10 * (
        1 - 1 / (8 * math.pi)
    ) * math.cos(x) + 10


HARTMANN_SHARPNESS = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
HARTMANN_CENTRES = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann(u):
    return -float(
        np.array([1, 1.2, 3, 3.2]) @ np.exp(-(HARTMANN_SHARPNESS * (u - HARTMANN_CENTRES) ** 2).sum(1))
    )


def ackley(u):
    x = u * 20
    return (
        -20 * math.exp(-0.2 * math.sqrt(float((x**2).mean())))
        - math.exp(float(np.cos(2 * math.pi * x).mean()))
        + 20
        + math.e
    )


def rosenbrock(u):
    x = u * 4 - 2
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


@functools.cache
def table(name):
    with gzip.open(HERE / f"search_{name}.csv.gz", "rt") as file:
        head, *rows = csv.reader(file)
    axes = sum(not column[1:].isdigit() for column in head)
    return {tuple(map(int, row[:axes])): np.array(list(map(float, row[axes:]))) for row in rows}


CATEGORIES = {"pipeline": [0, 2], "network": [4]}


def tabulated(name):
    results = table(name)
    sizes = [1 + max(column) for column in zip(*results)]
    axes = [("category" if i in CATEGORIES[name] else "integer", n) for i, n in enumerate(sizes)]
    order = sorted(results.values(), key=lambda r: float(r.mean()))
    best = float(order[0].mean())
    # As it is among good settings; what diverges varies much more.
    noise = math.sqrt(statistics.fmean(float(r.var()) for r in order[: len(order) // 10]))
    return Problem(
        axes,
        lambda setting: float(results[tuple(setting)].mean()),
        best,
        noise,
        lambda setting, random: float(random.choice(results[tuple(setting)])),
    )


def problem_of(name, seed):
    """The problem with its optimum where the seed puts it."""
    random = np.random.default_rng([zlib.crc32(name.encode()), seed])
    if name in CATEGORIES:
        return tabulated(name)

    def shifted(function, axes, reach, best, noise):
        by = random.uniform(-reach, reach, axes)
        return Problem([("real",)] * axes, lambda u: function(np.array(u) - by), best, noise)

    # The shifts leave the best setting within the range, and none beyond the usual range is better.
    if name == "branin":
        return shifted(branin, 2, 0.15, 0.39788736, 1)
    if name == "hartmann6":
        return shifted(hartmann, 6, 0.1, -3.32236801, 0.1)
    if name == "rosenbrock3":
        return shifted(rosenbrock, 3, 0.15, 0, 3)
    if name == "ackley4":
        centre = random.uniform(0.3, 0.7, 4)
        return Problem([("real",)] * 4, lambda u: ackley(np.array(u) - centre), 0, 0.3)
    if name == "mixed":
        # Three numbers, a category that moves the optimum and adds to the result, one that changes the slope.
        centre, costs = random.uniform(0.2, 0.8, 3), random.uniform(0.5, 2, 4)
        costs[random.integers(4)] = 0

        def mixed(setting):
            u, kind, steep = np.array(setting[:3]), setting[3], setting[4]
            return float(4 * ((u - centre - (0.1 * kind - 0.15)) ** 2).sum() * (1 + steep) + costs[kind])

        # The cheapest kind has its optimum within the range, so that no other is better.
        return Problem([("real",)] * 3 + [("category", 4), ("category", 2)], mixed, 0, 0.2)
    raise SystemExit(f"no problem {name}")


PROBLEMS = ["branin", "hartmann6", "ackley4", "rosenbrock3", "mixed", "pipeline", "network"]
