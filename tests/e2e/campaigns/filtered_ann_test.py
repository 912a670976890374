"""examples/filtered-ann: an index of each label computes few distances for rare labels, and is faster than a filter."""
import shutil
import unittest

from campaign import Campaign


class FilteredAnn(Campaign):
    name = "filtered-ann"
    needs = ()
    levels = {"selectivity": [0.01], "labels": ["independent"]}
    quick = False
    verdicts = {"H1": "supported", "H2": "supported"}

    def test_verdicts(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
