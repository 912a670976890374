"""Tasks arrive at a cluster of GPUs until they ask for 130 % of it; a policy places each on one node, or refuses it.

No task leaves. A node scores what is left of it if it takes the task; the highest score wins. All sums are whole numbers
(thousandths of a GPU and of a CPU, weights of kinds as counts), so scores that are equal are found equal.
"""
import argparse
import json
import os

import numpy as np

WHOLE, SLOTS = 1000, 8          # thousandths of a GPU; GPUs of the largest node
# The mix of Alibaba's trace of 2023, rounded. Of a node: GPU type, CPUs, GPUs, and the share of nodes like it.
NODES = [("G2", 96, 8, 0.46), ("T4", 104, 2, 0.33), ("P100", 16, 2, 0.09), ("G3", 128, 8, 0.04), ("V100", 32, 4, 0.04),
         ("P100L", 64, 2, 0.02), ("V100L", 96, 8, 0.02)]
# Of kinds of tasks: thousandths of a GPU or number of GPUs, CPUs, and the weight of the kind within its class.
SHARES = [(810, 3, 34), (470, 12, 13), (470, 8, 12), (650, 12, 8), (320, 4, 8), (320, 8, 3), (230, 4, 5), (460, 6, 4),
          (590, 3, 3), (550, 4, 3), (160, 4, 3), (370, 4, 2), (220, 4, 2), (110, 4, 1)]
SINGLES = [(1, 11, 39), (1, 3, 12), (1, 12, 14), (1, 19, 7), (1, 10, 5), (1, 8, 5), (1, 4, 4), (1, 16, 8), (1, 14, 3),
           (1, 24, 2)]
SEVERAL = [(8, 88, 5), (8, 64, 5), (4, 32, 3), (2, 16, 3)]
NO_GPU = [(0, 12, 35), (0, 32, 27), (0, 8, 17), (0, 16, 21)]
NODE_COUNT = 100
INFLATION = 1.3


def make_nodes(random):
    """In random order, so that the first of equal nodes is none in particular."""
    chosen = random.choice(len(NODES), NODE_COUNT, p=[share for *_, share in NODES])
    cpus = np.array([NODES[i][1] * 1000 for i in chosen])
    gpus = np.array([[WHOLE if g < NODES[i][2] else 0 for g in range(SLOTS)] for i in chosen])
    return cpus, gpus, chosen


def make_kinds(sharing, random):
    """CPUs, number of GPUs, share of each, the types that are accepted; and how many of some thousand tasks are of the kind.

    13 % of tasks want no GPU; of the others, `sharing` want a part of one, and 2 % of the rest several. The weights within
    a class differ from seed to seed by a quarter.
    """
    kinds, weights = [], []
    classes = [(NO_GPU, 0.13), (SHARES, 0.87 * sharing), (SINGLES, 0.87 * (1 - sharing) * 0.98),
               (SEVERAL, 0.87 * (1 - sharing) * 0.02)]
    for table, of_all in classes:
        drawn = np.array([weight for *_, weight in table]) * random.gamma(16, 1 / 16, len(table))
        for (size, cpu, _), weight in zip(table, of_all * drawn / drawn.sum()):
            gpus, milli = (1, size) if size > 8 else (size, WHOLE if size else 0)
            accepted = [True] * len(NODES)
            if gpus == 1 and random.random() < 0.1:   # wants certain types, of which there is the commonest
                accepted = [i == 0 or bool(random.random() < 0.5) for i in range(len(NODES))]
            kinds.append((cpu * 1000, gpus, milli, accepted))
            weights.append(weight)
    return kinds, np.maximum(1, np.rint(5000 * np.array(weights)).astype(int))


def make_tasks(kinds, counts, capacity, random):
    """Kinds of arriving tasks, until the next would make them ask for more than INFLATION times the GPUs."""
    tasks, asked = [], 0
    shares = np.cumsum(counts / counts.sum())
    shares /= shares[-1]
    while True:
        kind = int(shares.searchsorted(random.random(), side="right"))
        asked += kinds[kind][1] * kinds[kind][2]
        if asked > INFLATION * capacity:
            return tasks
        tasks.append(kind)


def typical(counts, coverage):
    """Of the commonest kinds that make up this share of the tasks their counts; 0 of the others."""
    order = np.argsort(-counts, kind="stable")
    kept = order[:int(np.searchsorted(np.cumsum(counts[order]), coverage * counts.sum())) + 1]
    weight = np.zeros_like(counts)
    weight[kept] = counts[kept]
    return weight


