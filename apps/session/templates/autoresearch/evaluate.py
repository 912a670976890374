"""Scores a trained model on text that no version sees: bits per character, less is better. Protected.

The model is code that an agent wrote. It runs in another process, behind walls (walls.py), and is sent one character at a
time: it can read neither the text, nor what comes next, nor the file of the metric."""
import json
import math
import os
import sys

from prepare import ALPHABET
from walls import Candidate

LEAST = 2.0 ** -20  # Of a probability, so that one surprise is not infinite.


def evaluate(model, text):
    bits = 0.0
    for previous, following in zip(text, text[1:]):
        probabilities = model.ask(previous)
        if len(probabilities) != len(ALPHABET) or not all(0 <= p <= 1 for p in probabilities) \
                or abs(sum(probabilities) - 1) > 1e-6:
            raise SystemExit("the model's answer is no probability of each character")
        bits -= math.log2(max(LEAST, probabilities[ALPHABET.index(following)]))
    return bits / (len(text) - 1)


if __name__ == "__main__":
    with Candidate("train", os.environ["ETUDE_JOB_OUTPUT"] + "/model.pickle") as candidate:
        with open(sys.argv[1]) as file:
            score = evaluate(candidate, file.read())
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        out.write(json.dumps({"name": "bpc", "value": score}) + "\n")
