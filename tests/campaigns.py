#!/usr/bin/env python3
"""Runs the studies of examples/, checks and audits their artifacts, and writes docs/campaigns.md with a picture of each.

campaigns.py ETUDE [--again | --twice] [NAME …]    without names all; with names the page keeps what it says of the others

Each run draws fresh seeds, so its verdicts are compared with those that the page had. With --again every registered run is
repeated on its own seed, too, and the sections of the page stay. With --twice each study is run a second time, whose time is
compared with what `etude plan` says after the first, and whose verdicts are compared, too. campaigns_again.csv holds what was
found.
"""
import csv
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/campaigns.md"
PICTURES = ROOT / "docs/campaigns"
AGAIN = ROOT / "tests/campaigns_again.csv"
# yaml: of the study file, whose change makes the row void. alike, unlike: metrics by whether all values of all runs were the
# same on the same seeds. runs, compared, changed, flipped: runs on fresh seeds and their verdicts, against those before.
# predicted, low, high, took: seconds of the runs of a study that had run once.
COLUMNS = ["study", "yaml", "repeated", "alike", "unlike", "runs", "compared", "changed", "flipped", "predicted", "low", "high",
           "took"]
HEAD = """# Studies of the examples

Every folder of `examples/` is a study: its question, code, and hypotheses that were written down before its first full run.
`make campaigns` runs all of them, checks and audits each artifact, and writes this page. The README of each says what was found
and what limits it. With `-j 2` on two free cores a study takes half of its processor time; some ran while others used the
machine.
"""

AGAIN_HEAD = """Where the table has a number, so many registered runs were repeated, each on its own seed (`tests/campaigns.py build/etude
--again`), and it says which metrics had the same value in every run, to the last digit; times differ. Each run of a study draws
fresh seeds, and its verdicts are compared with those that this page had. A verdict has flipped if it was supported and is refuted, or the reverse; other
changes are between decided and not decided.
"""
PREDICTED_HEAD = """## Predicted and taken

Each study was run twice, in turn, with `-j 2`. Before the second run `etude plan` said how long the runs would take, from the runs
of the first ([predictions](prediction.md)).
"""
KINDS = {"crossover": "kind: crossover", "interaction": "kind: interaction", "slope": "kind: slope", "equality": "direction: equal",
         "not worse": "direction: not_worse"}


# What the paper of a study reports, with its numbers. Its setting is another than the study's; both are in the README.
CLAIMS = {
    "activation-checkpointing": "selective recomputation saves 65 to 70 % of the memory for 2 to 4 % of the time, full costs 30 to 40 % "
                                "(Korthikanti and others, MLSys 2023)",
    "cpu-depthwise": "fusing five layers of VGGNet-E moves 95 % fewer bytes of features off the chip (Alwani and others, MICRO 2016)",
    "energy-pareto": "choosing batch size and power limit saves 15.3 to 75.8 % of the energy (You and others, NSDI 2023)",
    "federated-stragglers": "selection by utility reaches an accuracy 1.2 to 14.1 times sooner (Lai and others, OSDI 2021)",
    "filtered-ann": "5 million queries a second at 90 % recall on an A100, up to 135 times those of Filtered-DiskANN on CPUs "
                    "(Xi and others, SIGMOD 2026)",
    "gpu-packing": "fragmentation gradient descent leaves up to 49 % fewer GPUs unallocated (Weng and others, USENIX ATC 2023)",
    "llm-question-answering": "models are seldom right and badly calibrated (Phan and others, 2025)",
    "out-of-core-prefetch": "a network of 50 GB on a GPU of 16 GB, 28 to 38 % slower than in memory (Ito and others, 2019)",
    "path-finding": "PIBT solves large instances that other solvers cannot, in little time (Okumura and others, Artificial Intelligence, 2022)",
    "qoe-serving": "up to 4.7 times the average quality of experience on the same GPUs (Liu and others, 2024)",
    "selective-unsharding": "compiled prefetching and unsharding are up to 1.28 times as fast as ZeRO-3, 1.54 times as FSDP "
                            "(Tanaka and others, 2025)",
    "simulator-fidelity": "steps on other GPUs predicted with an error of 11.8 % on average (Yu and others, USENIX ATC 2021)",
    "sparse-sync": "up to 5.09 times faster communication, 2.48 times the training throughput (Wang and others, OSDI 2025)",
    "traffic-tracking": "a layer of the roads and one of motion make tracking from drones more accurate than detection alone "
                        "(Han and others, D-AirPatrol)",
    "weight-sync": "resharding without redundant memory, part of 1.53 to 20.57 times the throughput (Sheng and others, EuroSys 2025)",
}


