#!/usr/bin/env python3
"""Writes surrogate.json: predictions of scikit-learn's Gaussian process and expected improvements by SciPy's quadrature.

    python3 tests/stats/oracle/surrogate.py     (needs numpy, scipy and scikit-learn)
"""
import json
import pathlib

import numpy as np
from scipy import integrate, stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel


def response(x):
    return np.sin(5 * x[:, 0]) + 2 * (x[:, 1] - 0.4) ** 2 + (x[:, 2] * 0.3 if x.shape[1] > 2 else 0)


def predictions():
    cases = []
    for axes, n, noise in [(2, 60, 0.1), (3, 80, 0.05), (2, 60, 0.5)]:
        random = np.random.default_rng(axes * n)
        x = random.random((n, axes)).round(4)
        y = (response(x) + noise * random.normal(size=n)).round(6)
        kernel = ConstantKernel(1) * Matern([0.5] * axes, nu=2.5) + WhiteKernel(0.1)
        process = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=5, random_state=1).fit(x, y)
        at = (0.1 + 0.8 * random.random((20, axes))).round(4)
        # Its standard deviation includes the noise.
        mean, sd = process.predict(at, return_std=True)
        noise_variance = process.kernel_.k2.noise_level * y.std() ** 2
        cases.append({"x": x.tolist(), "y": y.tolist(), "at": at.tolist(), "mean": mean.tolist(),
                      "sd": np.sqrt(np.maximum(sd ** 2 - noise_variance, 0)).tolist(), "noise": float(noise_variance ** 0.5)})
    return cases


def improvements():
    cases = []
    for mean, sd, best in [(0, 1, 0), (1, 0.5, 2), (3, 1, 0), (0.5, 0.1, 0), (0.65, 0.1, 0), (2, 0.1, 0)]:
        # In units of the density at `best`, which would underflow far away.
        u = (best - mean) / sd
        value, _ = integrate.quad(lambda t: t * np.exp(-t * t / 2 + u * t), 0, np.inf if u < 0 else u + 40, epsabs=0)
        cases.append({"mean": mean, "sd": sd, "best": best, "log": float(np.log(value) + stats.norm.logpdf(u) + np.log(sd))})
    return cases


if __name__ == "__main__":
    out = pathlib.Path(__file__).parent / "surrogate.json"
    out.write_text(json.dumps({"predictions": predictions(), "improvements": improvements()}) + "\n")
