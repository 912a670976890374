"""The file of what searches found (search_results.csv), and the tables that docs/search.md shows of it.

A line is one search: problem, runs, method, version, seed, regret, confirmed (0 or 1), seconds of processor time. A version
is that of the method's package, or of our search (OURS). Lines of other versions do not count, and are measured again.

search_results.py [--write]   says whether the tables in docs/search.md are those of the file, or writes them there"""
import csv
import fcntl
import io
import math
import pathlib
import re
import statistics
import sys

import numpy as np
from search_problems import PROBLEMS, problem_of

HERE = pathlib.Path(__file__).resolve().parent
FILE, PAGE = HERE / "search_results.csv", HERE.parents[1] / "docs/search.md"
BEGIN, END = "<!-- tables of tests/bench/search_results.csv -->\n", "<!-- end of the tables -->\n"
COLUMNS = ["problem", "runs", "method", "version", "seed", "regret", "confirmed", "seconds"]
# Of the kernel's search by a model: raise it whenever the search proposes or answers otherwise.
OURS = "1"
PEERS = ["tpe", "gp", "smac", "random"]
BUDGETS = [50, 100, 150]
# A regret below this share of one run's noise is as good as none.
NOISE_SHARE = 0.05
# Fewer seeds of a problem say too little to be shown.
FEWEST_SEEDS = 5


def versions():
    pinned = dict(line.split("==") for line in (HERE.parent / "peers/search.txt").read_text().split())
    return {**{peer: pinned["optuna"] for peer in PEERS}, "smac": pinned["smac"]}


def version_of(method):
    return OURS if method.startswith("ours") else versions()[method]


def key(row):
    return row["method"], row["problem"], int(row["runs"]), int(row["seed"])


def line_of(row):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(
        [f"{row[c]:.6g}" if c == "regret" else f"{row[c]:.2f}" if c == "seconds" else row[c] for c in COLUMNS]
    )
    return text.getvalue()


class Results:
    """The rows of a file, by `key`. With `writes` it belongs to one process until `close`, which sorts it."""

    def __init__(self, path, writes=False):
        self.path, self.rows = path, {}
        self.file = path.open("a+") if writes else None
        if self.file:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SystemExit(f"{path}: another search.py writes it") from None
        for row in csv.DictReader(path.read_text().splitlines()) if path.exists() else []:
            try:
                row = {**row, "regret": float(row["regret"]), "confirmed": int(row["confirmed"]), "seconds": float(row["seconds"])}
                self.rows[key(row)] = row
            except (TypeError, ValueError):
                continue  # The last line of a program that was stopped.
        if self.file:
            self.close(keep=True)

    def current(self):
        """Those of the newest versions."""
        newest = {method: version_of(method) for method, *_ in self.rows}
        return {k: row for k, row in self.rows.items() if row["version"] == newest[k[0]]}

    def add(self, row):
        self.rows[key(row)] = row
        self.file.write(line_of(row))
        self.file.flush()

    def close(self, keep=False):
        place = {problem: i for i, problem in enumerate(PROBLEMS)}
        order = sorted(self.rows.values(), key=lambda r: (place[r["problem"]], int(r["runs"]), r["method"], int(r["seed"])))
        self.file.truncate(0)
        self.file.write(",".join(COLUMNS) + "\n" + "".join(map(line_of, order)))
        self.file.flush()
        if not keep:
            self.file.close()


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


def log_ratios(results, floors, first, other, problem, runs):
    """Of every seed that both have."""
    seeds = sorted(s for m, p, r, s in results if (m, p, r) == (other, problem, runs) and (first, p, r, s) in results)
    loss = lambda method, seed: results[method, problem, runs, seed]["regret"] + floors[problem]
    return [math.log(loss(first, s) / loss(other, s)) for s in seeds]


def seeds_in_words(groups):
    least, most = min(map(len, groups.values())), max(map(len, groups.values()))
    return f"{least} seeds" if least == most else f"{least} to {most} seeds"


def tables(results, first="ours", others=PEERS, problems=PROBLEMS, budgets=BUDGETS):
    floors = {p: NOISE_SHARE * problem_of(p, 0).noise for p in problems}
    lines = []
    for runs in budgets:
        rows = {}
        for other in others:
            groups = {p: log_ratios(results, floors, first, other, p, runs) for p in problems}
            groups = {p: logs for p, logs in groups.items() if len(logs) >= FEWEST_SEEDS}
            if groups:
                rows[other] = groups
        if not rows:
            continue
        lines += ["", f"**{runs} runs** ({', '.join(f'{o}: {seeds_in_words(g)}' for o, g in rows.items())})", ""]
        lines += ["| problem | " + " | ".join(rows) + " |", "|---" * (len(rows) + 1) + "|"]
        cell = lambda groups: "{:.2f} (≤ {:.2f})".format(*ratio(groups)) if groups else ""
        for p in problems:
            cells = [cell([groups[p]] if p in groups else []) for groups in rows.values()]
            if any(cells):
                lines.append(f"| {p} | " + " | ".join(cells) + " |")
        whole = [cell(list(groups.values())) if len(groups) == len(problems) else "" for groups in rows.values()]
        lines.append("| **all** | " + " | ".join(whole) + " |")
    return lines


def levels(results, problems=PROBLEMS, budgets=BUDGETS):
    """Mean regrets, how often something was confirmed, and what a search cost."""
    lines = ["", "Geometric mean of the regret (share confirmed; processor time of one search):", ""]
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
                    seconds = statistics.fmean(r["seconds"] for r in own)
                    cells.append(f"{mean:.3g} ({statistics.fmean(r['confirmed'] for r in own):.0%}; {seconds:.2g} s)")
                else:
                    cells.append("")
            if any(cells):
                lines.append(f"| {p}, {runs} | " + " | ".join(cells) + " |")
    return lines


def main():
    page, results = PAGE.read_text(), Results(FILE).current()
    found = re.search(re.escape(BEGIN) + "(.*?)" + re.escape(END), page, re.S)
    if not found:
        raise SystemExit(f"{PAGE}: no line {BEGIN.strip()}")
    text = "\n".join(tables(results)) + "\n\n"
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page[: found.start(1)] + text + page[found.end(1) :])
    elif text != found[1]:
        raise SystemExit(f"{PAGE}: its tables are not those of {FILE}; {pathlib.Path(__file__).name} --write writes them")


if __name__ == "__main__":
    main()
