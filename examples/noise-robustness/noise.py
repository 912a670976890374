"""Trains one classifier on clean and on corrupted breast-cancer data and writes how much accuracy the corruption cost,
for each of a few fresh splits into training and test part.

`noise` is the fraction of values corrupted: with --kind label, of the training labels (flipped); with --kind feature,
of the measurements in the training and the test part (each replaced by the same feature of another patient). Labels
that accuracy is computed from are never touched. Splits and noise depend on the seed alone, so that models that
share a seed are compared on the same data. Runs without etude too: then the metrics are printed.
"""
import argparse
import json
import os
import sys

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split


def make_model(name, seed):
    # The ensembles are sums or votes of decision trees; each is imported only when asked for.
    if name == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    if name == "forest":
        from sklearn.ensemble import RandomForestClassifier
        return RandomForestClassifier(n_estimators=25, random_state=seed)
    if name == "bagging":
        from sklearn.ensemble import BaggingClassifier
        return BaggingClassifier(n_estimators=12, random_state=seed)  # of fully grown trees
    if name == "boosting":
        from sklearn.ensemble import GradientBoostingClassifier
        return GradientBoostingClassifier(n_estimators=40, max_features="sqrt", random_state=seed)
    raise SystemExit(f"unknown model: {name}")


def flip_labels(y, fraction, rng):
    y = y.copy()
    chosen = rng.choice(len(y), size=round(fraction * len(y)), replace=False)
    y[chosen] = 1 - y[chosen]
    return y


def mix_features(x, fraction, rng):
    others = np.column_stack([rng.permutation(column) for column in x.T])
    return np.where(rng.random(x.shape) < fraction, others, x)


def accuracies(args, x, y, rng):
    """Of the same model on the same split: trained and tested on clean data, and on corrupted data."""
    split_seed, model_seed = (int(v) for v in rng.integers(2**31, size=2))
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.4, stratify=y, random_state=split_seed)
    clean = make_model(args.model, model_seed).fit(x_train, y_train).score(x_test, y_test)
    noise = np.random.default_rng(split_seed)
    if args.kind == "label":
        y_train = flip_labels(y_train, args.noise, noise)
    else:
        x_train, x_test = mix_features(x_train, args.noise, noise), mix_features(x_test, args.noise, noise)
    noisy = make_model(args.model, model_seed).fit(x_train, y_train).score(x_test, y_test)
    return clean, noisy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--kind", choices=["label", "feature"], required=True)
    parser.add_argument("--noise", type=float, required=True)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    x, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(args.seed)
    path = os.environ.get("ETUDE_METRICS")
    with open(path, "a") if path else sys.stdout as out:
        for split in range(args.splits):
            clean, noisy = accuracies(args, x, y, rng)
            for name, value in (("accuracy_drop", clean - noisy), ("clean_accuracy", clean), ("noisy_accuracy", noisy)):
                print(json.dumps({"name": name, "value": value, "step": split}), file=out)


if __name__ == "__main__":
    main()
