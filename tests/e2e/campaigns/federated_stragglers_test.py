"""examples/federated-stragglers: with even data the fastest clients win, and a second client in reserve helps."""
import unittest

from campaign import Campaign


class FederatedStragglers(Campaign):
    name = "federated-stragglers"
    levels = {"policy": ["random", "over_selection", "fastest"], "spread": ["even"]}
    replicates = 8
    quick = False
    verdicts = {"H1": "supported", "H5": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
