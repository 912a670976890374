#!/usr/bin/env python3
"""Writes vectors.json: what the formulas of the placement policies give for random nodes and tasks, computed here a
second time, kind by kind and GPU by GPU, in exact fractions. Fragmentation: Weng et al., "Beware of Fragmentation",
USENIX ATC 2023, section 3; integer scores: the authors' simulator (hkust-adsl/kubernetes-scheduler-simulator).

    python3 tests/kernel/placement/oracle/make_vectors.py
"""
import json
import math
import pathlib
import random
from fractions import Fraction

TYPES = ["A", "B", "C"]
SHARES = [110, 220, 320, 460, 470, 500, 650, 810, 1000]


def suits(node, task):
    return not task["types"] or node["type"] in task["types"]


def unusable(node, task):
    """Free shares of the node that a task of this kind cannot use."""
    free = sum(node["free"])
    if task["gpus"] == 0 or not suits(node, task) or node["cpu"] < task["cpu"]:
        return free
    if len([f for f in node["free"] if f >= task["share"]]) < task["gpus"]:
        return free
    return sum(f for f in node["free"] if f < task["share"])


def fragment(node, mix):
    total = sum(weight for _, weight in mix)
    return sum(Fraction(weight, total) * unusable(node, kind) for kind, weight in mix)


def after(node, task, devices):
    free = [f - task["share"] * (i in devices) for i, f in enumerate(node["free"])]
    return {**node, "cpu": node["cpu"] - task["cpu"], "free": free}


def growth(node, task, devices, mix):
    return fragment(after(node, task, devices), mix) - fragment(node, mix)


def published(grown):
    return math.floor(100 * (1 / (1 + math.exp(float(grown) / 1000))))


def best_fit(node, task, most_cpu, most_gpus):
    cpu = Fraction(node["cpu"] - task["cpu"], most_cpu)
    gpu = Fraction(sum(node["free"]) - task["gpus"] * task["share"], 1000 * most_gpus)
    return math.floor(100 * (1 - cpu / 2 - gpu / 2))


def tightest(node, task):
    fitting = [i for i, f in enumerate(node["free"]) if f >= task["share"]]
    return sorted(sorted(fitting, key=lambda i: (node["free"][i], i))[: task["gpus"]])


def kind(draw):
    gpus = draw.choice([0, 1, 1, 1, 1, 2, 4, 8])
    share = 0 if gpus == 0 else draw.choice(SHARES) if gpus == 1 else 1000
    types = draw.sample(TYPES, draw.randint(1, 2)) if gpus and draw.random() < 0.3 else []
    return {"cpu": draw.choice([1000, 4000, 8000, 11300, 16000, 32000]), "gpus": gpus, "share": share, "types": types}


def fits(node, task):
    enough = len([f for f in node["free"] if f >= task["share"]]) >= task["gpus"]
    return node["cpu"] >= task["cpu"] and (task["gpus"] == 0 or (suits(node, task) and enough))


def case(draw):
    mix, seen = [], []
    for _ in range(draw.randint(1, 14)):
        one = kind(draw)
        if one not in seen:
            seen.append(one)
            mix.append((one, draw.randint(1, 1000)))
    while True:
        gpus = draw.choice([0, 1, 2, 4, 8, 8])
        free = [draw.choice([0, 1000, 1000, draw.randint(1, 999)]) for _ in range(gpus)]
        node = {"cpu": draw.randint(0, 64) * 1000, "free": free, "type": draw.choice(TYPES) if gpus else ""}
        task = kind(draw)
        if fits(node, task):
            break
    is_share = task["gpus"] == 1 and task["share"] < 1000
    ways = [[i] for i, f in enumerate(free) if f >= task["share"]] if is_share else [tightest(node, task)]
    grown = [growth(node, task, way, mix) for way in ways]
    scores = [published(g) for g in grown]
    return {"mix": [{**one, "weight": weight} for one, weight in mix], "node": node, "task": task,
            "fragment": float(fragment(node, mix)),
            "fgd": {"score": max(scores), "devices": ways[scores.index(max(scores))]},
            "fgd-exact": {"score": -float(min(grown)), "devices": ways[grown.index(min(grown))]},
            "bestfit": {"score": best_fit(node, task, 64000, 8), "devices": tightest(node, task)},
            "fifo": {"score": 0, "devices": [i for i, f in enumerate(free) if f >= task["share"]][: task["gpus"]]}}


draw = random.Random(20230710)
cases = [case(draw) for _ in range(400)]
path = pathlib.Path(__file__).with_name("vectors.json")
path.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
