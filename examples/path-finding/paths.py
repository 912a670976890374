"""Paths for many agents on a grid without collisions: prioritised planning and PIBT, on generated maps.

`random_order` and `longest_first` plan one agent after the other, each by A* over cells and times around the paths of
those before it (Erdmann and Lozano-Perez, 1987; Silver, AIIDE 2005), in a random order or the farthest from its goal first (van
den Berg and Overmars, IROS 2005). `pibt` moves all agents step by step: an agent of higher priority pushes one that stands
in its way, which inherits the priority, and the move is withdrawn if that leads nowhere (Okumura and others, Artificial
Intelligence 310, 2022).

An instance is solved if at some time all agents are at their goals. Every run takes several instances. `collisions` is the
number of errors that a validator finds, which shares no code with the planners.
"""
import argparse
import collections
import heapq
import json
import os
import random

SIDE = 24
INSTANCES = 8
MOST_STEPS = 200        # of PIBT
FOREVER = 1 << 30


def distances(neighbours, goal):
    """Of every cell the number of steps to the goal."""
    found = {goal: 0}
    queue = collections.deque([goal])
    while queue:
        cell = queue.popleft()
        for other in neighbours[cell]:
            if other not in found:
                found[other] = found[cell] + 1
                queue.append(other)
    return found


class Instance:
    def __init__(self, agents, obstacles, chance):
        while True:
            free = {(x, y) for x in range(SIDE) for y in range(SIDE) if chance.random() >= obstacles}
            near = {(x, y): [c for c in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) if c in free] for x, y in sorted(free)}
            # The part that most cells belong to, so that every agent can reach its goal.
            part = max((set(distances(near, cell)) for cell in chance.sample(sorted(free), 3)), key=len)
            if len(part) >= 0.8 * len(free):
                break
        cells = sorted(part)
        self.neighbours = {cell: near[cell] for cell in cells}
        self.starts = chance.sample(cells, agents)
        self.goals = chance.sample(cells, agents)
        self.to_goal = [distances(self.neighbours, goal) for goal in self.goals]
        self.bound = sum(table[start] for table, start in zip(self.to_goal, self.starts))


class Reservations:
    """The paths planned so far. Behind its path an agent stays at its goal."""

    def __init__(self):
        self.at = set()         # (cell, time)
        self.moves = set()      # (from, to, time of arrival)
        self.stays = {}         # cell: the time from which an agent stays there
        self.last_used = {}     # cell: the last time at which an agent passes
        self.end = 0            # nothing changes after it

    def add(self, path):
        for time, cell in enumerate(path):
            self.at.add((cell, time))
            self.last_used[cell] = max(time, self.last_used.get(cell, 0))
            if time:
                self.moves.add((path[time - 1], cell, time))
        self.stays[path[-1]] = len(path) - 1
        self.end = max(self.end, len(path))

    def free(self, source, cell, time):
        return ((cell, time) not in self.at and time < self.stays.get(cell, FOREVER)
                and (cell, source, time) not in self.moves)


def plan_one(instance, agent, reserved):
    """The shortest path around what is reserved, or None; and the number of expanded states."""
    table, goal, start = instance.to_goal[agent], instance.goals[agent], instance.starts[agent]
    free_for_good = reserved.last_used.get(goal, -1) + 1
    count = 0
    queue = [(table[start], table[start], 0, start)]
    parents = {(start, 0): None}
    closed = set()
    while queue:
        _, _, time, cell = heapq.heappop(queue)
        # Behind the end of all paths, states of one cell are the same.
        state = (cell, min(time, reserved.end))
        if state in closed:
            continue
        closed.add(state)
        count += 1
        if cell == goal and time >= free_for_good:
            path, at = [], (cell, time)
            while at is not None:
                path.append(at[0])
                at = parents[at]
            return path[::-1], count
        for other in (*instance.neighbours[cell], cell):
            if (other, time + 1) not in parents and reserved.free(cell, other, time + 1):
                parents[(other, time + 1)] = (cell, time)
                heapq.heappush(queue, (time + 1 + table[other], table[other], time + 1, other))
    return None, count


def prioritised(instance, order):
    """Paths of the agents that were planned, whether that is all, and the number of expanded states."""
    reserved, paths, count = Reservations(), {}, 0
    for agent in order:
        path, expanded = plan_one(instance, agent, reserved)
        count += expanded
        if path is None:
            return paths, False, count
        reserved.add(path)
        paths[agent] = path
    return paths, True, count


