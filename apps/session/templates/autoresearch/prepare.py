"""What every version shares: the text, the characters, the budget, and how a trained model is handed in. Protected."""
import os
import pickle

BUDGET = 20_000  # Characters of training text that a model may read.
ALPHABET = "\n !\"',-.?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def training_text():
    with open("train.txt") as file:
        return file.read()


def hand_in(model):
    """Leaves the model for evaluate.py. Its class may be defined in train.py."""
    with open(os.path.join(os.environ.get("ETUDE_OUTPUT", "."), "model.pickle"), "wb") as file:
        pickle.dump(model, file)
