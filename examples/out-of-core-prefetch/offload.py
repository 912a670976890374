"""Training a network whose activations do not fit into the device, simulated event by event.

A step runs the layers forward, then backward. The device computes one layer at a time and holds activations up to its
capacity; a link carries one activation at a time in each direction. Forward, an activation is sent to the host when the
next layer has been computed, except those of the last layers, which stay. Backward, a layer needs its activation back.

    on_demand  it is fetched when the layer is the next to compute
    prefetch   it is fetched when at most `depth` layers are to be computed before it, as far as there is room
    recompute  nothing is sent; of every segment only the first activation stays, and the others are computed again
"""
import argparse
import heapq
import json
import math
import os
import random

LAYERS, STEPS = 48, 10
FORWARD = 0.010          # seconds that a layer takes on average; backward it takes twice as long
JITTER = 0.2             # of a transfer's time: standard deviation of its logarithm


class World:
    """Times and sizes of the layers; a size is in seconds of the link, so that the sum of sizes is ratio * forward time."""

    def __init__(self, ratio, layers, memory, seed):
        self.draw = random.Random(seed)
        spread = {"even": 0.0, "uneven": 0.6}[layers]
        compute = [math.exp(spread * self.draw.gauss(0, 1)) for _ in range(LAYERS)]
        size = [math.exp(spread * self.draw.gauss(0, 1)) for _ in range(LAYERS)]
        self.compute = [FORWARD * LAYERS * c / sum(compute) for c in compute]
        self.size = [ratio * FORWARD * LAYERS * s / sum(size) for s in size]
        # A layer is computed with the activation before it and its own, while the one before is still sent.
        least = max(sum(self.size[i:i + 3]) for i in range(LAYERS))
        self.capacity = max(memory * sum(self.size), 1.01 * least)
        # Half of what is more than the least holds the last layers' activations, which stay.
        stays, self.first_kept = 0.0, LAYERS - 1
        while self.first_kept > 0 and stays + self.size[self.first_kept - 1] <= (self.capacity - least) / 2:
            self.first_kept -= 1
            stays += self.size[self.first_kept]

    def transfer(self, layer):
        return self.size[layer] * math.exp(JITTER * self.draw.gauss(0, 1) - JITTER ** 2 / 2)


def offloaded_step(world, depth):
    """Simulates one step: its seconds, and a record of (engine, layer, start, end) and of memory taken and given back."""
    events, serial = [], 0                  # a heap of (time, number, what, layer)
    now, free = 0.0, world.capacity
    work, memory = [], []                   # the record
    order = [("forward", i) for i in range(LAYERS)] + [("backward", i) for i in reversed(range(LAYERS))]
    position = 0                            # of the next layer to compute
    computing = sending = fetching = None
    resident, wanted, to_send = set(), [], []
    asked = set()

    def occupy(layer, sign):
        nonlocal free
        free -= sign * world.size[layer]
        memory.append((now, sign * world.size[layer]))

    def begin(engine, layer, seconds):
        nonlocal serial
        serial += 1
        work.append((engine, layer, now, now + seconds))
        heapq.heappush(events, (now + seconds, serial, engine, layer))

    def ask_for(layer):
        """The activation is wanted on the device: what still waits to be sent, or is being sent, stays there."""
        if layer in asked or layer >= world.first_kept:
            return
        asked.add(layer)
        if layer in to_send:
            to_send.remove(layer)
        elif layer != sending:
            wanted.append(layer)

    while position < len(order) or computing is not None:
        # Whatever can begin now, begins.
        if computing is None and position < len(order):
            phase, layer = order[position]
            if phase == "forward" and free >= world.size[layer]:
                occupy(layer, 1)
                computing = phase, layer
                begin("forward", layer, world.compute[layer])
                position += 1
            elif phase == "backward":
                ask_for(layer)
                if layer in resident:
                    computing = phase, layer
                    begin("backward", layer, 2 * world.compute[layer])
                    position += 1
        if computing is not None and computing[0] == "backward":
            for layer in range(computing[1] - 1, max(0, computing[1] - depth) - 1, -1):
                ask_for(layer)
        if sending is None and to_send:
            sending = to_send.pop(0)
            begin("send", sending, world.transfer(sending))
        if fetching is None and wanted and free >= world.size[wanted[0]]:
            fetching = wanted.pop(0)
            occupy(fetching, 1)
            begin("fetch", fetching, world.transfer(fetching))

        now, _, engine, layer = heapq.heappop(events)
        if engine == "forward":
            computing = None
            resident.add(layer)
            if 0 < layer and layer - 1 < world.first_kept:
                to_send.append(layer - 1)
        elif engine == "backward":
            computing = None
            resident.discard(layer)
            occupy(layer, -1)
        elif engine == "send":
            sending = None
            if layer not in asked:
                resident.discard(layer)
                occupy(layer, -1)
        else:
            fetching = None
            resident.add(layer)
    return now, work, memory


