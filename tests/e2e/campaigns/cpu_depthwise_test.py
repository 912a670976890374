"""examples/cpu-depthwise: small tiles compute so much again that they are slower than layer by layer."""
import shutil
import unittest

from campaign import Campaign


class CpuDepthwise(Campaign):
    name = "cpu-depthwise"
    needs = ()
    levels = {"tile": ["layers", "16x16"], "chain": [8], "activation": ["relu"]}
    replicates = 6
    quick = False
    verdicts = {"H3": "supported"}

    def test_verdicts(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        self.check_verdicts()


if __name__ == "__main__":
    unittest.main()
