"""Estimators of the centre of a sample."""


def mean(sample):
    return sum(sample) / len(sample)


def median(sample):
    ordered = sorted(sample)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
