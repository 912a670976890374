"""Federated averaging over simulated devices, with four policies of client selection and a simulated clock.

A hundred clients train a softmax regression on ten Gaussian classes. A client's speed and its network are drawn from
log-normal distributions, as measured phones differ by more than ten times. A round takes as long as the slowest client
whose update is used. Each round a client is available with the chance 0.7.

Policies: `random` selects ten; `over_selection` selects thirteen and uses the first ten (Bonawitz and others, MLSys
2019); `fastest` selects the ten that would take least time; `utility` is Oort's (Lai and others, OSDI 2021): samples
times the root of the mean squared loss, divided by the square of how often a client exceeds the preferred duration, and
one in five selected among clients that were never heard.
"""
import argparse
import json
import os

import numpy as np

CLIENTS, CLASSES, DIMENSIONS = 100, 10, 16
SELECTED, OVER_SELECTED = 10, 13
LOCAL_STEPS, RATE = 5, 0.05
TARGET, LIMIT_S, MOST_ROUNDS = 0.80, 4000.0, 250


class Client:
    def __init__(self, random, means, spread):
        self.samples = int(np.clip(random.lognormal(np.log(60), 0.6), 10, 400))
        shares = random.dirichlet(np.full(CLASSES, 100.0 if spread == "even" else 0.1))
        self.labels = random.choice(CLASSES, size=self.samples, p=shares)
        self.inputs = means[self.labels] + random.normal(size=(self.samples, DIMENSIONS))
        self.targets = np.eye(CLASSES)[self.labels]
        seconds_a_sample = random.lognormal(np.log(0.02), 1.0)
        network_s = random.lognormal(np.log(4.0), 0.8)
        self.round_s = LOCAL_STEPS * self.samples * seconds_a_sample + network_s
        self.utility = None  # Unknown until it was heard.

    def train(self, weights):
        """The weights after local steps. Notes the statistical utility of its data for the weights that it got."""
        w = weights.copy()
        for step in range(LOCAL_STEPS):
            chances = softmax(self.inputs @ w)
            if step == 0:
                loss = -np.log(np.maximum(chances[np.arange(self.samples), self.labels], 1e-12))
                self.utility = self.samples * np.sqrt(np.mean(loss ** 2))
            w -= RATE * self.inputs.T @ (chances - self.targets) / self.samples
        return w


def softmax(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def select(policy, there, random, preferred_s):
    """The clients that begin, and how many of them the round waits for."""
    if policy == "random":
        return list(random.choice(there, SELECTED, replace=False)), SELECTED
    if policy == "over_selection":
        return list(random.choice(there, OVER_SELECTED, replace=False)), SELECTED
    if policy == "fastest":
        return sorted(there, key=lambda client: client.round_s)[:SELECTED], SELECTED
    fresh = [client for client in there if client.utility is None]
    known = [client for client in there if client.utility is not None]
    explored = min(len(fresh), SELECTED if not known else max(SELECTED // 5, SELECTED - len(known)))

    def score(client):
        return client.utility * min(1.0, preferred_s / client.round_s) ** 2

    best = sorted(known, key=score, reverse=True)[:SELECTED - explored]
    return best + [fresh[i] for i in random.choice(len(fresh), explored, replace=False)], SELECTED


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--policy", choices=["random", "over_selection", "fastest", "utility"], required=True)
    parser.add_argument("--spread", choices=["even", "skewed"], required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    # The world is the same for every policy; what a policy draws is its own.
    world = np.random.default_rng([args.seed, 0])
    random = np.random.default_rng([args.seed, 1])
    # Orthogonal means, so that every world is as hard.
    means = 2.7 * np.linalg.qr(world.normal(size=(DIMENSIONS, CLASSES)))[0].T
    clients = [Client(world, means, args.spread) for _ in range(CLIENTS)]
    test_labels = world.integers(CLASSES, size=2000)
    test = means[test_labels] + world.normal(size=(test_labels.size, DIMENSIONS))
    preferred_s = np.quantile([client.round_s for client in clients], 0.3)

    weights = np.zeros((DIMENSIONS, CLASSES))
    clock, reached, lines, done = 0.0, None, [], 0
    for round_ in range(1, MOST_ROUNDS + 1):
        there = [client for client in clients if random.random() < 0.7]
        begun, waited_for = select(args.policy, there, random, preferred_s)
        heard = sorted(begun, key=lambda client: client.round_s)[:waited_for]
        clock += heard[-1].round_s
        if clock > LIMIT_S:
            break
        updates = [client.train(weights) for client in heard]
        weights = np.average(updates, axis=0, weights=[client.samples for client in heard])
        accuracy = float(np.mean((test @ weights).argmax(axis=1) == test_labels))
        done = round_
        lines.append({"name": "accuracy", "value": accuracy, "step": round_})
        if reached is None and accuracy >= TARGET:
            reached = clock
    lines.append({"name": "rounds", "value": done})
    to_target = {"name": "seconds_to_target", "value": LIMIT_S if reached is None else reached}
    lines.append(to_target if reached is not None else {**to_target, "censored": True})
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    print(args.policy, args.spread, "accuracy", lines[done - 1]["value"] if done else None, "reached after", reached)


if __name__ == "__main__":
    main()
