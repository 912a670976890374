"""examples/qoe-serving: under load, a scheduler that predicts quality of experience starts answers a hundred times sooner."""
import unittest

from campaign import Campaign


class QoeServing(Campaign):
    name = "qoe-serving"
    levels = {"rate": [4.2]}
    replicates = 3
    quick = False
    verdicts = {"H7": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
