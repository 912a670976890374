"""What every version shares: the text, the characters, the budget, and how a trained model is handed in. Protected."""
import os
import pickle
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # Before numpy is loaded: further threads would only spend the budget.

SECONDS = {{seconds}}  # Processor time that a training may take.


class Clock:
    """Starts when it is made. All threads count; waiting for a processor does not."""

    def __init__(self):
        self.started = time.process_time()

    def used(self):
        """The share of the budget that is used: 1 or more when training has to end."""
        return (time.process_time() - self.started) / SECONDS


def training_text():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "train.txt"), encoding="utf-8") as file:
        return file.read()


ALPHABET = "".join(sorted(set(training_text())))


def hand_in(model):
    """Leaves the model for evaluate.py, which asks `model.predict(text)` for the probability of each character of ALPHABET to
    come after the text. The model's class may be defined in train.py."""
    with open(os.path.join(os.environ.get("ETUDE_OUTPUT", "."), "model.pickle"), "wb") as file:
        pickle.dump(model, file)
