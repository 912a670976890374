"""examples/activation-checkpointing: the peak of full checkpointing falls below that of selective with many layers."""
import unittest

from campaign import Campaign


class ActivationCheckpointing(Campaign):
    name = "activation-checkpointing"
    needs = ("torch",)
    levels = {"mode": ["selective", "full"], "width": [64], "depth": [1, 6], "sequence": [640]}
    replicates = 1
    quick = False
    verdicts = {"H7": "supported"}

    def reduced(self):
        study = super().reduced()
        del study["factors"]["mode"]["baseline"]
        study["design"]["smoke"] = False  # Each run imports PyTorch for a second.
        return study

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
