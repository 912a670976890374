"""Trains a small language model on characters. This is the file that ideas change: model, order, smoothing, everything.
The budget (prepare.BUDGET characters of training text) stays the same for all."""
import random
import sys

import prepare

ORDER = 2       # Characters of context.
SMOOTHING = 1   # Added to each count.
WINDOW = 500    # Characters that are read in one piece.


class Model:
    """Counts what follows each context."""

    def __init__(self):
        self.counts = {}

    def learn(self, text):
        for i in range(ORDER, len(text)):
            following = self.counts.setdefault(text[i - ORDER:i], {})
            following[text[i]] = following.get(text[i], 0) + 1

    def predict(self, context):
        """The probability of each character of prepare.ALPHABET to come after the context."""
        counts = self.counts.get(context[-ORDER:], {})
        total = sum(counts.values()) + SMOOTHING * len(prepare.ALPHABET)
        return [(counts.get(c, 0) + SMOOTHING) / total for c in prepare.ALPHABET]


def train(seed):
    rng = random.Random(seed)
    text, model = prepare.training_text(), Model()
    for _ in range(prepare.BUDGET // WINDOW):
        start = rng.randrange(len(text) - WINDOW)
        model.learn(text[start:start + WINDOW])
    return model


if __name__ == "__main__":
    prepare.hand_in(train(int(sys.argv[1])))
