"""examples/energy-pareto: a power limit saves energy where batches are large, and not where the GPU waits for its host."""
import unittest

from campaign import Campaign


class EnergyPareto(Campaign):
    name = "energy-pareto"
    levels = {"batch": [8, 128], "limit": [150, 250]}
    replicates = 6
    quick = False
    verdicts = {"H1": "supported", "H4": "supported"}

    def reduced(self):
        study = super().reduced()
        del study["factors"]["batch"]["baseline"]  # A level that is left out.
        return study

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
