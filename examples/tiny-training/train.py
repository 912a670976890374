"""Trains a small network to tell three interleaved spirals apart: fresh points for every seed, one optimiser, one
learning rate. Writes the learning curve and the final accuracy on held-out points, and keeps the weights.

Runs without etude too: then the metrics are printed and no weights are kept.
"""
import argparse
import json
import math
import os
import sys

import torch
from torch import nn


def spirals(points, generator):
    """Three arms of one and a half turns with a little noise: (x of shape [points, 2], label of shape [points])."""
    label = torch.randint(3, (points,), generator=generator)
    radius = torch.rand(points, generator=generator)
    angle = 2 * math.pi * (label / 3 + 1.5 * radius)
    x = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return 2 * x + 0.05 * torch.randn(points, 2, generator=generator), label


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optimizer", choices=["sgd", "adam"], required=True)
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    x_train, y_train = spirals(1500, generator)
    x_test, y_test = spirals(1500, generator)

    sizes = [2, 64, 64, 64]
    hidden = [layer for a, b in zip(sizes, sizes[1:]) for layer in (nn.Linear(a, b), nn.LeakyReLU(0.1))]
    model = nn.Sequential(*hidden, nn.Linear(sizes[-1], 3))
    if args.optimizer == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, args.steps)  # down to 0 at the end

    path = os.environ.get("ETUDE_METRICS")
    with open(path, "a") if path else sys.stdout as out:

        def record(name, value, step):
            print(json.dumps({"name": name, "value": value, "step": step}), file=out, flush=True)

        for step in range(1, args.steps + 1):
            batch = torch.randint(len(x_train), (128,), generator=generator)
            loss = nn.functional.cross_entropy(model(x_train[batch]), y_train[batch])
            if step % 10 == 0 or not loss.isfinite():
                record("loss", loss.item(), step)
            if not loss.isfinite():
                print(f"diverged at step {step}", file=sys.stderr)
                break
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()

        # A diverged network is tested like any other: what it answers is what its user would get.
        with torch.no_grad():
            accuracy = (model(x_test).argmax(dim=1) == y_test).float().mean().item()
        record("accuracy", accuracy, step)

    if "ETUDE_OUTPUT" in os.environ:
        torch.save({"model": model.state_dict(), "step": step}, os.path.join(os.environ["ETUDE_OUTPUT"], "model.pt"))


if __name__ == "__main__":
    main()