class Cluster:
    def __init__(self, nodes, kinds, counts, coverage):
        self.cpu, self.gpu, self.type = (array.copy() for array in nodes)
        self.kinds = kinds
        self.most_cpu, self.most_gpu = int(self.cpu.max()), int(self.gpu.sum(axis=1).max())
        self.kind_cpu = np.array([k[0] for k in kinds])
        self.kind_gpus = np.array([k[1] for k in kinds])
        self.kind_milli = np.array([k[2] for k in kinds])
        self.levels, self.level = np.unique(np.maximum(self.kind_milli, 1), return_inverse=True)
        self.accepts = np.array([k[3] for k in kinds])
        self.weight = typical(counts, coverage)

    def fragments(self, cpu, gpu, type_):
        """What typical tasks are expected to be unable to use of nodes in these states, times the sum of weights (section 3).

        A kind that does not fit, or wants no GPU, leaves all free shares; another one those of GPUs with too few for it.
        """
        enough = gpu[:, None, :] >= self.levels[None, :, None]                    # state, distinct share, GPU
        free = gpu.sum(axis=1)
        left_over = (~enough * gpu[:, None, :]).sum(axis=2)[:, self.level]
        fits = ((cpu[:, None] >= self.kind_cpu) & (enough.sum(axis=2)[:, self.level] >= self.kind_gpus)
                & (self.kind_gpus > 0) & self.accepts[:, type_])
        return np.where(fits, left_over, free[:, None]) @ self.weight

    def placements(self, node):
        """Of this node for all kinds that fit: kind, and the GPUs' shares afterwards (a row for each way to place it)."""
        ways = []
        free, free_cpu, type_ = self.gpu[node].tolist(), int(self.cpu[node]), int(self.type[node])
        distinct = [g for g in range(SLOTS) if free[g] not in free[:g]]   # GPUs with the same free shares are one way
        for kind, (cpu, gpus, milli, accepted) in enumerate(self.kinds):
            if cpu > free_cpu or (gpus and not accepted[type_]):
                continue
            if gpus == 1 and milli < WHOLE:
                options = [[g] for g in distinct if free[g] >= milli]
            else:
                able = [g for g in range(SLOTS) if free[g] >= milli]
                options = [able[:gpus]] if len(able) >= gpus else []
            for devices in options:
                after = free.copy()
                for device in devices:
                    after[device] -= milli
                ways.append((kind, after, devices))
        return ways


def grade(value, precision, squash):
    """An exact whole number becomes a score: itself, or one of a hundred or of ten steps of its share of the range."""
    if precision == "exact":
        return value
    return np.floor({"hundred": 100, "ten": 10}[precision] * squash(value))


def scores(cluster, node, policy, precision):
    """For each kind that fits: its best score there, and the way to place it."""
    ways = cluster.placements(node)
    best = {}
    if not ways:
        return best
    kinds = np.array([kind for kind, *_ in ways])
    after = np.array([gpu for _, gpu, _ in ways])
    cpu = cluster.cpu[node] - cluster.kind_cpu[kinds]
    if policy == "fgd":
        before, *grown = cluster.fragments(np.append(cluster.cpu[node], cpu), np.vstack((cluster.gpu[node], after)),
                                           cluster.type[node])
        growth = np.array(grown) - before
        total = cluster.weight.sum()
        values = grade(-growth, precision, lambda g: 1 / (1 + np.exp(-g / total / WHOLE)))
    elif policy == "best_fit":   # the mean of free CPUs and free shares that are left, against the largest node's
        left = cpu * cluster.most_gpu + after.sum(axis=1) * cluster.most_cpu
        values = grade(-left, precision, lambda v: 1 + v / (2 * cluster.most_cpu * cluster.most_gpu))
        # Within a node, the GPU with the fewest free shares.
        rest = np.array([sum(cluster.gpu[node][g] for g in devices) for *_, devices in ways])
        order = np.lexsort((rest, kinds))
        ways, kinds, values = [ways[i] for i in order], kinds[order], values[order]
    else:
        values = np.zeros(len(ways))
    for (kind, gpu, _), value in zip(ways, values):
        if kind not in best or value > best[kind][0]:
            best[kind] = (value, gpu)
    return best