def design(etude, name):
    """Its hypotheses, factors with the number of their levels, and runs, from the plan."""
    done = subprocess.run([etude, "plan", str(ROOT / "examples" / name / "study.yaml"), "--json"], capture_output=True, text=True,
                          check=True)
    plan = json.loads(done.stdout)
    levels = {}
    for one in plan["cells"]:
        for factor, level in one["factors"].items():
            levels.setdefault(factor, set()).add(level)
    cells = len({tuple(sorted(one["factors"].items())) for one in plan["cells"]})
    factors = " × ".join(f"{factor} ({len(found)})" for factor, found in levels.items() if len(found) > 1)
    runs, more = plan["runs"], ""
    if plan["search"]:
        more = f", after a search of {runs['search']} runs ({plan['search']['design'].replace('_', ' ')})"
    most = runs["registered"]["max"]
    least = "" if runs["registered"]["min"] == most else f"{runs['registered']['min']} to "
    return f"{factors}; {cells} cells, {least}{most} registered runs{more}"


def overview(etude, known):
    """One line for each study: what was published, how it is tested here, and what was found."""
    lines = ["| study | published | design here | verdicts here |", "|---|---|---|---|"]
    for name, part in sorted(known.items()):
        counts = {}
        for word in verdicts(part).values():
            counts[word] = counts.get(word, 0) + 1
        found = ", ".join(f"{count} {word}" for word, count in sorted(counts.items(), key=lambda one: -one[1]))
        title = re.search(r"^## (.*)$", part, re.M)[1]
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        lines.append(f"| [{name}](#{anchor}) | {CLAIMS.get(name, 'no paper: an example of ours')} | {design(etude, name)} | {found} |")
    return "\n".join(lines) + "\n"


def kinds(names):
    """A table of the studies that ask for more than a difference, by the kind of hypothesis."""
    found = {kind: [] for kind in KINDS}
    for name in names:
        text = (ROOT / "examples" / name / "study.yaml").read_text()
        for kind, words in KINDS.items():
            if count := len(re.findall(rf"\b{words}\b", text)):
                found[kind].append(f"{name} ({count})" if count > 1 else name)
    return "| hypotheses | in |\n|---|---|\n" + "".join(f"| {kind} | {', '.join(found[kind])} |\n" for kind in KINDS)


def paragraph(name):
    """The first one of the README: the question and what others found."""
    return (ROOT / "examples" / name / "README.md").read_text().split("\n\n")[1].strip()


def processor_seconds(ara):
    """Of all runs, those of the manipulation check and of searches too. It depends less than the clock on what else runs."""
    used = {}
    for table in (ara / "evidence/results").glob("*.csv"):
        with table.open(newline="") as rows:
            used |= {row["run"]: float(row["cpu_s"] or 0) for row in csv.DictReader(rows) if "cpu_s" in row}
    return sum(used.values())


def answers(ara):
    """Hypothesis → the sentence with its size that PAPER.md opens with."""
    overview = (ara / "PAPER.md").read_text().split("\n## ")[1]
    return dict(re.findall(r"^(?:- )?(H\d+) \([^)]*\): (.+)$", overview, re.M))


def picture(ara, study):
    """The effects; of a study with few comparisons along a factor, its means."""
    figures = ara / "evidence/figures"
    primary = next(m["name"] for m in study["metrics"] if m["primary"])
    for stem in (f"means_E01_{primary}", "effects_E01"):
        if (figures / f"{stem}.svg").exists():
            return figures / f"{stem}.svg"
    return None


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def section(name, study, ara, took):
    """What the page says of a study that has run; its picture is copied."""
    said = answers(ara)
    image = picture(ara, study)
    if image:
        PICTURES.mkdir(exist_ok=True)
        shutil.copy(image, PICTURES / f"{name}.svg")
    lines = [f"## {study['title']}", "", paragraph(name), "",
             f"[examples/{name}](../examples/{name}/README.md): {study['runs']['total']} runs, "
             f"{len(study['hypotheses'])} {'hypothesis' if len(study['hypotheses']) == 1 else 'hypotheses'}; "
             f"{took:.0f} s with `-j 2`, {processor_seconds(ara):.0f} s of processor time, "
             f"{study['ledger']['usd']['spent']:.2f} USD.", "",
             "| | hypothesis | verdict | found |", "|---|---|---|---|"]
    for h in study["hypotheses"]:
        lines.append(f"| {h['id']} | {cell(h['statement'])} | {(h['verdict'] or 'withdrawn').replace('_', ' ')} "
                     f"| {cell(said.get(h['id'], h['reason'] or ''))} |")
    if image:
        lines += ["", f"![{study['title']}](campaigns/{name}.svg)"]
    return "\n".join(lines) + "\n"


