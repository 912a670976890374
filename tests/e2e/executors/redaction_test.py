"""Keys that jobs print are in no log, event, report or artifact."""
import base64
import os
import subprocess
import time
import unittest

from harness import PATIENCE, EtudeTest

MIXED = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5lM7n"
OWN = "correct-horse-battery-staple-77"
# Put together when it runs: the workspace is stored as it is.
JOB = f'''
import base64, json, os, sys
shaped = "sk-" + "{MIXED}"
own = base64.b64decode("{base64.b64encode(OWN.encode()).decode()}").decode()
print("stdout has", shaped, own, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
print("stderr has", own, "Authorization: Bearer " + "q" * 20, file=sys.stderr)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({{"name": "cost", "value": 1.5}}) + "\\n")
with open(os.environ["ETUDE_OUTPUT"] + "/raw.txt", "w") as out:
    out.write("data of the job")
sys.exit(1 if sys.argv[1] == "bad" else 0)
'''
STUDY = """
etude: 1
title: Keys
question: Does it print them?
run: python3 -S job.py {arm}
factors: {arm: {levels: [good, bad], baseline: good}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
design: {replicates: {min: 3, max: 3}, smoke: false}
resources: {timeout: 10m, sandbox: none}
"""


class Redaction(EtudeTest):
    def found(self, secret, *folders):
        """Files below the folders that hold it; run folders are removed lazily."""
        deadline = time.monotonic() + PATIENCE
        while True:
            said = subprocess.run(["grep", "-rla", secret, *map(str, folders)], capture_output=True, text=True).stdout
            if not said or time.monotonic() > deadline:
                return said
            time.sleep(0.1)

    def test_keys_are_in_no_log_event_or_artifact(self):
        self.study(STUDY, JOB)
        config = self.write("etude/config.yaml", """
            providers:
              here: {api: openai, base_url: "http://127.0.0.1:1/v1", key_env: OUR_KEY}
            models:
              small: {provider: here, model: m}
            profiles:
              p: {default: small}
            """)
        env = {**os.environ, "OUR_KEY": OWN, "XDG_CONFIG_HOME": str(config.parent.parent)}
        self.etude("run", "study.yaml", "-o", self.tmp / "ara", code=None, env=env)
        runs = self.lines("runs", "s1", env=env)
        states = {run["state"] for run in runs}
        self.assertIn("failed", states)
        good = next(run for run in runs if run["state"] == "succeeded")
        self.assertEqual(good["metrics"], {"cost": 1.5})
        text = self.etude("run-log", good["id"], env=env).stdout
        self.assertIn("stdout has [redacted: openai key] [redacted: here key] 9f86d081884c7d659a2f", text)
        errors = self.etude("run-log", good["id"], "--stream", "stderr", env=env).stdout
        self.assertIn("stderr has [redacted: here key] Authorization: Bearer [redacted: credentials]", errors)
        for secret in ("sk-" + MIXED, OWN, "q" * 20):
            self.assertEqual(self.found(secret, self.home, self.tmp / "ara"), "", secret)
        self.assertTrue(self.json("verify")["ok"])
        self.etude("check", self.tmp / "ara", "--strict")


if __name__ == "__main__":
    unittest.main()
