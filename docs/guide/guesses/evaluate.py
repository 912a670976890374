"""Scores the guesses of a run. It is given the labels, which no run can read."""
import json
import os
import sys

name, labels = sys.argv[1:]
with open(os.path.join(os.environ["ETUDE_JOB_OUTPUT"], name + ".txt")) as file:
    guesses = file.read().split()
with open(labels) as file:
    labels = file.read().split()
right = sum(guess == label for guess, label in zip(guesses, labels))
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "accuracy", "value": right / len(labels)}) + "\n")
