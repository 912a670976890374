#!/usr/bin/env python3
"""Runs the studies of examples/, checks and audits their artifacts, and writes docs/campaigns.md with a picture of each.

campaigns.py ETUDE [NAME …]    without names all; with names the page keeps what it says of the others
"""
import csv
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
HEAD = """# Studies of the examples

Every folder of `examples/` is a study: its question, code, and hypotheses that were written down before its first full run.
`make campaigns` runs all of them, checks and audits each artifact, and writes this page. The README of each says what surprised
and what limits it. With `-j 2` on two free cores a study takes half of its processor time; some ran while others used the
machine.
"""


KINDS = {"crossover": "kind: crossover", "interaction": "kind: interaction", "slope": "kind: slope", "equality": "direction: equal",
         "not worse": "direction: not_worse"}


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


def run(etude, name):
    with tempfile.TemporaryDirectory(prefix="etude-campaign-") as work:
        folder = pathlib.Path(work) / name
        shutil.copytree(ROOT / "examples" / name, folder)
        began = time.monotonic()
        command = [etude, "--home", f"{work}/home"]
        done = subprocess.run([*command, "run", folder / "study.yaml", "-j", "2", "--json"], capture_output=True, text=True)
        took = time.monotonic() - began
        if done.returncode:
            sys.exit(f"{name}: {done.stderr.strip()}")
        study = json.loads(done.stdout.splitlines()[-1])
        ara = folder / "study-ara"
        for check in (["check", "--strict", ara], ["audit", ara, "--head", study["head"]]):
            checked = subprocess.run([etude, *check], capture_output=True, text=True)
            if checked.returncode:
                sys.exit(f"{name}: {check[0]}: {checked.stdout}{checked.stderr}")
        counts = {}
        for h in study["hypotheses"]:
            counts[h["verdict"]] = counts.get(h["verdict"], 0) + 1
        print(f"{name}: {took:.0f} s; " + ", ".join(f"{n} {v.replace('_', ' ')}" for v, n in sorted(counts.items())), flush=True)
        return section(name, study, ara, took)


def sections():
    if not PAGE.exists():
        return {}
    parts = re.split(r"^(?=## )", PAGE.read_text(), flags=re.M)[1:]
    return {re.search(r"\.\./examples/([^/]+)/", part)[1]: part.rstrip("\n") + "\n" for part in parts}


def write(every, known):
    lacking = ", ".join(name for name in every if name not in known)
    PAGE.write_text("\n".join([HEAD, kinds(every), *([f"No run is shown yet of: {lacking}.\n"] if lacking else []),
                               *(known[name] for name in every if name in known)]))


def main():
    etude, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    every = sorted(path.parent.name for path in (ROOT / "examples").glob("*/study.yaml"))
    if unknown := [name for name in names if name not in every]:
        sys.exit(f"no such example: {unknown[0]}")
    for name in names or every:
        ran = run(etude, name)
        write(every, sections() | {name: ran})


if __name__ == "__main__":
    main()
