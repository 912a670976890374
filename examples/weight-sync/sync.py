"""Weights from the ranks that train to the ranks that serve, piece by piece, with the bytes on every link counted.

The trainers shard each weight by rows (FSDP), and may hold several replicas of the model (HSDP). The servers shard it for
tensor parallelism: by rows or columns, as the weight's place in the layer asks; norms are whole on every rank; and there
are several replicas. Every rank has one full-duplex link. An element has two bytes on a link; here it is a number, so that
what arrives can be compared with what was sent.

Schemes: `gather_broadcast` gathers the model on one trainer, which broadcasts it along a chain of all servers;
`all_gather_slice` gathers it on every trainer of a replica by a ring, and the trainers send each server its slice;
`planned` sends each server what it needs and no more, from the first trainer that has it; `planned_balanced` takes, for
each piece, the sender with least to send so far, among the trainers that have it and the servers that got it before.
"""
import argparse
import json
import os

import numpy as np

FSDP, BYTES = 8, 2


class Links:
    """Bytes that each rank sent and received. Trainers come first."""

    def __init__(self, ranks):
        self.sent = np.zeros(ranks)
        self.received = np.zeros(ranks)

    def carry(self, source, target, elements):
        if source != target:
            self.sent[source] += elements * BYTES
            self.received[target] += elements * BYTES


