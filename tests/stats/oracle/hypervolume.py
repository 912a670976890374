#!/usr/bin/env python3
"""Writes hypervolume.json: areas by pymoo's hypervolume, and the area that a point with two normal values is expected to add,
by quadrature over that hypervolume, not by the closed form.

    python3 tests/stats/oracle/hypervolume.py     (needs numpy, scipy and pymoo)
"""
import json
import pathlib

import numpy as np
from pymoo.indicators.hv import HV
from scipy import stats


def area(points, reference):
    return float(HV(ref_point=np.array(reference))(np.array(points)))


def areas():
    random = np.random.default_rng(7)
    cases = []
    for n in [1, 2, 3, 5, 8, 13, 40]:
        points, reference = random.uniform(-1, 1.2, (n, 2)).round(3), random.uniform(0.6, 1.1, 2).round(2)
        cases.append({"points": points.tolist(), "reference": reference.tolist(), "area": area(points, reference)})
    return cases


def nodes(mean, sd, cuts, high):
    """Of Gauss-Legendre rules between all places where the added area bends, and each standard deviation."""
    low = mean - 8 * sd
    ends = sorted({low, high, *[c for c in cuts if low < c < high], *[mean + k * sd for k in range(-7, 9) if mean + k * sd < high]})
    at, weights = np.polynomial.legendre.leggauss(10)
    x = np.concatenate([(a + b) / 2 + (b - a) / 2 * at for a, b in zip(ends, ends[1:])])
    w = np.concatenate([(b - a) / 2 * weights for a, b in zip(ends, ends[1:])])
    return x, w * stats.norm.pdf(x, mean, sd)


def gains():
    points = [[0.2, 0.8], [0.45, 0.5], [0.5, 0.6], [0.9, 0.1], [1.4, 0.05]]
    reference = [1, 1]
    before = area(points, reference)
    cases = []
    for mean, sd in [((0.3, 0.4), (0.2, 0.15)), ((0.05, 0.95), (0.3, 0.02)), ((0.1, 0.1), (0.01, 0.02)), ((1.1, 1.05), (0.1, 0.2))]:
        x, u = nodes(mean[0], sd[0], [p[0] for p in points], reference[0])
        y, v = nodes(mean[1], sd[1], [p[1] for p in points], reference[1])
        gain = sum(u[i] * v[j] * (area(points + [[x[i], y[j]]], reference) - before)
                   for i in range(len(x)) for j in range(len(y)) if u[i] * v[j] > 1e-16)
        cases.append({"points": points, "reference": reference, "mean": mean, "sd": sd, "gain": gain})
    return cases


if __name__ == "__main__":
    out = pathlib.Path(__file__).parent / "hypervolume.json"
    out.write_text(json.dumps({"areas": areas(), "gains": gains()}) + "\n")
