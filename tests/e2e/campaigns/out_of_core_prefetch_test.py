"""examples/out-of-core-prefetch: prefetching hides transfers until the link is always busy; deep prefetching helps uneven
layers."""
import unittest

from campaign import Campaign


class OutOfCorePrefetch(Campaign):
    name = "out-of-core-prefetch"
    needs = ()
    levels = {"policy": ["on_demand", "prefetch_1", "prefetch_2", "prefetch_8"], "ratio": [0.25, 0.75, 1, 2, 4]}
    replicates = 6
    verdicts = {"H1": "supported", "H2": "supported", "H7": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
