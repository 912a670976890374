"""A made-up cluster and its tasks in the format of `etude simulate --nodes --tasks`, the same for the same seed.

The nodes are of the sizes of Alibaba's openb trace. The tasks ask for so little that a million of them ask for less than
twice 10,000 GPUs: most of them are placed and change a node, which is what costs time.
"""
import bisect
import itertools
import random

# GPUs, CPUs, memory in GiB, type; how many of a hundred nodes.
NODES = (((8, 96, 384, "G2"), 40), ((4, 64, 256, "V100M32"), 25), ((2, 104, 512, "T4"), 30), ((1, 32, 128, "P100"), 5))
TYPES = ("G2", "V100M32", "T4", "P100", "G2|V100M32")


def nodes(path, gpus, seed):
    """Writes nodes with `gpus` GPUs in all; returns how many."""
    rng, count, left = random.Random(seed), 0, gpus
    sizes, weights = zip(*NODES)
    with open(path, "w") as out:
        out.write("sn,cpu_milli,memory_mib,gpu,model\n")
        while left:
            gpu, cpu, memory, model = rng.choices(sizes, weights)[0]
            gpu = min(gpu, left)
            out.write(f"n{count},{cpu * 1000},{memory * 1024},{gpu},{model}\n")
            count, left = count + 1, left - gpu
    return count


def kind(rng):
    """CPUs, memory, GPUs, share and types of one kind of task."""
    gpus = rng.choices((0, 1, 2, 4), (13, 80, 5, 2))[0]
    share = min(1000, 1 + int(rng.expovariate(1 / 12))) if gpus else 0
    types = rng.choice(TYPES) if gpus and rng.random() < 0.2 else ""
    return rng.randrange(10, 150), rng.randrange(50, 600), gpus, share, types


def tasks(path, count, kinds, seed):
    """Writes `count` tasks of `kinds` kinds, of which the first is the commonest (Zipf). The first tasks of a longer list
    are those of a shorter one."""
    rng = random.Random(seed)
    made = [",".join(map(str, kind(rng))) for _ in range(kinds)]
    bounds = list(itertools.accumulate(1 / rank for rank in range(1, kinds + 1)))
    with open(path, "w") as out:
        out.write("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n")
        for i in range(count):
            out.write(f"t{i},{made[bisect.bisect(bounds, rng.random() * bounds[-1])]}\n")