def random_order(instance, chance):
    return prioritised(instance, chance.sample(range(len(instance.starts)), len(instance.starts)))


def longest_first(instance, chance):
    length = [table[start] for table, start in zip(instance.to_goal, instance.starts)]
    order = chance.sample(range(len(length)), len(length))
    return prioritised(instance, sorted(order, key=lambda agent: -length[agent]))


def pibt(instance, chance):
    """As above; the number is that of the calls that decide the step of one agent."""
    agents = range(len(instance.starts))
    ties = chance.sample([agent / len(agents) for agent in agents], len(agents))
    waited = [0] * len(agents)
    now = list(instance.starts)
    paths = {agent: [cell] for agent, cell in enumerate(now)}
    calls = 0
    for _ in range(MOST_STEPS):
        if now == instance.goals:
            return paths, True, calls
        there = {cell: agent for agent, cell in enumerate(now)}
        taken, to = {}, [None] * len(agents)

        def decide(agent, pusher):
            nonlocal calls
            calls += 1
            table = instance.to_goal[agent]
            cells = [*instance.neighbours[now[agent]], now[agent]]
            chance.shuffle(cells)
            for cell in sorted(cells, key=table.__getitem__):
                if cell in taken or (pusher is not None and cell == now[pusher]):
                    continue
                taken[cell], to[agent] = agent, cell
                pushed = there.get(cell)
                if pushed is None or pushed == agent or to[pushed] is not None or decide(pushed, agent):
                    return True
                # The pushed agent stays, and has taken this cell.
            taken[now[agent]], to[agent] = agent, now[agent]
            return False

        for agent in sorted(agents, key=lambda agent: (-waited[agent], ties[agent])):
            if to[agent] is None:
                decide(agent, None)
        now = to
        for agent, cell in enumerate(now):
            paths[agent].append(cell)
            waited[agent] = 0 if cell == instance.goals[agent] else waited[agent] + 1
    return paths, now == instance.goals, calls


def errors(instance, paths, solved):
    """Starts, goals, steps to cells that are no neighbours, two agents in one cell, and two that change places."""
    wrong = 0
    if solved:
        wrong += len(instance.starts) - len(paths)
        wrong += sum(path[-1] != instance.goals[agent] for agent, path in paths.items())
    wrong += sum(path[0] != instance.starts[agent] for agent, path in paths.items())
    length = max((len(path) for path in paths.values()), default=0)
    whole = [path + [path[-1]] * (length - len(path)) for path in paths.values()]
    for time in range(length):
        cells = [path[time] for path in whole]
        wrong += len(cells) - len(set(cells))
        if time:
            before = [path[time - 1] for path in whole]
            wrong += sum(b != a and b not in instance.neighbours[a] for a, b in zip(before, cells))
            steps = {(a, b) for a, b in zip(before, cells) if a != b}
            wrong += sum((b, a) in steps for a, b in steps) // 2
    return wrong


def cost(paths):
    """The sum, over agents, of the time at which each reached its last cell for good."""
    total = 0
    for path in paths.values():
        time = len(path) - 1
        while time and path[time - 1] == path[-1]:
            time -= 1
        total += time
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--planner", choices=["random_order", "longest_first", "pibt"], required=True)
    parser.add_argument("--agents", type=int, required=True)
    parser.add_argument("--obstacles", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    planner = {f.__name__: f for f in (random_order, longest_first, pibt)}[args.planner]
    # Maps are the same for every planner; what a planner draws is its own.
    world, chance = random.Random(f"{args.seed} world"), random.Random(f"{args.seed} planner")
    solved = costs = bounds = decisions = wrong = checksum = 0
    for _ in range(INSTANCES):
        instance = Instance(args.agents, args.obstacles, world)
        paths, done, count = planner(instance, chance)
        wrong += errors(instance, paths, done)
        decisions += count
        checksum = (checksum * 31 + hash(tuple(instance.starts + instance.goals))) % (1 << 40)
        if done:
            solved += 1
            costs += cost(paths)
            bounds += instance.bound
    values = {"solved": solved / INSTANCES, "decisions": decisions / INSTANCES / args.agents, "checksum": checksum,
              "collisions": wrong}
    if solved:
        values["cost_ratio"] = costs / bounds
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")


if __name__ == "__main__":
    main()