def repeated(etude, home, ara):
    """Every registered run once more, on its seed: how many, and the metrics whose values were all the same, and the others."""
    out = ara.parent / "again"
    done = subprocess.run([etude, "--home", home, "reproduce", ara, "-j", "2", "-o", out], capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(f"{ara.parent.name}: reproduce: {done.stderr.strip()}")
    runs = json.loads((out / "reproduction.json").read_text())["runs"]
    if lost := [run["recorded"] for run in runs if run["state"]["recorded"] != run["state"]["observed"]]:
        sys.exit(f"{ara.parent.name}: {len(lost)} runs ended otherwise on the same seed, the first {lost[0]}")
    same = {}
    for value in (value for run in runs for value in run["values"]):
        same[value["metric"]] = same.get(value["metric"], True) and value["recorded"] == value["observed"]
    return {"repeated": len(runs), "alike": " ".join(m for m in sorted(same) if same[m]),
            "unlike": " ".join(m for m in sorted(same) if not same[m])}


def against(before, study):
    """Verdicts of one run against those of an earlier one on other seeds: how many were compared, changed and flipped."""
    words = {(h["id"], cell(h["statement"])): (h["verdict"] or "withdrawn").replace("_", " ") for h in study["hypotheses"]}
    pairs = [(before[key], word) for key, word in words.items() if key in before]
    return {"runs": int(bool(pairs)), "compared": len(pairs), "changed": sum(old != new for old, new in pairs),
            "flipped": sum({old, new} == {"supported", "refuted"} for old, new in pairs)}


def known_again():
    """What is recorded of each study whose file has not changed since."""
    if not AGAIN.exists():
        return {}
    with AGAIN.open(newline="") as file:
        return {row["study"]: row for row in csv.DictReader(file) if row["yaml"] == yaml_hash(row["study"])}


def yaml_hash(name):
    path = ROOT / "examples" / name / "study.yaml"
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""


def record_again(name, same, fresh):
    rows = known_again()
    row = rows.get(name, dict.fromkeys(COLUMNS, "") | {"study": name, "yaml": yaml_hash(name)})
    row |= same | {column: int(row[column] or 0) + more for column, more in fresh.items()}
    rows[name] = row
    with AGAIN.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def again_table():
    """How often runs and verdicts were the same."""
    rows = known_again()
    if not rows:
        return ""
    lines = [AGAIN_HEAD, "| study | runs repeated | the same in every run | differ | verdicts compared | changed | flipped |",
             "|---|---|---|---|---|---|---|"]
    for name, row in sorted(rows.items()):
        lines.append(f"| {name} | {row['repeated'] or 'none'} | {row['alike'].replace(' ', ', ')} "
                     f"| {row['unlike'].replace(' ', ', ')} | {row['compared'] or 0} | {row['changed'] or 0} | {row['flipped'] or 0} |")
    return "\n".join(lines) + "\n"


def predicted_table():
    rows = {name: row for name, row in known_again().items() if row.get("took")}
    if not rows:
        return ""
    lines = [PREDICTED_HEAD, "| study | predicted (90 % interval) | took | off by |", "|---|---|---|---|"]
    near = 0
    for name, row in sorted(rows.items()):
        expected, low, high, took = (float(row[column]) for column in ("predicted", "low", "high", "took"))
        off = took / expected - 1
        near += abs(off) <= 0.2
        lines.append(f"| {name} | {expected:.1f} s ({low:.1f} to {high:.1f}) | {took:.1f} s | {100 * off:+.0f} % |")
    return "\n".join([*lines, "", f"{near} of {len(rows)} took within 20 % of what was predicted."]) + "\n"


def time_of_runs(command, study):
    """From the start of the first run to the end of the last, in seconds."""
    runs = [json.loads(line) for line in
            subprocess.run([*command, "runs", study, "--json"], capture_output=True, text=True, check=True).stdout.splitlines()]
    at = datetime.datetime.fromisoformat
    ended = [(at(run["started"].rstrip("Z")), at(run["ended"].rstrip("Z"))) for run in runs if run["ended"] and run["started"]]
    return (max(end for _, end in ended) - min(start for start, _ in ended)).total_seconds()


def second_run(command, folder, first):
    """The study again: what was predicted, what it took, and its verdicts against those of the first run."""
    plan = subprocess.run([*command, "plan", folder / "study.yaml", "-j", "2", "--json"], capture_output=True, text=True)
    wall = json.loads(plan.stdout)["cost"]["wall_s"]
    done = subprocess.run([*command, "run", folder / "study.yaml", "-j", "2", "--json", "-o", folder / "second-ara"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{folder.name}: the second run: exit {done.returncode}: {done.stderr.strip()}")
    second = json.loads(done.stdout.splitlines()[-1])
    words = {(h["id"], cell(h["statement"])): (h["verdict"] or "withdrawn").replace("_", " ") for h in first["hypotheses"]}
    times = {"predicted": wall["expected"], "low": wall["low"], "high": wall["high"], "took": time_of_runs(command, second["id"])}
    print(f"{folder.name}: predicted {wall['expected']:.1f} s ({wall['low']:.1f} to {wall['high']:.1f}), took {times['took']:.1f} s",
          flush=True)
    return {key: f"{value:.2f}" for key, value in times.items()}, against(words, second)


def run(etude, name, again, twice):
    with tempfile.TemporaryDirectory(prefix="etude-campaign-") as work:
        folder = pathlib.Path(work) / name
        shutil.copytree(ROOT / "examples" / name, folder)
        began = time.monotonic()
        command = [etude, "--home", f"{work}/home"]
        done = subprocess.run([*command, "run", folder / "study.yaml", "-j", "2", "--json"], capture_output=True, text=True)
        took = time.monotonic() - began
        last = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
        if done.returncode:
            why = done.stderr.strip() or f"it is {last.get('state')}: {last.get('reason')}"
            sys.exit(f"{name}: exit {done.returncode}: {why}")
        study = last
        ara = folder / "study-ara"
        for check in (["check", "--strict", ara], ["audit", ara, "--head", study["head"]]):
            checked = subprocess.run([etude, *check], capture_output=True, text=True)
            if checked.returncode:
                sys.exit(f"{name}: {check[0]}: {checked.stdout}{checked.stderr}")
        counts = {}
        for h in study["hypotheses"]:
            counts[h["verdict"]] = counts.get(h["verdict"], 0) + 1
        print(f"{name}: {took:.0f} s; " + ", ".join(f"{n} {v.replace('_', ' ')}" for v, n in sorted(counts.items())), flush=True)
        fresh = against(verdicts(sections().get(name, "")), study)
        if fresh["compared"]:
            print(f"{name}: on fresh seeds {fresh['changed']} of {fresh['compared']} verdicts changed, {fresh['flipped']} flipped",
                  flush=True)
        same = repeated(etude, f"{work}/home", ara) if again else {}
        if again:
            print(f"{name}: {same['repeated']} runs repeated; the same: {same['alike'] or 'nothing'}; "
                  f"not the same: {same['unlike'] or 'nothing'}", flush=True)
        if twice:
            times, verdicts_again = second_run(command, folder, study)
            same |= times
            fresh = {key: fresh[key] + verdicts_again[key] for key in fresh}
            print(f"{name}: the second run changed {verdicts_again['changed']} of {verdicts_again['compared']} verdicts, "
                  f"{verdicts_again['flipped']} flipped", flush=True)
        record_again(name, same, fresh)
        return None if again else section(name, study, ara, took)


def verdicts(part):
    """Of a section of the page: (hypothesis, statement) → verdict."""
    words = "supported|refuted|no relevant effect|inconclusive|withdrawn"
    return {(found[1], found[2]): found[3] for found in re.finditer(rf"^\| (H\d+) \| (.*?) \| ({words}) \|", part, re.M)}


def sections():
    if not PAGE.exists():
        return {}
    parts = [part for part in re.split(r"^(?=## )", PAGE.read_text(), flags=re.M)[1:] if "../examples/" in part]
    return {re.search(r"\.\./examples/([^/]+)/", part)[1]: part.rstrip("\n") + "\n" for part in parts}


def write(etude, every, known):
    lacking = ", ".join(name for name in every if name not in known)
    PAGE.write_text("\n".join([HEAD, overview(etude, known), kinds(every), *filter(None, [again_table(), predicted_table()]), *([f"No run is shown yet of: {lacking}.\n"] if lacking else []),
                               *(known[name] for name in every if name in known)]))


def main():
    etude, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    again, twice = "--again" in names, "--twice" in names
    names = [name for name in names if name not in ("--again", "--twice")]
    every = sorted(path.parent.name for path in (ROOT / "examples").glob("*/study.yaml"))
    if unknown := [name for name in names if name not in every]:
        sys.exit(f"no such example: {unknown[0]}")
    for name in names or every:
        ran = run(etude, name, again, twice)
        write(etude, every, sections() | ({name: ran} if ran else {}))


if __name__ == "__main__":
    main()
