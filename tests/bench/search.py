"""Compares the kernel's search by a model with others at equal numbers of runs; docs/search.md has the table and says more.

search.py BENCH_SEARCH_STEPS [--results FILE] [--methods a,b] [--problems a,b] [--budgets 50,100] [--seeds 51|20-40]
          [--jobs N] [--table]

One search is a method, a problem, a number of runs and a seed; its result is one line of FILE. What FILE has is not done
again: stop it when you like and start it again. --table only prints the table of what FILE has, as Markdown.

Each method begins with the same baseline (the middle of each range, the first category), sees the same noisy results, and
names up to 3 settings, the best first. Each of them and the baseline are then run 12 times afresh, and compared (Welch's
test, one-sided, Holm's correction, 5 %). The answer is the setting confirmed as better that has the best mean, or else the
baseline; its regret is its expected result minus the best possible.

Methods: `ours` (`ours-4` proposes 4 at a time), `tpe` and `gp` (Optuna), `smac` (SMAC3's facade for hyperparameters), and
`random`, with their own defaults. Packages: tests/peers/search.txt. Tables: search_pipeline.csv.gz, search_network.csv.gz.
"""
import argparse
import concurrent.futures
import csv
import functools
import gzip
import json
import math
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

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ["tpe", "gp", "smac", "random"]
TOP, FRESH, ALPHA = 3, 12, 0.05
# A regret below this share of one run's noise is as good as none.
NOISE_SHARE = 0.05


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
            print(repr(measure(setting(json.loads(given)))), file=search.stdin, flush=True)
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
            search.tell(asked, smac.runhistory.TrialValue(cost=tried[-1][1]))
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
        "method": method,
        "problem": name,
        "runs": runs,
        "seed": seed,
        "regret": regret,
        "confirmed": confirmed,
        "candidates": [problem.regret(c) for c in candidates],
        "used": used,
        "seconds": round(seconds, 2),
    }


def key(result):
    return result["method"], result["problem"], result["runs"], result["seed"]


def known(path):
    if not path.exists():
        return {}
    results = {}
    for line in path.read_text().splitlines():
        try:
            result = json.loads(line)
        except json.JSONDecodeError:
            continue  # The last line of a run that was stopped.
        results[key(result)] = result
    return results


def ratio(groups, draws=4000, seed=1):
    """The geometric mean of ratios and its upper 95 % bound: seeds are drawn again within each problem, and every problem
    counts the same. `groups`: for each problem, the logarithm of the ratio for every seed."""
    random = np.random.default_rng(seed)
    means = np.zeros(draws)
    for group in groups:
        picked = np.array(group)[random.integers(len(group), size=(draws, len(group)))]
        means += picked.mean(axis=1) / len(groups)
    middle = statistics.fmean(statistics.fmean(group) for group in groups)
    return math.exp(middle), math.exp(float(np.quantile(means, 0.95)))


def tables(results, first, others, problems, budgets):
    floors = {p: NOISE_SHARE * problem_of(p, 0).noise for p in problems}
    lines = []
    for runs in budgets:
        rows = {}
        for other in others:
            groups = {}
            for p in problems:
                seeds = sorted(
                    s for m, q, r, s in results if m == other and q == p and r == runs and (first, p, r, s) in results
                )
                logs = [
                    math.log(
                        (results[first, p, runs, s]["regret"] + floors[p])
                        / (results[other, p, runs, s]["regret"] + floors[p])
                    )
                    for s in seeds
                ]
                if len(logs) > 1:
                    groups[p] = logs
            if groups:
                rows[other] = groups
        if not rows:
            continue
        least = {o: min(map(len, g.values())) for o, g in rows.items()}
        lines += ["", f"**{runs} runs** ({', '.join(f'{o}: {least[o]} seeds' for o in rows)})", ""]
        lines += ["| problem | " + " | ".join(rows) + " |", "|---" * (len(rows) + 1) + "|"]
        cell = lambda groups: "{:.2f} (≤ {:.2f})".format(*ratio(groups)) if groups else ""
        for p in problems:
            cells = [cell([groups[p]]) if p in groups else "" for groups in rows.values()]
            if any(cells):
                lines.append(f"| {p} | " + " | ".join(cells) + " |")
        lines.append("| **all** | " + " | ".join(cell(list(groups.values())) for groups in rows.values()) + " |")
    return lines


def levels(results, problems, budgets):
    """Mean regrets and how often something was confirmed, for the eye."""
    lines = ["", "Geometric mean of the regret (share of searches in which something was confirmed):", ""]
    methods = sorted({m for m, *_ in results})
    lines += ["| problem, runs | " + " | ".join(methods) + " |", "|---" * (len(methods) + 1) + "|"]
    for p in problems:
        floor = NOISE_SHARE * problem_of(p, 0).noise
        for runs in budgets:
            cells = []
            for m in methods:
                own = [r for (a, b, c, _), r in results.items() if (a, b, c) == (m, p, runs)]
                if own:
                    mean = math.exp(statistics.fmean(math.log(r["regret"] + floor) for r in own)) - floor
                    cells.append(f"{mean:.3g} ({statistics.fmean(r['confirmed'] for r in own):.0%})")
                else:
                    cells.append("")
            if any(cells):
                lines.append(f"| {p}, {runs} | " + " | ".join(cells) + " |")
    return lines


def main():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="the program bench_search_steps")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("search.jsonl"))
    parser.add_argument("--methods", type=words, default=["ours", *PEERS])
    parser.add_argument("--problems", type=words, default=PROBLEMS)
    parser.add_argument("--budgets", type=lambda t: [int(n) for n in words(t)], default=[50, 100, 150])
    parser.add_argument("--seeds", default="51", help="how many, or FIRST-LAST")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    first, _, last = given.seeds.rpartition("-")
    seeds = range(int(first), int(last) + 1) if first else range(int(last))
    results = known(given.results)
    if not given.table:
        tasks = [
            (m, p, runs, s)
            for runs in given.budgets
            for s in seeds
            for m in given.methods
            for p in given.problems
            if (m, p, runs, s) not in results
        ]
        print(f"{len(tasks)} searches to do", file=sys.stderr)
        with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool, given.results.open("a") as file:
            running = [pool.submit(searched, given.tool, *task) for task in tasks]
            for done in concurrent.futures.as_completed(running):
                result = done.result()
                results[key(result)] = result
                print(json.dumps(result), file=file, flush=True)
    results = {k: r for k, r in results.items() if k[3] in seeds}
    others = [m for m in given.methods if m != given.methods[0]]
    print("\n".join(tables(results, given.methods[0], others, given.problems, given.budgets)))
    print("\n".join(levels(results, given.problems, given.budgets)))


if __name__ == "__main__":
    main()
