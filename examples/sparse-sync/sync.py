"""One synchronisation of sparse gradients among workers, message by message, with the bytes on every link counted.

Each worker draws tokens; the gradient of an embedding is not zero in the rows of its tokens. A scheme leaves the sum of
all gradients on every worker. Each node has one full-duplex link, of which each direction is counted. A row has 64
values of 4 bytes; a sparse row also has an index of 4 bytes. The values of a row are equal here, so one number stands
for them; they are whole numbers, so sums are exact in any order.
"""
import argparse
import json
import os

import numpy as np

ROWS = 65536
ROW_BYTES, SPARSE_ROW_BYTES = 64 * 4, 64 * 4 + 4


class Links:
    """Bytes that each node sent and received."""

    def __init__(self, nodes):
        self.sent = np.zeros(nodes)
        self.received = np.zeros(nodes)

    def carry(self, source, target, bytes_):
        if source != target:
            self.sent[source] += bytes_
            self.received[target] += bytes_

    def busiest(self):
        return np.maximum(self.sent, self.received)


def gradients(workers, batch, skew, random):
    """Of each worker the sparse gradient: rows in ascending order, and their values."""
    weights = np.arange(1, ROWS + 1, dtype=float) ** -skew
    ends = np.cumsum(weights / weights.sum())
    for _ in range(workers):
        tokens = np.minimum(np.searchsorted(ends, random.random(batch), side="right"), ROWS - 1)
        rows, counts = np.unique(tokens, return_counts=True)
        yield rows, counts * random.integers(1, 100, rows.size).astype(float)


def dense(gradient):
    full = np.zeros(ROWS)
    full[gradient[0]] = gradient[1]
    return full


def dense_ring(all_gradients, links):
    """Reduce-scatter, then all-gather, each in workers - 1 steps around the ring."""
    nodes = len(all_gradients)
    parts = np.array_split(np.arange(ROWS), nodes)
    held = [dense(gradient) for gradient in all_gradients]
    for reduces in (True, False):
        for step in range(nodes - 1):
            sent = []
            for node in range(nodes):
                part = parts[(node - step + (0 if reduces else 1)) % nodes]
                target = (node + 1) % nodes
                sent.append((target, part, held[node][part].copy()))
                links.carry(node, target, part.size * ROW_BYTES)
            for target, part, values in sent:
                held[target][part] = held[target][part] + values if reduces else values
    return held


def all_gather(all_gradients, links):
    """Every worker sends its rows to every other one."""
    nodes = len(all_gradients)
    held = []
    for target in range(nodes):
        total = np.zeros(ROWS)
        for source, (rows, values) in enumerate(all_gradients):
            links.carry(source, target, rows.size * SPARSE_ROW_BYTES)
            total[rows] += values
        held.append(total)
    return held


def server(all_gradients, links, owner):
    """Workers push rows to the node that owns them, and pull the sums; every worker is also a server."""
    nodes = len(all_gradients)
    held = [np.zeros(ROWS) for _ in range(nodes)]
    for part in range(nodes):
        total = np.zeros(ROWS)
        touched = np.zeros(ROWS, dtype=bool)
        for source, (rows, values) in enumerate(all_gradients):
            mine = owner[rows] == part
            links.carry(source, part, mine.sum() * SPARSE_ROW_BYTES)
            total[rows[mine]] += values[mine]
            touched[rows[mine]] = True
        for target in range(nodes):
            links.carry(part, target, touched.sum() * SPARSE_ROW_BYTES)
            held[target][touched] = total[touched]
    return held


def contiguous_server(all_gradients, links):
    nodes = len(all_gradients)
    return server(all_gradients, links, np.arange(ROWS) * nodes // ROWS)


def hashed_server(all_gradients, links):
    """The part of a row is the high half of Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4)."""
    mixed = (np.arange(ROWS, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return server(all_gradients, links, (mixed % np.uint64(len(all_gradients))).astype(int))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scheme", required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--skew", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    schemes = {f.__name__: f for f in (dense_ring, all_gather, contiguous_server, hashed_server)}
    made = list(gradients(args.workers, args.batch, args.skew, np.random.default_rng(args.seed)))
    links = Links(args.workers)
    held = schemes[args.scheme](made, links)
    truth = sum(dense(gradient) for gradient in made)
    busiest = links.busiest()
    values = {
        "busiest_bytes": float(busiest.max()),
        "imbalance": float(busiest.max() / busiest.mean()),
        "densification": float(np.count_nonzero(truth) / np.mean([rows.size for rows, _ in made])),
        "checksum": float(truth.sum()),
        "wrong_rows": int(sum(np.count_nonzero(one != truth) for one in held)),
    }
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")


if __name__ == "__main__":
    main()
