"""
Tries: someone exchanges the test data while the runs that they score go on.
Must: runs that were scored by other data than those registered are invalid.
"""
import subprocess

from harness import PATIENCE, until_succeeded
from scored import place_scored


def attack(lab):
    lab.sandbox()
    place_scored(lab, after="\nimport time; time.sleep(0.3)\n")
    kernel = subprocess.Popen(lab.command("run", "study.yaml", "-j", "1", "--json"), cwd=lab.dir, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        until_succeeded(kernel, 1)
        (lab.dir / "secret/test.csv").write_text("0\n" * 100)
        kernel.communicate(timeout=PATIENCE)
    finally:
        kernel.kill()
        kernel.communicate()
    runs = lab.lines("runs", "s1")
    invalid = [r for r in runs if r["state"] == "invalid"]
    lab.assertIn("secret/test.csv is not what it was", invalid[0]["reason"])
    lab.assertNotEqual(lab.json("show", "s1")["hypotheses"][0]["verdict"], "supported")
    return "runs invalid, H1 inconclusive: secret/test.csv is not what it was"
