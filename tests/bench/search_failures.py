#!/usr/bin/env python3
"""search_failures.py STEPS [--seeds N]: how many of 50 runs a search spends where every run fails, compared with Optuna's TPE
(`TrialPruned`) and random settings, if Optuna can be imported. STEPS: the program bench_search_steps."""
import argparse
import json
import random
import statistics
import subprocess

RUNS = 50
NUMBER = {"low": 0, "high": 1}


def bowl(cell, names, at):
    return sum((float(cell[name]) - a) ** 2 for name, a in zip(names, at))


def noisy(fails, value, sd):
    """An objective with its own noise; None where the run fails."""
    return lambda seed: (lambda cell, rng=random.Random(seed): None if fails(cell) else value(cell) + rng.gauss(0, sd))


X = [f"x{i}" for i in range(6)]
OF_KIND = {"a": 0.2, "b": 0.0, "c": 0.5, "d": 0.0}
PROBLEMS = {
    "4 numbers, x3 > 0.7": ([NUMBER] * 4, noisy(lambda c: float(c["x3"]) > 0.7,
                                               lambda c: bowl(c, X, [0.3, 0.6, 0.2]) + 0.3 * (float(c["x3"]) - 0.2) ** 2, 0.03)),
    "1 of 4 categories": ([NUMBER] * 3 + [{"levels": list("abcd")}],
                          noisy(lambda c: c["x3"] == "d", lambda c: bowl(c, X, [0.3, 0.6, 0.2]) + OF_KIND[c["x3"]], 0.03)),
    "2 of 4 categories": ([NUMBER] * 3 + [{"levels": list("abcd")}],
                          noisy(lambda c: c["x3"] in "cd", lambda c: bowl(c, X, [0.3, 0.6, 0.2]) + OF_KIND[c["x3"]], 0.03)),
    "3 numbers, x0 + x1 > 1.1, the best at this border":
        ([NUMBER] * 3, noisy(lambda c: float(c["x0"]) + float(c["x1"]) > 1.1,
                             lambda c: -float(c["x0"]) - float(c["x1"]) + 0.3 * (float(c["x2"]) - 0.4) ** 2
                             + 0.2 * (float(c["x0"]) - 0.5) ** 2, 0.02)),
    "6 numbers, x0 > 0.6": ([NUMBER] * 6, noisy(lambda c: float(c["x0"]) > 0.6, lambda c: bowl(c, X, [0.4] * 6), 0.03)),
}


def ours(steps, factors, objective, seed):
    process = subprocess.Popen([steps], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(json.dumps({"factors": factors, "runs": RUNS, "beside": 1, "top": 1, "seed": seed}), file=process.stdin, flush=True)
    failed = 0
    for line in process.stdout:
        kind, given = line.split(" ", 1)
        if kind == "best":
            break
        value = objective(json.loads(given))
        failed += value is None
        print("failed" if value is None else repr(value), file=process.stdin, flush=True)
    process.communicate()
    return failed


def peer(sampler, factors, objective):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    failed = 0

    def one(trial):
        nonlocal failed
        value = objective({f"x{i}": trial.suggest_categorical(f"x{i}", f["levels"]) if "levels" in f
                           else trial.suggest_float(f"x{i}", f["low"], f["high"]) for i, f in enumerate(factors)})
        if value is None:
            failed += 1
            raise optuna.TrialPruned()
        return value

    optuna.create_study(sampler=sampler).optimize(one, n_trials=RUNS)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("steps")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    try:
        from optuna.samplers import RandomSampler, TPESampler
        peers = {"TPE": lambda seed: TPESampler(seed=seed), "random": lambda seed: RandomSampler(seed=seed)}
    except ImportError:
        peers = {}
    print("| where runs fail | etude |" + "".join(f" {name} |" for name in peers))
    print("|---|---|" + "---|" * len(peers))
    for name, (factors, made) in PROBLEMS.items():
        seeds = range(1, options.seeds + 1)
        means = [statistics.mean(ours(options.steps, factors, made(seed), seed) for seed in seeds)]
        means += [statistics.mean(peer(sampler(seed), factors, made(seed)) for seed in seeds) for sampler in peers.values()]
        print(f"| {name} |" + "".join(f" {mean:.1f} |" for mean in means), flush=True)


if __name__ == "__main__":
    main()
