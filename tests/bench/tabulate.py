"""Makes the two measured objectives of search.py, search_pipeline.csv.gz and search_network.csv.gz, in about three minutes.
They are stored beside it and need not be made again.

tabulate.py pipeline|network FILE.csv.gz

A row is one setting: the place of its level on each axis (from 0), then the result of every repetition. A repetition is
another split of the data with another start, so that the differences between repetitions are the objective's real noise.
Data: the 1,797 handwritten digits that scikit-learn has with it.

pipeline: scaling, principal components, then a support vector machine; the share of 600 held out digits that it gets wrong
          after 200 for training.
network:  a network with one hidden layer after 6 passes over 400 digits; its log loss on 600 others, in nats, no digit
          counted worse than 7.
"""
import csv
import gzip
import io
import itertools
import sys

import numpy as np
from sklearn.datasets import load_digits

REPETITIONS = 6
AXES = {
    "pipeline": {
        "scaling": ["none", "standard", "range"],
        "components": [2, 4, 8, 16, 32],
        "kernel": ["rbf", "poly"],
        "C": [0.01, 0.1, 1, 10, 100, 1000],
        "gamma": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1],
    },
    "network": {
        "rate": [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1, 3],
        "width": [2, 4, 8, 16, 32, 64],
        "batch": [8, 32, 128],
        "decay": [1e-5, 1e-3, 1e-1],
        "activation": ["relu", "tanh"],
    },
}


def split(repetition, training):
    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(repetition).permutation(len(y))
    train, test = order[:training], order[training : training + 600]
    return x[train], y[train], x[test], y[test]


def pipeline(repetition, scaling, components, kernel, C, gamma):
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.svm import SVC

    x, y, others, truth = split(repetition, 200)
    scaler = {"none": "passthrough", "standard": StandardScaler(), "range": MinMaxScaler()}[scaling]
    fitted = make_pipeline(
        scaler,
        PCA(components, svd_solver="full"),
        SVC(kernel=kernel, C=C, gamma=gamma, max_iter=20000),
    ).fit(x, y)
    return float(np.mean(fitted.predict(others) != truth))


def network(repetition, rate, width, batch, decay, activation):
    x, y, others, truth = split(repetition, 400)
    centre, spread = x.mean(), x.std()
    x, others = (x - centre) / spread, (others - centre) / spread
    random = np.random.default_rng(1000 + repetition)
    weights = random.normal(size=(64, width)) * 64**-0.5, random.normal(size=(width, 10)) * width**-0.5
    biases = np.zeros(width), np.zeros(10)
    state = [*weights, *biases]
    speed = [np.zeros_like(s) for s in state]

    def forward(data):
        inner = data @ state[0] + state[2]
        hidden = np.maximum(inner, 0) if activation == "relu" else np.tanh(inner)
        scores = hidden @ state[1] + state[3]
        scores = scores - scores.max(axis=1, keepdims=True)
        share = np.exp(scores)
        return inner, hidden, share / share.sum(axis=1, keepdims=True)

    with np.errstate(all="ignore"):
        for _ in range(6):
            order = random.permutation(len(y))
            for start in range(0, len(y), batch):
                some = order[start : start + batch]
                inner, hidden, share = forward(x[some])
                share[np.arange(len(some)), y[some]] -= 1
                share /= len(some)
                back = share @ state[1].T * ((inner > 0) if activation == "relu" else 1 - hidden**2)
                slopes = [x[some].T @ back, hidden.T @ share, back.sum(axis=0), share.sum(axis=0)]
                for s, v, g in zip(state, speed, slopes):
                    v *= 0.9
                    v -= rate * (g + (decay * s if s.ndim == 2 else 0))
                    s += v
        share = forward(others)[2][np.arange(len(truth)), truth]
        losses = -np.log(share)
    return float(np.mean(np.clip(np.nan_to_num(losses, nan=7, posinf=7), 0, 7)))


def main():
    name, path = sys.argv[1:]
    axes, measure = AXES[name], {"pipeline": pipeline, "network": network}[name]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*axes, *(f"r{i}" for i in range(REPETITIONS))])
    for places in itertools.product(*(range(len(levels)) for levels in axes.values())):
        setting = {axis: levels[i] for (axis, levels), i in zip(axes.items(), places)}
        rows.writerow([*places, *(f"{measure(i, **setting):.4f}" for i in range(REPETITIONS))])
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as out:
        out.write(text.getvalue().encode())


if __name__ == "__main__":
    main()
