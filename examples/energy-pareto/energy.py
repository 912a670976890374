"""Energy and time of a training job until it reaches an accuracy, for a batch size and a GPU's power limit.

How many samples a batch size needs is measured: stochastic gradient descent trains a softmax regression until it reaches
the target. What a batch takes in time and power comes from one of three sources:

- `model`: a batch takes a fixed time on the host and a time for each sample, of which a part scales with the clock of the
  cores and the rest, memory, does not. Dynamic power of the cores grows with clock times voltage squared; voltage falls
  with the clock down to a floor. The driver takes the highest clock whose mean power is within the limit.
- `--trace FILE`: a CSV file of measurements with columns batch, power_limit, seconds (of one batch) and watts.
- `--device gpu`: batches of the same size on this machine's GPU, by PyTorch, with the power that nvidia-smi tells. Setting
  a limit needs the right to do so (`nvidia-smi --power-limit`).
"""
import argparse
import csv
import json
import os
import subprocess
import threading
import time

import numpy as np

CLASSES, DIMENSIONS, SAMPLES, TESTS = 10, 24, 4096, 4096
TARGET, MOST_EPOCHS, RATE, RATE_BATCH = 0.85, 60, 0.3, 32
HOST_S, SAMPLE_S, CORE_SHARE = 0.030, 0.001, 0.7          # of a batch, of a sample at the highest clock
CLOCKS = np.arange(0.30, 1.001, 0.01)                      # relative to the highest
IDLE_W, MEMORY_W, CORE_W, LOWEST_VOLTAGE = 40, 30, 190, 0.6
TIME_NOISE, POWER_NOISE = 0.02, 0.01                       # standard deviations, relative, from run to run
LARGEST_LIMIT_W = 250


