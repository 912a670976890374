"""examples/selective-unsharding: retaining layers pays where communication is much, and not where compute hides it."""
import unittest

from campaign import Campaign


class SelectiveUnsharding(Campaign):
    name = "selective-unsharding"
    needs = ()
    levels = {"planner": ["none", "reverse_greedy"], "budget": [0.5], "ratio": [0.5, 4]}
    replicates = 16
    verdicts = {"H2": "supported", "H3": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
