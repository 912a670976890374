"""One training step of a small transformer with and without activation checkpointing: what it saves and what it costs.

Modes: `none` saves every activation that the backward pass needs; `selective` computes the core of attention again
(scores, softmax, and their product with the values; Korthikanti and others, MLSys 2023); `full` saves only the input of
each layer. Every mode sees as many tokens in a step, whatever the length of a sequence.

Bytes are those of the storages that autograd holds, each counted once and parameters left out, by hooks on saved tensors.
Time is processor time of one thread; steps with and without checkpointing alternate, so that both meet the same machine.
"""
import argparse
import json
import os
import statistics
import time

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

TOKENS, HEAD, VOCABULARY = 640, 16, 64
FEWEST_PAIRS, MOST_PAIRS, MEASURED_S = 3, 15, 0.5


class Layer(nn.Module):
    """A pre-norm transformer layer with causal attention, without dropout."""

    def __init__(self, width, sequence, mode):
        super().__init__()
        self.mode = mode
        self.heads = width // HEAD
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("mask", torch.full((sequence, sequence), float("-inf")).triu(1), persistent=False)

    def core(self, q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2) * HEAD ** -0.5 + self.mask, -1) @ v

    def whole(self, x):
        batch, sequence, width = x.shape
        q, k, v = (part.reshape(batch, sequence, self.heads, HEAD).transpose(1, 2).contiguous()
                   for part in self.qkv(self.norm1(x)).chunk(3, -1))
        if self.mode == "selective":
            y = checkpoint(self.core, q, k, v, use_reentrant=True)
        else:
            y = self.core(q, k, v)
        x = x + self.out(y.transpose(1, 2).reshape(batch, sequence, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    def forward(self, x):
        return checkpoint(self.whole, x, use_reentrant=True) if self.mode == "full" else self.whole(x)


class Transformer(nn.Module):
    def __init__(self, width, depth, sequence, mode):
        super().__init__()
        self.token, self.place = nn.Embedding(VOCABULARY, width), nn.Embedding(sequence, width)
        self.layers = nn.ModuleList(Layer(width, sequence, mode) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY)

    def forward(self, tokens):
        x = self.token(tokens) + self.place.weight
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def step(model, tokens):
    model.zero_grad(set_to_none=True)
    scores = model(tokens)
    loss = nn.functional.cross_entropy(scores[:, :-1].reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))
    loss.backward()
    return loss.detach()


class SavedBytes:
    """Bytes that autograd holds now, and the most that it held at once. A storage counts as long as any tensor of it is
    held."""

    class Held:
        def __init__(self, tensor, owner):
            self.tensor, self.owner = tensor, owner
            self.key = tensor.storage().data_ptr()
            owner.add(self.key, tensor.storage().nbytes())

        def __del__(self):
            self.owner.remove(self.key)

    def __init__(self, model):
        self.constant = {t.storage().data_ptr() for t in (*model.parameters(), *model.buffers())}
        self.holders, self.bytes, self.now, self.peak = {}, {}, 0, 0

    def add(self, key, size):
        if key in self.constant:
            return
        if not self.holders.get(key):
            self.bytes[key] = size
            self.now += size
            self.peak = max(self.peak, self.now)
        self.holders[key] = self.holders.get(key, 0) + 1

    def remove(self, key):
        if key in self.constant:
            return
        self.holders[key] -= 1
        if not self.holders[key]:
            self.now -= self.bytes[key]

    def measure(self, model, tokens):
        """Bytes held between the forward and the backward pass, and the peak of the whole step."""
        with torch.autograd.graph.saved_tensors_hooks(lambda t: self.Held(t, self), lambda held: held.tensor):
            loss = nn.functional.cross_entropy(model(tokens)[:, :-1].reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))
            between = self.now
            loss.backward()
        return between, self.peak


def cuda_peak(model, tokens):
    """The allocator's peak of one step above what was there before it. Hooks do not reach the threads of CUDA's backward
    pass."""
    model.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    step(model, tokens)
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def timed(model, tokens, device):
    if device == "cuda":
        torch.cuda.synchronize()
    clock = time.process_time if device == "cpu" else time.perf_counter
    begin = clock()
    step(model, tokens)
    if device == "cuda":
        torch.cuda.synchronize()
    return clock() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=["none", "selective", "full"], required=True)
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--depth", type=int, required=True)
    parser.add_argument("--sequence", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    args = parser.parse_args()
    if args.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device cuda: PyTorch finds no CUDA device: leave the option out")
    torch.set_num_threads(1)

    def made(mode):
        torch.manual_seed(args.seed)
        return Transformer(args.width, args.depth, args.sequence, mode).to(args.device)

    plain, model = made("none"), made(args.mode)
    tokens = torch.randint(VOCABULARY, (TOKENS // args.sequence, args.sequence)).to(args.device)
    losses = [step(one, tokens) for one in (plain, model)]  # They warm up, too.
    pairs = list(zip(plain.parameters(), model.parameters()))
    difference = max(float((losses[0] - losses[1]).abs()), *(float((a.grad - b.grad).abs().max()) for a, b in pairs))
    norms = [float(torch.sqrt(sum((p.grad.double() ** 2).sum() for p in one.parameters()))) for one in (plain, model)]
    held, peak = SavedBytes(model).measure(model, tokens)
    if args.device == "cuda":
        peak = cuda_peak(model, tokens)
    times = {"plain": [], "mode": []}
    while len(times["mode"]) < MOST_PAIRS:
        for name, one in (("plain", plain), ("mode", model))[::1 if len(times["mode"]) % 2 else -1]:
            times[name].append(timed(one, tokens, args.device))
        if len(times["mode"]) >= FEWEST_PAIRS and sum(map(sum, times.values())) > MEASURED_S:
            break
    medians = {name: statistics.median(values) for name, values in times.items()}
    values = {
        "saved_bytes": held,
        "peak_bytes": peak,
        "time_ratio": medians["mode"] / medians["plain"],
        "loss": float(losses[1]),
        "difference": max(difference, abs(norms[0] - norms[1])),
    }
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")
    print(f"a step takes {1e3 * medians['mode']:.1f} ms, without checkpointing {1e3 * medians['plain']:.1f} ms")


if __name__ == "__main__":
    main()