def samples_to_target(batch, seed):
    """Samples seen until the accuracy on test data reaches the target, and that accuracy."""
    random = np.random.default_rng([seed, 0])
    means = 2.9 * np.linalg.qr(random.normal(size=(DIMENSIONS, CLASSES)))[0].T
    scales = np.exp(random.normal(0, 0.5, DIMENSIONS))     # Directions are learnt at different speeds.
    scales /= np.sqrt(np.mean(scales ** 2))

    def drawn(count):
        labels = random.integers(CLASSES, size=count)
        return (means[labels] + random.normal(size=(count, DIMENSIONS))) * scales, labels

    (inputs, labels), (test, test_labels) = drawn(SAMPLES), drawn(TESTS)
    targets = np.eye(CLASSES)[labels]
    rate = RATE * batch / RATE_BATCH                       # Linear scaling (Goyal and others, 2017).
    weights = np.zeros((DIMENSIONS, CLASSES))
    order, at, seen, accuracy = random.permutation(SAMPLES), 0, 0, 0.0
    every = max(batch, SAMPLES // 32)
    next_test = every
    while seen < MOST_EPOCHS * SAMPLES:
        if at + batch > SAMPLES:
            order, at = random.permutation(SAMPLES), 0
        part = order[at:at + batch]
        at, seen = at + batch, seen + batch
        scores = inputs[part] @ weights
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        weights -= rate * inputs[part].T @ (chances - targets[part]) / batch
        if seen >= next_test:
            next_test += every
            accuracy = float(np.mean((test @ weights).argmax(axis=1) == test_labels))
            if accuracy >= TARGET:
                break
    return seen, accuracy


def modelled(batch, limit, seed):
    """Seconds and watts of a batch, and the clock."""
    busy = batch * SAMPLE_S * (CORE_SHARE / CLOCKS + 1 - CORE_SHARE)
    seconds = HOST_S + busy
    watts = IDLE_W + busy / seconds * (MEMORY_W + CORE_W * CLOCKS * np.maximum(LOWEST_VOLTAGE, CLOCKS) ** 2)
    within = np.flatnonzero(watts <= limit)
    if not within.size:
        raise SystemExit(f"power limit {limit} W: a batch of {batch} takes {watts[0]:.0f} W at the lowest clock: raise the limit")
    at = within[-1]
    noise = np.random.default_rng([seed, batch, int(limit)])
    return seconds[at] * noise.lognormal(0, TIME_NOISE), watts[at] * noise.lognormal(0, POWER_NOISE), CLOCKS[at]


def traced(path, batch, limit):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    lacking = {"batch", "power_limit", "seconds", "watts"} - set(rows[0] if rows else ())
    if lacking:
        raise SystemExit(f"{path}: no column {', '.join(sorted(lacking))}: a trace has batch, power_limit, seconds, watts")
    found = [row for row in rows if float(row["batch"]) == batch and float(row["power_limit"]) == limit]
    if not found:
        raise SystemExit(f"{path}: no row for batch {batch} and power limit {limit:g}: measure it, or leave the level out")
    return *(float(np.mean([float(row[key]) for row in found])) for key in ("seconds", "watts")), None


def nvidia_smi(*arguments):
    try:
        return subprocess.run(["nvidia-smi", *arguments], check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise SystemExit("--device gpu: nvidia-smi is not on PATH: install NVIDIA's driver, or leave the option out")
    except subprocess.CalledProcessError as error:
        said = (error.stdout + error.stderr).strip().splitlines()
        raise SystemExit(f"nvidia-smi {' '.join(arguments)}: {said[-1] if said else 'failed'}: ask for the right, or set it before")


def measured(batch, limit, gpu="0", seconds=10.0):
    """Seconds and watts of a batch of a convolutional network's training step on the GPU."""
    held = float(nvidia_smi("-i", gpu, "--query-gpu=power.limit", "--format=csv,noheader,nounits"))
    if abs(held - limit) > 1:
        nvidia_smi("-i", gpu, f"--power-limit={limit:g}")
    import torch
    from torch import nn
    if not torch.cuda.is_available():
        raise SystemExit("--device gpu: PyTorch finds no CUDA device: leave the option out")
    layers = [nn.Conv2d(3, 64, 3, padding=1), nn.ReLU()]
    for _ in range(6):
        layers += [nn.Conv2d(64, 64, 3, padding=1), nn.ReLU()]
    network = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, CLASSES)).cuda()
    inputs, labels = torch.randn(batch, 3, 64, 64, device="cuda"), torch.randint(CLASSES, (batch,), device="cuda")
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(network(inputs), labels).backward()
        optimizer.step()

    watts, done = [], threading.Event()

    def sample():
        while not done.is_set():
            watts.append(float(nvidia_smi("-i", gpu, "--query-gpu=power.draw", "--format=csv,noheader,nounits")))
            done.wait(0.1)

    for _ in range(20):
        step()
    torch.cuda.synchronize()
    sampler = threading.Thread(target=sample)
    sampler.start()
    begin, batches = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        for _ in range(10):
            step()
        torch.cuda.synchronize()
        batches += 10
    took = (time.perf_counter() - begin) / batches
    done.set()
    sampler.join()
    return took, float(np.mean(watts)), None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--trace")
    parser.add_argument("--device", choices=["model", "gpu"], default="model")
    args = parser.parse_args()
    if args.trace:
        seconds, watts, clock = traced(args.trace, args.batch, args.limit)
    elif args.device == "gpu":
        seconds, watts, clock = measured(args.batch, args.limit)
    else:
        seconds, watts, clock = modelled(args.batch, args.limit, args.seed)
    seen, accuracy = samples_to_target(args.batch, args.seed)
    duration = seen / args.batch * seconds
    values = {
        "energy": duration * watts,
        "duration": duration,
        # Zeus's cost with equal weights: energy, and the energy of the same time at the largest limit.
        "cost": 0.5 * duration * watts + 0.5 * duration * LARGEST_LIMIT_W,
        "epochs": seen / SAMPLES,
        "accuracy": accuracy,
        "power_share": watts / args.limit,
    }
    with open(os.environ.get("ETUDE_METRICS", os.devnull), "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")
    print(f"{duration:.1f} s, {duration * watts:.0f} J, {watts:.0f} W" + (f", clock {clock:.2f}" if clock else ""))


if __name__ == "__main__":
    main()
