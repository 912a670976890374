"""Trains a small classifier of two half moons. It knows nothing of etude: a constant seed, and results only in its log."""
import argparse
import math
import random

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--momentum", type=float, default=0.0)
parser.add_argument("--decay", type=float, default=0.0)
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--degree", type=int, default=1)
parser.add_argument("--epochs", type=int, default=5)
args = parser.parse_args()

random.seed(42)


def points(n):
    made = []
    for _ in range(n):
        label, angle = random.random() < 0.5, random.random() * math.pi
        x, y = (math.cos(angle), math.sin(angle)) if label else (1 - math.cos(angle), 0.5 - math.sin(angle))
        x, y = x + random.gauss(0, 0.25), y + random.gauss(0, 0.25)
        features = [x ** i * y ** j for i in range(args.degree + 1) for j in range(args.degree + 1 - i)]
        made.append((features, 1.0 if label else 0.0))
    return made


train, test = points(400), points(400)
weights = [0.0] * len(train[0][0])
speed = [0.0] * len(weights)


def predict(features):
    logit = sum(w * f for w, f in zip(weights, features))
    return 1 / (1 + math.exp(-max(-30, min(30, logit))))


for epoch in range(1, args.epochs + 1):
    random.shuffle(train)
    for start in range(0, len(train), args.batch):
        batch = train[start:start + args.batch]
        errors = [predict(features) - label for features, label in batch]
        for i in range(len(weights)):
            slope = sum(error * features[i] for error, (features, _) in zip(errors, batch)) / len(batch)
            speed[i] = args.momentum * speed[i] - args.lr * (slope + args.decay * weights[i])
            weights[i] += speed[i]
    guesses = [(predict(features), label) for features, label in test]
    loss = -sum(math.log(guess if label else 1 - guess) for guess, label in guesses) / len(guesses)
    accuracy = sum((guess > 0.5) == (label > 0.5) for guess, label in guesses) / len(guesses)
    print(f"epoch {epoch}: test loss {loss:.4f}, accuracy {accuracy:.4f}", flush=True)
