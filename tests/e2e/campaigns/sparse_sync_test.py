"""examples/sparse-sync: a hash balances the parts of a skewed gradient; without skew it makes no difference."""
import unittest

from campaign import Campaign


class SparseSync(Campaign):
    name = "sparse-sync"
    levels = {"scheme": ["contiguous_server", "hashed_server", "dense_ring"], "workers": [16], "batch": [8192]}
    verdicts = {"H1": "supported", "H2": "supported", "H3": "supported"}

    def test_verdicts(self):
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
