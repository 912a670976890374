"""A training step with fully sharded parameters, by discrete events, and planners of which parameters to retain.

Each layer's parameters are gathered before its forward pass, released, gathered again before its backward pass, and its
gradients are scattered and summed (ZeRO-3). A layer that is retained stays gathered from its forward to its backward
pass, which saves the second gathering (with all layers retained: ZeRO-2's traffic) and costs memory at the turn.

Compute and network are one stream each; the network serves what became ready first, and of two, gathering first. A
layer is gathered when the compute step `PREFETCH` + 1 before its own has ended; gathering for the backward pass begins
after the forward pass. Times are seconds on the simulated clock, sizes are bytes.
"""
import argparse
import heapq
import itertools
import json
import os
import random

DEVICES, LAYERS, PREFETCH = 16, 12, 1
COMPUTE_S = 1.0  # Of all forward and backward passes together.
LATENCY_S = 2e-4
EXHAUSTIVE_LAYERS = 14


class Model:
    """Layers with parameters, compute times and activations of their own."""

    def __init__(self, seed, ratio, layers=LAYERS):
        draw = random.Random(seed)
        self.parameters = [2 * 2e8 * draw.lognormvariate(0, 0.5) for _ in range(layers)]  # 16 bits each
        self.activations = [size * draw.lognormvariate(0, 0.3) for size in self.parameters]
        work = [size * draw.lognormvariate(0, 0.3) for size in self.parameters]
        self.forward = [one * COMPUTE_S / (3 * sum(work)) for one in work]
        self.backward = [2 * one for one in self.forward]
        # `ratio` is ZeRO-3's communication, twice gathering and once scattering, relative to compute.
        moved = [size * (DEVICES - 1) / DEVICES for size in self.parameters]
        bandwidth = 3 * sum(moved) / (ratio * COMPUTE_S - 3 * layers * LATENCY_S)
        self.moved = moved
        self.transfer = [LATENCY_S + one / bandwidth for one in moved]
        # Shards of parameters, gradients, and Adam's state in 32 bits.
        self.constant = sum(self.parameters) / DEVICES * (1 + 1 + 6)


class Step:
    """Simulates one step of a model that retains some layers. What ran: (stream, name, layer, begin, end)."""

    def __init__(self, model, retained, prefetch=PREFETCH):
        self.model, self.retained, self.prefetch = model, retained, prefetch
        self.count = len(model.parameters)
        # Compute steps in order: forward passes, then backward passes from the last layer.
        self.order = [*range(self.count), *reversed(range(self.count))]
        self.gathered = [place < self.count or layer not in retained for place, layer in enumerate(self.order)]
        self.arrived = [not one for one in self.gathered]
        self.next_compute, self.next_gather = 0, 0
        self.waiting = []    # (ready since, 0: gathering or 1: scattering, place) for the network
        self.events = []     # (time, sequence, what, place)
        self.sequence = itertools.count()
        self.network_busy, self.compute_busy = False, False
        self.ran, self.memory = [], []
        self.run()

    def later(self, when, what, place):
        heapq.heappush(self.events, (when, next(self.sequence), what, place))

    def hold(self, when, size):
        self.memory.append((when, size))

    def admit_gathers(self, now):
        """Gathers whose compute step is near enough."""
        ended = self.next_compute - (1 if self.compute_busy else 0)
        while self.next_gather < len(self.order):
            place = self.next_gather
            if place > ended + self.prefetch or (place >= self.count > ended):
                return
            self.next_gather += 1
            if self.gathered[place]:
                heapq.heappush(self.waiting, (now, 0, place))

    def start(self, now):
        self.admit_gathers(now)
        model = self.model
        if not self.network_busy and self.waiting:
            _, kind, place = heapq.heappop(self.waiting)
            layer = self.order[place]
            end = now + model.transfer[layer]
            self.network_busy = True
            if kind == 0:
                self.hold(now, model.parameters[layer])
            self.ran.append(("network", "scatter" if kind else "gather", layer, now, end))
            self.later(end, "scattered" if kind else "gathered", place)
        if not self.compute_busy and self.next_compute < len(self.order) and self.arrived[self.next_compute]:
            place = self.next_compute
            self.next_compute += 1
            self.compute_busy = True
            layer, is_forward = self.order[place], place < self.count
            end = now + (model.forward if is_forward else model.backward)[layer]
            self.hold(now, model.activations[layer] if is_forward else model.parameters[layer])  # The latter: gradients.
            self.ran.append(("compute", "forward" if is_forward else "backward", layer, now, end))
            self.later(end, "computed", place)

    def finish(self, now, what, place):
        model, layer = self.model, self.order[place]
        if what == "computed":
            self.compute_busy = False
            if place < self.count:
                if layer not in self.retained:
                    self.hold(now, -model.parameters[layer])
            else:
                self.hold(now, -model.parameters[layer] - model.activations[layer])
                heapq.heappush(self.waiting, (now, 1, place))
            return
        self.network_busy = False
        if what == "gathered":
            self.arrived[place] = True
        else:
            self.hold(now, -model.parameters[layer])

    def run(self):
        now = 0.0
        self.start(now)
        while self.events:
            now, _, what, place = heapq.heappop(self.events)
            self.finish(now, what, place)
            while self.events and self.events[0][0] == now:
                _, _, what, place = heapq.heappop(self.events)
                self.finish(now, what, place)
            self.start(now)
        self.time = now
        held = peak = self.model.constant
        for _, size in sorted(self.memory):  # Of one moment, what is released comes first.
            held += size
            peak = max(peak, held)
        self.peak, self.left = peak, held
        self.traffic = sum(self.model.moved[layer] for stream, _, layer, _, _ in self.ran if stream == "network")


