"""examples/gpu-packing: the published scores of fragmentation gradient descent owe much to ties that go to the first node."""
import unittest

from campaign import Campaign


class GpuPacking(Campaign):
    name = "gpu-packing"
    levels = {"policy": ["fgd"], "precision": ["hundred"], "sharing": [0.45], "coverage": [0.95]}
    replicates = 16
    quick = False
    verdicts = {"H4": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
