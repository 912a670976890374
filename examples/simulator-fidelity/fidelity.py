"""Predicts the time of a training step from profiles of single operators, and measures the step.

Operators are profiled, forward and backward, at a grid of sizes; the time at other sizes is interpolated linearly in each
size, since a call costs a constant and each byte and product its share (the simulator's model of compute). The models are
drawn by the seed, with sizes that are not of the grid, so none of their operators was profiled. A step is the sum of its
operators. Times are processor times of one thread; profiles and steps alternate, so that both meet the same machine.

What is compared with the measured step: `repeated`, its second measurement; `flops`, all arithmetic at the rate of the
largest profiled product; `profiled`, the interpolated operators.
"""
import argparse
import bisect
import json
import os
import random
import statistics
import time

import torch
from torch import nn

TOKENS, SEQUENCE, HEAD = 256, 64, 32
WIDTHS, ATTENTION_WIDTHS = [64, 256, 1024], [64, 256, 512]   # of the grid
REPEATS, STEP_REPEATS = 5, 2
RATE_GRID = (1024, 1024)


class Core(nn.Module):
    """The core of attention, without its linear layers."""

    def forward(self, qkv):
        q, k, v = (part.reshape(TOKENS // SEQUENCE, SEQUENCE, -1, HEAD).transpose(1, 2) for part in qkv.chunk(3, -1))
        out = torch.softmax(q @ k.transpose(-1, -2) * HEAD ** -0.5, -1) @ v
        return out.transpose(1, 2).reshape(TOKENS, -1)


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.inner = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.inner(x)


def drawn(kind, seed):
    """A model and its operators: (operator, size, size)."""
    draw = random.Random(seed)
    width = HEAD * draw.choice([3, 4, 5, 6, 7, 9, 10, 12])
    inner = 32 * draw.choice([n for n in range(width // 16, width // 12 + 1) if 32 * n not in WIDTHS])
    depth = draw.randint(2, 3)
    layers, operators = [], []
    for _ in range(depth):
        if kind == "transformer":
            layers.append(Residual(nn.LayerNorm(width), nn.Linear(width, 3 * width), Core(), nn.Linear(width, width)))
            operators += [("norm", width, 1), ("linear", width, 3 * width), ("core", width, 1), ("linear", width, width),
                          ("add", width, 1)]
        layers.append(Residual(nn.LayerNorm(width), nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width)))
        operators += [("norm", width, 1), ("linear", width, inner), ("gelu", inner, 1), ("linear", inner, width), ("add", width, 1)]
    return nn.Sequential(*layers), width, operators


def flops(operator, size, other):
    """Of the forward and the backward pass; of elementwise operators none."""
    return {"linear": 6 * TOKENS * size * other, "core": 12 * TOKENS * SEQUENCE * size}.get(operator, 0)


def built(operator, size, other):
    if operator == "linear":
        return nn.Linear(size, other), torch.randn(TOKENS, size)
    if operator == "core":
        return Core(), torch.randn(TOKENS, 3 * size)
    if operator == "add":
        return lambda x: x + x, torch.randn(TOKENS, size)
    return (nn.LayerNorm(size) if operator == "norm" else nn.GELU()), torch.randn(TOKENS, size)


def step(module, given, gradient):
    """Seconds of a forward and a backward pass."""
    given.grad = None
    if isinstance(module, nn.Module):
        module.zero_grad(set_to_none=True)
    begin = time.process_time()
    module(given).backward(gradient)
    return time.process_time() - begin


class Timed:
    """A module whose step is measured again and again."""

    def __init__(self, module, given):
        self.module, self.given, self.times = module, given.requires_grad_(), []
        self.gradient = torch.randn_like(module(given).detach())
        self.run()
        self.times.clear()

    def run(self):
        self.times.append(step(self.module, self.given, self.gradient))

    def median(self):
        return statistics.median(self.times)


def between(sizes, size):
    """The two sizes of the grid around this one, and its place between them."""
    at = min(max(bisect.bisect(sizes, size), 1), len(sizes) - 1)
    low, high = sizes[at - 1], sizes[at]
    return low, high, (size - low) / (high - low)


class Profile:
    def __init__(self):
        grid = [("linear", a, b) for a in WIDTHS for b in WIDTHS]
        grid += [("core", a, 1) for a in ATTENTION_WIDTHS]
        grid += [(one, a, 1) for one in ("norm", "gelu", "add") for a in WIDTHS]
        self.points = {point: Timed(*built(*point)) for point in grid}

    def run(self):
        for one in self.points.values():
            one.run()

    def time(self, operator, size, other):
        """Interpolated linearly along each size; above the grid, extrapolated."""
        sizes = ATTENTION_WIDTHS if operator == "core" else WIDTHS

        def line(other):
            low, high, share = between(sizes, size)
            return ((1 - share) * self.points[operator, low, other].median()
                    + share * self.points[operator, high, other].median())

        if operator != "linear":
            return line(1)
        low, high, share = between(WIDTHS, other)
        return (1 - share) * line(low) + share * line(high)

    def rate(self):
        """Arithmetic per second of the largest product."""
        return flops("linear", *RATE_GRID) / self.points["linear", *RATE_GRID].median()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=["mlp", "transformer"], required=True)
    parser.add_argument("--predictor", choices=["repeated", "flops", "profiled"], required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    model, width, operators = drawn(args.model, args.seed)
    whole, again, profile = Timed(model, torch.randn(TOKENS, width)), Timed(model, torch.randn(TOKENS, width)), Profile()
    for _ in range(REPEATS):
        profile.run()
        for _ in range(STEP_REPEATS):
            whole.run()
            again.run()
    predicted = {
        "repeated": again.median,
        "flops": lambda: sum(flops(*one) for one in operators) / profile.rate(),
        "profiled": lambda: sum(profile.time(*one) for one in operators),
    }[args.predictor]()
    # The operators must be all of the model: its arithmetic, counted from its weights, is theirs.
    weights = 6 * TOKENS * sum(one.weight.numel() for one in model.modules() if isinstance(one, nn.Linear))
    counted = sum(flops(*one) for one in operators if one[0] == "linear")
    values = {
        "ratio": predicted / whole.median(),
        "error": abs(predicted / whole.median() - 1),
        "operators": len(operators),
        "uncounted": abs(counted - weights),
    }
    with open(os.environ.get("ETUDE_METRICS", os.devnull), "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")
    print(f"width {width}: a step takes {1e3 * whole.median():.2f} ms, predicted {1e3 * predicted:.2f} ms")


if __name__ == "__main__":
    main()
