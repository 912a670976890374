"""examples/simulator-fidelity: profiles of operators predict a transformer's step better than its counted arithmetic."""
import unittest

from campaign import Campaign


class SimulatorFidelity(Campaign):
    name = "simulator-fidelity"
    needs = ("torch",)
    levels = {"model": ["transformer"], "predictor": ["flops", "profiled"]}
    replicates = 3
    quick = False
    verdicts = {"H3": "supported"}

    def reduced(self):
        study = super().reduced()
        del study["factors"]["predictor"]["baseline"]
        study["design"]["smoke"] = False  # Each run imports PyTorch for a second.
        return study

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
