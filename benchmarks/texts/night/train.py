"""Trains a tiny language model on characters within prepare.SECONDS of processor time. This is the file that ideas change:
model, optimizer, batch size, everything."""
import sys

import prepare
import numpy as np

CONTEXT = 4           # Characters that the model sees.
EMBEDDING = 8         # Numbers for each of them.
HIDDEN = 64
BATCH = 32
LEARNING_RATE = 0.05


class Model:
    """Embeddings, one hidden layer, softmax."""

    def __init__(self, rng):
        characters = len(prepare.ALPHABET)
        self.embedding = rng.normal(0, 0.1, (characters, EMBEDDING))
        self.hidden = rng.normal(0, (CONTEXT * EMBEDDING) ** -0.5, (CONTEXT * EMBEDDING, HIDDEN))
        self.hidden_bias = np.zeros(HIDDEN)
        self.out = np.zeros((HIDDEN, characters))
        self.out_bias = np.zeros(characters)

    def forward(self, contexts):
        """Inputs, hidden values and probabilities for rows of CONTEXT characters each."""
        inputs = self.embedding[contexts].reshape(len(contexts), -1)
        hidden = np.tanh(inputs @ self.hidden + self.hidden_bias)
        scores = hidden @ self.out + self.out_bias
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return inputs, hidden, scores / scores.sum(axis=1, keepdims=True)

    def learn(self, contexts, following, rate):
        """One step of gradient descent on the mean cross-entropy."""
        inputs, hidden, error = self.forward(contexts)
        error[np.arange(len(following)), following] -= 1
        error /= len(following)
        back = (error @ self.out.T) * (1 - hidden ** 2)
        into = (back @ self.hidden.T).reshape(len(contexts), CONTEXT, EMBEDDING)
        self.out -= rate * (hidden.T @ error)
        self.out_bias -= rate * error.sum(axis=0)
        self.hidden -= rate * (inputs.T @ back)
        self.hidden_bias -= rate * back.sum(axis=0)
        np.subtract.at(self.embedding, contexts, rate * into)

    def predict(self, text):
        """The probability of each character of prepare.ALPHABET to come after the text."""
        context = [prepare.ALPHABET.index(c) for c in text[-CONTEXT:].rjust(CONTEXT, prepare.ALPHABET[0])]
        return self.forward(np.array([context]))[2][0]


def train(seed):
    rng = np.random.default_rng(seed)
    text = np.array([prepare.ALPHABET.index(c) for c in prepare.training_text()])
    model, clock = Model(rng), prepare.Clock()
    while clock.used() < 1:
        following = rng.integers(CONTEXT, len(text), BATCH)
        model.learn(text[following[:, None] - np.arange(CONTEXT, 0, -1)], text[following], LEARNING_RATE)
    return model


if __name__ == "__main__":
    prepare.hand_in(train(int(sys.argv[1])))
