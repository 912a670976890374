"""examples/traffic-tracking: among moving leaves, a road mask makes the difference."""
import unittest

from campaign import Campaign


class TrafficTracking(Campaign):
    name = "traffic-tracking"
    needs = ("numpy", "scipy")
    levels = {"mask": ["none", "road"], "clutter": [60], "tracker": ["kalman"]}
    replicates = 3
    quick = False
    verdicts = {"H1": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
