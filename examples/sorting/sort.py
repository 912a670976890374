"""Times one sorting algorithm on one kind of input, several times over.

Writes one `time_ms` per repeat (the first is for warming up: the study drops it), `comparisons`, the number of
comparisons of elements in one more sort of a quarter of the input, and `misplaced`, the number of positions at which
any of the results differs from the truth. Runs without etude too: then the metrics are printed.
"""
import argparse
import gc
import json
import os
import random
import sys
import time


def bubble(a):
    """Swaps neighbours; stops after the first pass that swapped nothing."""
    end = len(a) - 1
    swapped = True
    while swapped:
        swapped = False
        for i in range(end):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swapped = True
        end -= 1


def insertion(a):
    """Moves every element left past the larger ones: its work is the number of inversions."""
    for i in range(1, len(a)):
        x = a[i]
        j = i
        while j > 0 and a[j - 1] > x:
            a[j] = a[j - 1]
            j -= 1
        a[j] = x


def merge(a):
    """Bottom-up merge sort between two buffers, with no shortcut for parts that are already in order."""
    n = len(a)
    source, target = a, a[:]
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or source[i] <= source[j]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    a[:] = source


def heap(a):
    """Floyd's heap sort: builds a max-heap, then moves the largest to the end again and again."""

    def sift_down(root, end):
        x = a[root]
        child = 2 * root + 1
        while child < end:
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[child] <= x:
                break
            a[root] = a[child]
            root, child = child, 2 * child + 1
        a[root] = x

    n = len(a)
    for root in range(n // 2 - 1, -1, -1):
        sift_down(root, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift_down(0, end)


def quick(a):
    """Three-way quicksort: the pivot is the median of first, middle and last; equals of the pivot are done at once."""
    todo = [(0, len(a) - 1)]
    while todo:
        low, high = todo.pop()
        if low >= high:
            continue
        pivot = sorted((a[low], a[(low + high) // 2], a[high]))[1]
        less, i, greater = low, low, high
        while i <= greater:
            x = a[i]
            if x < pivot:
                a[i] = a[less]
                a[less] = x
                less += 1
                i += 1
            elif x > pivot:
                while a[greater] > pivot and greater > i:  # leave what is already on its side
                    greater -= 1
                a[i] = a[greater]
                a[greater] = x
                greater -= 1
            else:
                i += 1
        todo.append((low, less - 1))
        todo.append((greater + 1, high))


def timsort(a):
    """What Python itself uses, in C: the yardstick."""
    a.sort()


ALGORITHMS = {f.__name__: f for f in (bubble, insertion, merge, heap, quick, timsort)}


def make_input(distribution, n, rng):
    values = [rng.randrange(10**9) for _ in range(n)]
    if distribution == "random":
        return values
    if distribution == "few_unique":
        return [v % 8 for v in values]
    values.sort()
    if distribution == "sorted":
        return values
    if distribution == "reversed":
        return values[::-1]
    if distribution == "nearly_sorted":  # every element at most a few places from where it belongs
        places = sorted(range(n), key=lambda i: i + rng.uniform(0, 8))
        return [values[i] for i in places]
    raise SystemExit(f"unknown distribution: {distribution}")


class Counted(int):
    """A number that counts how often it is compared."""
    compared = 0

    def __lt__(self, other):
        Counted.compared += 1
        return int.__lt__(self, other)

    def __le__(self, other):
        Counted.compared += 1
        return int.__le__(self, other)

    def __gt__(self, other):
        Counted.compared += 1
        return int.__gt__(self, other)

    def __ge__(self, other):
        Counted.compared += 1
        return int.__ge__(self, other)

    def __eq__(self, other):
        Counted.compared += 1
        return int.__eq__(self, other)

    __hash__ = int.__hash__


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--algorithm", choices=sorted(ALGORITHMS), required=True)
    parser.add_argument("--input", required=True)
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    sort = ALGORITHMS[args.algorithm]
    data = make_input(args.input, args.n, random.Random(args.seed))
    truth = sorted(data)
    times, misplaced = [], 0
    gc.disable()
    for _ in range(args.repeats):
        a = data[:]
        # Processor time: a busy machine must not look like a slow algorithm.
        start = time.process_time_ns()
        sort(a)
        times.append((time.process_time_ns() - start) / 1e6)
        misplaced += sum(x != y for x, y in zip(a, truth)) + abs(len(a) - len(truth))

    counted = [Counted(x) for x in data[:max(2, args.n // 4)]]
    sort(counted)

    path = os.environ.get("ETUDE_METRICS")
    with open(path, "a") if path else sys.stdout as out:
        for step, value in enumerate(times):
            print(json.dumps({"name": "time_ms", "value": value, "step": step}), file=out)
        print(json.dumps({"name": "comparisons", "value": Counted.compared}), file=out)
        print(json.dumps({"name": "misplaced", "value": misplaced}), file=out)


if __name__ == "__main__":
    main()
