"""
Tries: someone exchanges the test data while the runs that they score go on.
Must: runs that were scored by other data than those registered are invalid.
"""
import subprocess

from harness import waits
from scored import place_scored


def attack(lab):
    lab.sandbox()
    place_scored(lab, before=waits())
    kernel = subprocess.Popen(lab.command("run", "study.yaml", "-j", "1"), cwd=lab.dir, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        lab.release_one_by_one(4)  # Three smoke runs and one that is registered.
        (lab.dir / "secret/test.csv").write_text("0\n" * 100)
        lab.release_until_end(kernel)
    finally:
        kernel.kill()
        kernel.wait()
    runs = lab.lines("runs", "s1")
    invalid = [r for r in runs if r["state"] == "invalid"]
    lab.assertIn("secret/test.csv is not what it was", invalid[0]["reason"])
    lab.assertNotEqual(lab.json("show", "s1")["hypotheses"][0]["verdict"], "supported")
    return "runs invalid, H1 inconclusive: secret/test.csv is not what it was"
