"""Compares the kernel's search by a model with others at equal numbers of runs; docs/search.md has the table and says more.

search.py BENCH_SEARCH_STEPS [--results FILE] [--methods a,b] [--problems a,b] [--budgets 50,100] [--seeds 51|20-40]
          [--jobs N] [--table]

One search is a method, a problem, a number of runs and a seed; its result is one line of FILE, search_results.csv beside
this program (search_results.py says more). What FILE has is not done again: stop it when you like and start it again. So
results of many sessions add up. --table only prints the tables of what FILE has, as Markdown.

Each method begins with the same baseline (the middle of each range, the first category), sees the same noisy results, and
names up to 3 settings, the best first. Each of them and the baseline are then run 12 times afresh, and compared (Welch's
test, one-sided, Holm's correction, 5 %). The answer is the setting confirmed as better that has the best mean, or else the
baseline; its regret is its expected result minus the best possible.

Methods: `ours` (`ours-4` proposes 4 at a time), `tpe` and `gp` (Optuna), `smac` (SMAC3's facade for hyperparameters), and
`random`, with their own defaults. Packages: tests/peers/search.txt. Tables: search_pipeline.csv.gz, search_network.csv.gz.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import zlib

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"
import numpy as np
from search_problems import PROBLEMS, problem_of
from search_results import BUDGETS, FILE, PEERS, Results, levels, tables, version_of

TOP, FRESH, ALPHA = 3, 12, 0.05


def distinct(settings):
    found = []
    for setting in settings:
        if setting not in found:
            found.append(setting)
    return found[:TOP]


def best_seen(tried):
    """The settings by the mean of their results."""
    results = {}
    for setting, value in tried:
        results.setdefault(tuple(setting), []).append(value)
    return distinct(list(s) for s in sorted(results, key=lambda s: statistics.fmean(results[s])))


def ours(problem, runs, seed, measure, tool, beside=1):
    factors = []
    for axis in problem.axes:
        if axis[0] == "real":
            factors.append({"low": 0, "high": 1})
        elif axis[0] == "integer":
            factors.append({"low": 0, "high": axis[1] - 1, "integer": True})
        else:
            factors.append({"levels": [f"l{i}" for i in range(axis[1])]})

    def setting(cell):
        texts = [cell[f"x{i}"] for i in range(len(problem.axes))]
        return [
            float(text) if axis[0] == "real" else int(text) if axis[0] == "integer" else int(text[1:])
            for axis, text in zip(problem.axes, texts)
        ]

    space = {"factors": factors, "runs": runs, "beside": beside, "top": TOP, "seed": seed + 1}
    with subprocess.Popen([tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as search:
        print(json.dumps(space), file=search.stdin, flush=True)
        for line in search.stdout:
            word, given = line.split(" ", 1)
            if word == "best":
                return distinct(setting(cell) for cell in json.loads(given))
            print(repr(float(measure(setting(json.loads(given))))), file=search.stdin, flush=True)
    raise RuntimeError("the search ended without an answer")


def optuna_search(sampler):
    def search(problem, runs, seed, measure):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        if sampler == "gp":
            import torch

            torch.set_num_threads(1)
        samplers = {
            "tpe": optuna.samplers.TPESampler,
            "gp": optuna.samplers.GPSampler,
            "random": optuna.samplers.RandomSampler,
        }
        study = optuna.create_study(sampler=samplers[sampler](seed=seed))
        tried = []

        def objective(trial):
            setting = [
                trial.suggest_float(f"x{i}", 0, 1)
                if axis[0] == "real"
                else trial.suggest_int(f"x{i}", 0, axis[1] - 1)
                if axis[0] == "integer"
                else trial.suggest_categorical(f"x{i}", list(range(axis[1])))
                for i, axis in enumerate(problem.axes)
            ]
            tried.append((setting, measure(setting)))
            return tried[-1][1]

        study.enqueue_trial({f"x{i}": value for i, value in enumerate(problem.baseline)})
        study.optimize(objective, n_trials=runs)
        return best_seen(tried)

    return search


def smac(problem, runs, seed, measure):
    import logging

    import ConfigSpace as cs
    import smac

    logging.disable(logging.CRITICAL)
    space = cs.ConfigurationSpace(seed=seed)
    for i, (axis, value) in enumerate(zip(problem.axes, problem.baseline)):
        if axis[0] == "real":
            space.add(cs.Float(f"x{i}", (0.0, 1.0), default=value))
        elif axis[0] == "integer":
            space.add(cs.Integer(f"x{i}", (0, axis[1] - 1), default=value))
        else:
            space.add(cs.Categorical(f"x{i}", list(range(axis[1])), default=value))
    facade = smac.HyperparameterOptimizationFacade
    with tempfile.TemporaryDirectory() as folder:
        scenario = smac.Scenario(
            space, output_directory=folder, n_trials=runs, deterministic=False, seed=seed
        )
        search = facade(
            scenario,
            lambda config, seed=0: 0.0,
            initial_design=facade.get_initial_design(
                scenario, additional_configs=[space.get_default_configuration()]
            ),
            overwrite=True,
            logging_level=False,
        )
        tried = []
        for _ in range(runs):
            asked = search.ask()
            setting = [
                float(asked.config[f"x{i}"]) if axis[0] == "real" else int(asked.config[f"x{i}"])
                for i, axis in enumerate(problem.axes)
            ]
            tried.append((setting, measure(setting)))
            # By default it writes all results to the disk after each.
            search.tell(asked, smac.runhistory.TrialValue(cost=tried[-1][1]), save=False)
        own = [
            [
                float(config[f"x{i}"]) if axis[0] == "real" else int(config[f"x{i}"])
                for i, axis in enumerate(problem.axes)
            ]
            for config in search.intensifier.get_incumbents()
        ]
        return distinct(own + best_seen(tried))


def answer_of(problem, name, seed, candidates):
    """The regret that is left after the confirmation, and whether anything was confirmed."""
    from scipy import stats

    random = np.random.default_rng([zlib.crc32(name.encode()), seed, 1])
    base = [problem.draw(problem.baseline, random) for _ in range(FRESH)]
    ranked = []
    for candidate in candidates:
        fresh = [problem.draw(candidate, random) for _ in range(FRESH)]
        if np.ptp(fresh) == 0 and np.ptp(base) == 0:
            p = 0.0 if fresh[0] < base[0] else 1.0
        else:
            p = float(stats.ttest_ind(fresh, base, equal_var=False, alternative="less").pvalue)
        ranked.append((p, statistics.fmean(fresh), candidate))
    ranked.sort(key=lambda r: r[0])
    confirmed = []
    for place, (p, mean, candidate) in enumerate(ranked):
        if p * (len(ranked) - place) > ALPHA:
            break
        confirmed.append((mean, candidate))
    if not confirmed:
        return problem.regret(problem.baseline), False
    return problem.regret(min(confirmed)[1]), True


def processor_seconds():
    times = os.times()
    return sum(times[:4])


def searched(tool, method, name, runs, seed):
    problem = problem_of(name, seed)
    random = np.random.default_rng([zlib.crc32(name.encode()), seed, 2])
    used = 0

    def measure(setting):
        nonlocal used
        used += 1
        return problem.draw(setting, random)

    start = processor_seconds()
    if method.startswith("ours"):
        beside = int(method.partition("-")[2] or 1)
        candidates = ours(problem, runs, seed, measure, tool, beside)
    elif method == "smac":
        candidates = smac(problem, runs, seed, measure)
    else:
        candidates = optuna_search(method)(problem, runs, seed, measure)
    seconds = processor_seconds() - start
    if used > runs:
        raise RuntimeError(f"{method} made {used} runs of {runs}")
    regret, confirmed = answer_of(problem, name, seed, candidates)
    return {
        "problem": name,
        "runs": runs,
        "method": method,
        "version": version_of(method),
        "seed": seed,
        "regret": regret,
        "confirmed": int(confirmed),
        "seconds": seconds,
    }


def refuse_changed_search(tool, rows):
    """Ends the program if some cheap searches of ours give other results now than those on record: the search has changed."""
    own = sorted((row for k, row in rows.items() if k[0] == "ours"), key=lambda row: (int(row["runs"]), int(row["seed"])))[:3]
    again = [searched(tool, "ours", row["problem"], int(row["runs"]), int(row["seed"])) for row in own]
    if own and all(abs(new["regret"] - row["regret"]) > 1e-4 * (1 + abs(row["regret"])) for new, row in zip(again, own)):
        raise SystemExit("the search has changed since its results were measured: raise OURS in search_results.py")


def main():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="the program bench_search_steps")
    parser.add_argument("--results", type=pathlib.Path, default=FILE)
    parser.add_argument("--methods", type=words, default=["ours", *PEERS])
    parser.add_argument("--problems", type=words, default=PROBLEMS)
    parser.add_argument("--budgets", type=lambda t: [int(n) for n in words(t)], default=BUDGETS)
    parser.add_argument("--seeds", default="51", help="how many, or FIRST-LAST")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    first, _, last = given.seeds.rpartition("-")
    seeds = range(int(first), int(last) + 1) if first else range(int(last))
    results = Results(given.results, writes=not given.table)
    if not given.table:
        known = results.current()
        tasks = [
            (m, p, runs, s)
            for runs in given.budgets
            for s in seeds
            for m in given.methods
            for p in given.problems
            if (m, p, runs, s) not in known
        ]
        if "ours" in given.methods:
            refuse_changed_search(given.tool, known)
        print(f"{len(tasks)} searches to do", file=sys.stderr)
        with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
            running = [pool.submit(searched, given.tool, *task) for task in tasks]
            for done in concurrent.futures.as_completed(running):
                results.add(done.result())
        results.close()
    shown = {k: r for k, r in results.current().items() if k[3] in seeds}
    others = [m for m in given.methods if m != given.methods[0]]
    print("\n".join(tables(shown, given.methods[0], others, given.problems, given.budgets)))
    print("\n".join(levels(shown, given.problems, given.budgets)))


if __name__ == "__main__":
    main()
