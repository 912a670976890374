"""examples/path-finding: PIBT pays for its speed with longer paths; and the validator finds what collides."""
import importlib.util
import random
import unittest

from campaign import Campaign, ROOT


def planners():
    spec = importlib.util.spec_from_file_location("paths", ROOT / "examples" / "path-finding" / "paths.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class PathFinding(Campaign):
    name = "path-finding"
    needs = ()
    levels = {"planner": ["random_order", "pibt"], "agents": [60], "obstacles": [0.1]}
    replicates = 4
    verdicts = {"H5": "supported"}

    def test_verdicts(self):
        self.check_verdicts()

    def test_the_validator_finds_each_kind_of_error(self):
        paths = planners()
        instance = paths.Instance(2, 0.1, random.Random(1))
        a = instance.starts[0]
        b = instance.neighbours[a][0]
        far = max(instance.to_goal[0], key=lambda cell: abs(cell[0] - a[0]) + abs(cell[1] - a[1]))
        instance.starts = instance.goals = [a, b]
        self.assertEqual(paths.errors(instance, {0: [a], 1: [b]}, True), 0)
        self.assertEqual(paths.errors(instance, {0: [a, b, a], 1: [b, a, b]}, True), 2)       # twice they change places
        self.assertEqual(paths.errors(instance, {0: [a, a, a], 1: [b, a, b]}, True), 1)       # one cell
        self.assertEqual(paths.errors(instance, {0: [a, far, a], 1: [b, b, b]}, True), 2)     # no neighbours
        self.assertEqual(paths.errors(instance, {0: [a, b], 1: [b, a]}, True), 3)             # at no goal, and they change places
        self.assertEqual(paths.errors(instance, {0: [a]}, True), 1)                           # an agent without a path


if __name__ == "__main__":
    unittest.main()