def recomputed_step(world):
    """Segments of equal length, the number of which needs the least memory; None if even that does not fit."""
    best = None
    for segments in range(1, LAYERS + 1):
        bounds = [round(LAYERS * s / segments) for s in range(segments + 1)]
        parts = [range(a, b) for a, b in zip(bounds, bounds[1:])]
        stays = sum(world.size[part[0]] for part in parts)
        need = stays + max(sum(world.size[i] for i in part[1:]) for part in parts)
        if best is None or need < best[0]:
            # The last segment is still there when the backward pass begins.
            again = sum(world.compute[i] for part in parts[:-1] for i in part[1:])
            best = need, again
    need, again = best
    return 3 * sum(world.compute) + again if need <= world.capacity else None


def violations(world, work, memory):
    """What the record of a step shows to be wrong: engines that do two things at once, too much memory, or a layer whose
    activation was not there."""
    wrong = 0
    for engines in (("forward", "backward"), ("send",), ("fetch",)):
        spans = sorted((start, end) for engine, _, start, end in work if engine in engines)
        wrong += sum(b[0] < a[1] - 1e-12 for a, b in zip(spans, spans[1:]))
    used = 0.0
    for _, taken in memory:
        used += taken
        wrong += used > world.capacity + 1e-9
    wrong += abs(used) > 1e-9
    end_of = {(engine, layer): end for engine, layer, _, end in work}
    for engine, layer, start, _ in work:
        if engine == "backward":
            wrong += end_of["forward", layer] > start
            if ("fetch", layer) in end_of:
                wrong += end_of["fetch", layer] > start + 1e-12 or ("send", layer) not in end_of
        if engine == "fetch":
            wrong += end_of["send", layer] > start + 1e-12
    wrong += sum(engine in ("forward", "backward") for engine, *_ in work) != 2 * LAYERS
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--policy", choices=["on_demand", "prefetch_1", "prefetch_2", "prefetch_8", "recompute"], required=True)
    parser.add_argument("--ratio", type=float, required=True)
    parser.add_argument("--layers", choices=["even", "uneven"], required=True)
    parser.add_argument("--memory", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()

    def seconds_of(policy):
        """The mean of several steps, whose transfers take different times; and what was wrong."""
        world = World(args.ratio, args.layers, args.memory, args.seed)
        if policy == "recompute":
            return recomputed_step(world), 0, 0.0
        depth = 0 if policy == "on_demand" else int(policy.split("_")[1])
        total, wrong, moved = 0.0, 0, 0.0
        for _ in range(STEPS):
            seconds, work, memory = offloaded_step(world, depth)
            total += seconds
            wrong += violations(world, work, memory)
            moved += sum(world.size[layer] for engine, layer, *_ in work if engine == "fetch")
        return total / STEPS, wrong, moved / STEPS / sum(world.size)

    seconds, wrong, moved = seconds_of(args.policy)
    if seconds is None:
        raise SystemExit("recompute: does not fit into the device")
    on_demand, also_wrong, _ = seconds_of("on_demand")
    world = World(args.ratio, args.layers, args.memory, args.seed)
    values = {
        "step_s": seconds,
        "gain": 100 * (1 - seconds / on_demand),
        "waiting": max(0.0, 100 * (1 - 3 * sum(world.compute) / seconds)),
        "fetched": 100 * moved,
        "checksum": sum((i + 1) * size for i, size in enumerate(world.size)) + world.draw.random(),
        "violations": wrong + also_wrong,
    }
    with open(os.environ.get("ETUDE_METRICS", "/dev/stdout"), "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")


if __name__ == "__main__":
    main()