def greedy(model, budget, layers):
    retained = set()
    for layer in layers:
        if Step(model, retained | {layer}).peak <= budget:
            retained.add(layer)
    return retained


def exhaustive(model, budget):
    """The shortest step within the budget; of equal ones that with fewest bytes retained."""
    count = len(model.parameters)
    if count > EXHAUSTIVE_LAYERS:
        raise SystemExit(f"{count} layers: exhaustive search takes at most {EXHAUSTIVE_LAYERS}: choose a greedy planner")
    # At the turn all activations and all retained parameters are held.
    room = budget - model.constant - sum(model.activations)
    best = None
    for size in range(count + 1):
        for retained in map(set, itertools.combinations(range(count), size)):
            held = sum(model.parameters[layer] for layer in retained)
            if held > room:
                continue
            step = Step(model, retained)
            if step.peak <= budget and (best is None or (step.time, held) < best[:2]):
                best = (step.time, held, retained)
    return best[2]


def plan(planner, model, budget):
    layers = range(len(model.parameters))
    return {
        "none": lambda: set(),
        "all": lambda: set(layers),
        "reverse_greedy": lambda: greedy(model, budget, reversed(layers)),
        "forward_greedy": lambda: greedy(model, budget, layers),
        "exhaustive": lambda: exhaustive(model, budget),
    }[planner]()


def zero2_time(model, prefetch):
    """Step time with all layers retained, by recurrence."""
    gathered, ended = 0.0, []
    for layer, transfer in enumerate(model.transfer):
        admitted = ended[layer - 1 - prefetch] if layer > prefetch else 0.0
        gathered = max(gathered, admitted) + transfer
        ended.append(max(gathered, ended[-1] if ended else 0.0) + model.forward[layer])
    compute, network = ended[-1], 0.0
    for layer in reversed(range(len(model.transfer))):
        compute += model.backward[layer]
        network = max(network, compute) + model.transfer[layer]
    return network


def zero3_time_without_prefetch(model):
    """Step time with no layer retained and nothing gathered early, by recurrence."""
    now = sum(model.transfer) + sum(model.forward)
    network, scatter = now, 0.0
    for layer in reversed(range(len(model.transfer))):
        gathered = max(now, network) + model.transfer[layer]
        network = gathered + scatter  # The gradients of the layer before are scattered behind this gathering.
        now = gathered + model.backward[layer]
        scatter = model.transfer[layer]
    return max(now, network) + scatter


def end_point_error(model):
    """How far the simulator is from what is known of ZeRO-2 and ZeRO-3, relatively."""
    layers = set(range(len(model.parameters)))
    none, all_, slow = Step(model, set()), Step(model, layers), Step(model, set(), prefetch=0)
    total = sum(model.moved)
    known = [
        (none.traffic, 3 * total), (all_.traffic, 2 * total),
        (all_.time, zero2_time(model, PREFETCH)), (slow.time, zero3_time_without_prefetch(model)),
        (none.left, model.constant), (all_.left, model.constant),
    ]
    return max(abs(found / expected - 1) for found, expected in known)


def write_timeline(step, path):
    """Chrome's trace events, which https://ui.perfetto.dev opens."""
    threads = {"compute": 1, "network": 2}
    events = [{"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}} for name, tid in threads.items()]
    events += [{"ph": "X", "pid": 1, "tid": threads[stream], "name": f"{name} {layer + 1}", "cat": name,
                "ts": round(1e6 * begin, 1), "dur": round(1e6 * (end - begin), 1)} for stream, name, layer, begin, end in step.ran]
    held = step.model.constant
    for when, size in sorted(step.memory):
        held += size
        events.append({"ph": "C", "pid": 1, "name": "memory", "ts": round(1e6 * when, 1), "args": {"GB": round(held / 1e9, 3)}})
    with open(path, "w") as out:
        json.dump({"traceEvents": events}, out, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--planner", choices=["none", "all", "reverse_greedy", "forward_greedy", "exhaustive"], required=True)
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("--ratio", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    model = Model(args.seed, args.ratio)
    none, all_ = Step(model, set()), Step(model, set(range(LAYERS)))
    # The budget is a part of what retaining all layers takes more than retaining none.
    budget = none.peak + args.budget * (all_.peak - none.peak)
    retained = plan(args.planner, model, budget)
    step = Step(model, retained)
    write_timeline(step, os.path.join(os.environ.get("ETUDE_OUTPUT", "."), "timeline.json"))
    values = {
        "step_time": step.time,
        "retained": len(retained),
        "peak_over_budget": step.peak / budget,
        "end_point_error": end_point_error(model),
        "checksum": sum(model.parameters) + sum(layer ** 2 for layer in retained),
    }
    with open(os.environ.get("ETUDE_METRICS", os.devnull), "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")
    print(f"{step.time:.3f} s; retained:", *sorted(layer + 1 for layer in retained), f"; idle {1 - COMPUTE_S / step.time:.1%}")


if __name__ == "__main__":
    main()