def simulate(cluster, tasks, policy, precision, ties, random):
    """Where each task went, by node and the shares taken of each GPU (None: refused); and nodes with the best score."""
    table = np.full((len(cluster.kinds), len(cluster.cpu)), -np.inf)
    ways, known = {}, {}

    def look_at(node):
        state = (cluster.type[node], cluster.cpu[node], *cluster.gpu[node].tolist())
        if state not in known:
            known[state] = scores(cluster, node, policy, precision)
        best = known[state]
        table[:, node] = -np.inf
        for kind, (value, gpu) in best.items():
            table[kind, node] = value
            ways[kind, node] = gpu

    for node in range(len(cluster.cpu)):
        look_at(node)
    placed, tied = [], []
    for kind in tasks:
        row = table[kind]
        best = np.flatnonzero((row == row.max()) & (row > -np.inf))
        if best.size == 0:
            placed.append(None)
            continue
        tied.append(best.size)
        node = int(random.choice(best)) if ties == "random" else int(best[0])
        placed.append((node, cluster.gpu[node] - ways[kind, node]))
        cluster.gpu[node] = ways[kind, node]
        cluster.cpu[node] -= cluster.kind_cpu[kind]
        look_at(node)
    return placed, tied


def violations(nodes, kinds, tasks, placed):
    """Counted from the list of placements alone: limits that were broken, wrong devices, and tasks refused that still fit."""
    cpu, gpu, type_ = (array.copy() for array in nodes)
    wrong = 0
    for kind, where in zip(tasks, placed):
        if where is None:
            continue
        node, taken = where
        want_cpu, gpus, milli, accepted = kinds[kind]
        cpu[node] -= want_cpu
        gpu[node] -= taken
        wrong += int(np.count_nonzero(taken) != gpus or (taken[taken != 0] != milli).any())
        wrong += int(bool(gpus) and not accepted[type_[node]])
    wrong += int((cpu < 0).sum() + (gpu < 0).sum())
    for kind in {kind for kind, where in zip(tasks, placed) if where is None}:
        want_cpu, gpus, milli, accepted = kinds[kind]
        fits = cpu >= want_cpu
        if gpus:
            fits &= ((gpu >= milli).sum(axis=1) >= gpus) & np.array(accepted)[type_]
        wrong += int(fits.sum())
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--policy", choices=["fgd", "best_fit", "first_fit"], required=True)
    parser.add_argument("--precision", choices=["exact", "hundred", "ten"], required=True)
    parser.add_argument("--ties", choices=["first", "random"], required=True)
    parser.add_argument("--sharing", type=float, required=True)
    parser.add_argument("--coverage", type=float, default=0.95, help="share of the tasks whose kinds are typical")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--export", help="write nodes.csv and tasks.csv for `etude simulate` into this folder, and stop")
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    nodes = make_nodes(random)
    kinds, counts = make_kinds(args.sharing, random)
    capacity = int(nodes[1].sum())
    tasks = make_tasks(kinds, counts, capacity, random)
    if args.export:
        return export(args.export, nodes, kinds, tasks)

    cluster = Cluster(nodes, kinds, counts, args.coverage)
    placed, tied = simulate(cluster, tasks, args.policy, args.precision, args.ties, random)
    fragment = sum(cluster.fragments(cluster.cpu[n:n + 1], cluster.gpu[n:n + 1], cluster.type[n])[0]
                   for n in range(len(cluster.cpu)))
    values = {
        "unallocated": 100 * float(cluster.gpu.sum() / capacity),
        "fragment": 100 * float(fragment / cluster.weight.sum() / capacity),
        "tied_nodes": float(np.mean(tied)),
        "refused": sum(where is None for where in placed),
        "checksum": sum(kind * (i + 1) for i, kind in enumerate(tasks)),
        "violations": violations(nodes, kinds, tasks, placed),
    }
    path = os.environ.get("ETUDE_METRICS", "/dev/stdout")
    with open(path, "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")


def export(folder, nodes, kinds, tasks):
    cpu, gpu, type_ = nodes
    with open(os.path.join(folder, "nodes.csv"), "w") as out:
        out.write("sn,cpu_milli,memory_mib,gpu,model\n")
        for n in range(len(cpu)):
            out.write(f"n{n},{cpu[n]},1000000,{np.count_nonzero(gpu[n])},{NODES[type_[n]][0]}\n")
    with open(os.path.join(folder, "tasks.csv"), "w") as out:
        out.write("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n")
        for i, kind in enumerate(tasks):
            want_cpu, gpus, milli, accepted = kinds[kind]
            spec = "" if all(accepted) else "|".join(NODES[t][0] for t in range(len(NODES)) if accepted[t])
            out.write(f"t{i},{want_cpu},0,{gpus},{milli},{spec}\n")


if __name__ == "__main__":
    main()
