"""examples/weight-sync: planned transfers put less on the busiest link than gathering, until there are many replicas."""
import unittest

from campaign import Campaign


class WeightSync(Campaign):
    name = "weight-sync"
    levels = {"scheme": ["gather_broadcast", "planned"], "trainer_replicas": [1], "replicas": [1, 16], "tensor_parallel": [4]}
    quick = False
    verdicts = {"H1": "supported", "H2": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
