"""Quicksort that hands short pieces to insertion sort; counts its comparisons and moves."""
import argparse
import json
import os
import random


def insertion(a, low, high, work):
    for i in range(low + 1, high + 1):
        x, j = a[i], i
        while j > low:
            work[0] += 1
            if a[j - 1] <= x:
                break
            a[j] = a[j - 1]
            work[1] += 1
            j -= 1
        a[j] = x
        work[1] += 1


def pivot_of(a, low, high, how, rng, work):
    middle = (low + high) // 2
    if how == "first":
        return a[low]
    if how == "random":
        return a[rng.randint(low, high)]
    if how == "median3":
        work[0] += 3
        return sorted((a[low], a[middle], a[high]))[1]
    if high - low < 9:  # too few for three medians of three
        return a[middle]
    step = (high - low) // 8
    work[0] += 12
    thirds = [sorted((a[k], a[k + step], a[k + 2 * step]))[1] for k in (low, middle - step, high - 2 * step)]
    return sorted(thirds)[1]


def quicksort(a, cutoff, how, rng, work):
    pieces = [(0, len(a) - 1)]
    while pieces:
        low, high = pieces.pop()
        if high - low < cutoff:
            insertion(a, low, high, work)
        else:
            split(a, low, high, how, rng, work, pieces)


def split(a, low, high, how, rng, work, pieces):
    pivot = pivot_of(a, low, high, how, rng, work)
    i, j = low, high
    while i <= j:
        while a[i] < pivot:
            work[0] += 1
            i += 1
        while a[j] > pivot:
            work[0] += 1
            j -= 1
        work[0] += 2
        if i <= j:
            a[i], a[j] = a[j], a[i]
            work[1] += 2
            i, j = i + 1, j - 1
    pieces.append((low, j))
    pieces.append((i, high))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name, kind in (("cutoff", int), ("pivot", str), ("n", int), ("seed", int)):
        parser.add_argument("--" + name, type=kind)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    # Half sorted already, as real inputs are.
    values = sorted(rng.random() for _ in range(args.n // 2)) + [rng.random() for _ in range(args.n - args.n // 2)]
    work = [0, 0]
    ordered = list(values)
    quicksort(ordered, args.cutoff, args.pivot, rng, work)
    assert ordered == sorted(values)
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        out.write(json.dumps({"name": "work", "value": (work[0] + work[1]) / args.n}) + "\n")