def model(random):
    """Weights of a small transformer: (array, axis that tensor parallelism divides, or None)."""
    width = 16 * int(random.integers(4, 11))
    inner = 16 * int(random.integers(width // 6, width // 4))
    key_width = 16 * int(random.integers(1, width // 16 + 1))  # Grouped queries have fewer keys and values.
    shapes = [((64 * int(random.integers(6, 17)), width), 0)]
    for _ in range(int(random.integers(2, 5))):
        shapes += [((width, width), 0), ((key_width, width), 0), ((key_width, width), 0), ((width, width), 1),
                   ((inner, width), 0), ((inner, width), 0), ((width, inner), 1), ((width, 1), None), ((width, 1), None)]
    return [(random.integers(0, 2 ** 15, size=shape, dtype=np.int32), axis) for shape, axis in shapes]


def cuts(length, parts):
    """Ends of parts as torch.chunk makes them: all but the last as long, and perhaps fewer than asked for."""
    size = -(-length // parts)
    return [min(length, size * part) for part in range(parts + 1)]


class Layout:
    """Which rank has which rectangle of a weight, among trainers and servers."""

    def __init__(self, trainer_replicas, replicas, tensor_parallel):
        self.trainer_replicas, self.replicas, self.tensor_parallel = trainer_replicas, replicas, tensor_parallel
        self.trainers = trainer_replicas * FSDP
        self.servers = replicas * tensor_parallel

    def trainer_rectangles(self, shape):
        """(rectangle, ranks that have it)"""
        rows = cuts(shape[0], FSDP)
        for part in range(FSDP):
            if rows[part] < rows[part + 1]:
                yield (rows[part], rows[part + 1], 0, shape[1]), [part + FSDP * one for one in range(self.trainer_replicas)]

    def server_rectangles(self, shape, axis):
        """(rectangle, ranks that need it)"""
        first, parts = self.trainers, self.tensor_parallel
        if axis is None:
            yield (0, shape[0], 0, shape[1]), list(range(first, first + self.servers))
            return
        assert shape[axis] % parts == 0
        size = shape[axis] // parts
        for part in range(parts):
            ends = (part * size, (part + 1) * size)
            rectangle = (*ends, 0, shape[1]) if axis == 0 else (0, shape[0], *ends)
            yield rectangle, [first + part + parts * one for one in range(self.replicas)]


class Servers:
    """What the servers hold: of every weight the values of their rectangle, and how often each was written."""

    def __init__(self, weights, layout):
        self.held = {}
        for number, (array, axis) in enumerate(weights):
            for rectangle, ranks in layout.server_rectangles(array.shape, axis):
                shape = (rectangle[1] - rectangle[0], rectangle[3] - rectangle[2])
                for rank in ranks:
                    self.held[number, rank] = (rectangle, np.zeros(shape, np.int32), np.zeros(shape, np.int8))

    def write(self, number, rank, rectangle, values):
        mine, held, writes = self.held[number, rank]
        place = np.s_[rectangle[0] - mine[0]:rectangle[1] - mine[0], rectangle[2] - mine[2]:rectangle[3] - mine[2]]
        held[place] = values
        writes[place] += 1

    def wrong(self, weights):
        """Elements that were not written exactly once, or are not those of the trainers."""
        return sum(int(np.count_nonzero((held != part(weights[number][0], rectangle)) | (writes != 1)))
                   for (number, _), (rectangle, held, writes) in self.held.items())

    def elements(self):
        return sum(held.size for _, held, _ in self.held.values())


def part(array, rectangle):
    return array[rectangle[0]:rectangle[1], rectangle[2]:rectangle[3]]


def size(rectangle):
    return (rectangle[1] - rectangle[0]) * (rectangle[3] - rectangle[2])


def shared(one, other):
    both = (max(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), min(one[3], other[3]))
    return both if both[0] < both[1] and both[2] < both[3] else None


def shards(weights, layout, replica):
    """What each trainer of a replica holds: (weight, rectangle, rank, values)."""
    for number, (array, _) in enumerate(weights):
        for rectangle, ranks in layout.trainer_rectangles(array.shape):
            yield number, rectangle, ranks[replica], part(array, rectangle).copy()


def slices(whole, weights, layout):
    """What each server needs of a whole model: (weight, rectangle, rank, values)."""
    for number, (array, axis) in enumerate(weights):
        for rectangle, ranks in layout.server_rectangles(array.shape, axis):
            for rank in ranks:
                yield number, rectangle, rank, part(whole[number], rectangle)


def gather_broadcast(weights, layout, links, servers):
    whole = [np.zeros_like(array) for array, _ in weights]
    for number, rectangle, rank, values in shards(weights, layout, 0):
        links.carry(rank, 0, values.size)
        part(whole[number], rectangle)[:] = values
    elements = sum(array.size for array in whole)
    chain = [0, *range(layout.trainers, layout.trainers + layout.servers)]
    for source, target in zip(chain, chain[1:]):
        links.carry(source, target, elements)
    for number, rectangle, rank, values in slices(whole, weights, layout):
        servers.write(number, rank, rectangle, values)


def all_gather_slice(weights, layout, links, servers):
    wholes = []
    for replica in range(layout.trainer_replicas):
        whole = [np.zeros_like(array) for array, _ in weights]
        for number, rectangle, rank, values in shards(weights, layout, replica):
            part(whole[number], rectangle)[:] = values
            for hop in range(FSDP - 1):  # Around the ring, to every trainer of the replica.
                first = replica * FSDP
                links.carry(first + (rank - first + hop) % FSDP, first + (rank - first + hop + 1) % FSDP, values.size)
        wholes.append(whole)
    for server in range(layout.servers):
        source = server % layout.trainers
        for number, rectangle, rank, values in slices(wholes[source // FSDP], weights, layout):
            if rank == layout.trainers + server:
                links.carry(source, rank, values.size)
                servers.write(number, rank, rectangle, values)


def pieces(weights, layout):
    """(weight, rectangle, trainers that have it, servers that need it), each as large as can be."""
    for number, (array, axis) in enumerate(weights):
        for needed, servers in layout.server_rectangles(array.shape, axis):
            for had, trainers in layout.trainer_rectangles(array.shape):
                rectangle = shared(needed, had)
                if rectangle:
                    yield number, rectangle, trainers, servers


def planned(weights, layout, links, servers):
    for number, rectangle, trainers, targets in pieces(weights, layout):
        for target in targets:
            links.carry(trainers[0], target, size(rectangle))
            servers.write(number, target, rectangle, part(weights[number][0], rectangle))


def planned_balanced(weights, layout, links, servers):
    """Largest pieces first. A server forwards a piece only after it got it, so what is sent is always there."""
    for number, rectangle, trainers, targets in sorted(pieces(weights, layout), key=lambda one: -size(one[1])):
        had = {rank: part(weights[number][0], rectangle) for rank in trainers}
        # Who has sent least gets the piece first, and can forward it.
        for target in sorted(targets, key=lambda rank: links.sent[rank]):
            source = min(had, key=lambda rank: links.sent[rank])
            links.carry(source, target, size(rectangle))
            had[target] = had[source].copy()
            servers.write(number, target, rectangle, had[target])


def main():
    parser = argparse.ArgumentParser()
    schemes = {f.__name__: f for f in (gather_broadcast, all_gather_slice, planned, planned_balanced)}
    parser.add_argument("--scheme", choices=schemes, required=True)
    parser.add_argument("--trainer_replicas", type=int, required=True)
    parser.add_argument("--replicas", type=int, required=True)
    parser.add_argument("--tensor_parallel", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    weights = model(np.random.default_rng(args.seed))
    layout = Layout(args.trainer_replicas, args.replicas, args.tensor_parallel)
    links, servers = Links(layout.trainers + layout.servers), Servers(weights, layout)
    schemes[args.scheme](weights, layout, links, servers)
    busiest = np.maximum(links.sent, links.received)
    whole = BYTES * sum(array.size for array, _ in weights)
    values = {
        "busiest_bytes": float(busiest.max()),
        "most_sent": float(links.sent.max()),
        "redundancy": float(links.received[layout.trainers:].sum() / (BYTES * servers.elements())),
        "imbalance": float(busiest.max() / busiest.mean()),
        "checksum": float(sum(int(array.sum()) for array, _ in weights)),
        "wrong_elements": servers.wrong(weights),
    }
    with open(os.environ.get("ETUDE_METRICS", os.devnull), "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")
    print(f"{whole} bytes; busiest link {busiest.max() / whole:.3f} of them, redundancy {values['redundancy']:.2f}")


if __name__ == "__main__":
    main()
