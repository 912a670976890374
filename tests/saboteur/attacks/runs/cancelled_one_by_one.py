"""
Tries: a person watches a study, and cancels each run of one arm that does not look well.
Must: what was cancelled is missing for a reason that may have to do with its outcome: the verdict has to hold with it.
"""
import http.client
import json
import socket
import subprocess

from harness import PATIENCE
from lab import JOB


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def cancel(lab, run):
    connection = Unix(lab.home / "kernel.sock")
    connection.request("POST", f"/api/v1/runs/{run}/cancel", "{}", {"Content-Type": "application/json"})
    done = connection.getresponse().status < 300
    connection.close()
    return done


def attack(lab):
    # Runs of this arm wait until the person has cancelled enough of them.
    enough = lab.tmp / "enough"
    lab.place(job=JOB + f"[ $1 = slow ] || until test -e {enough}; do sleep 0.05; done\n",
              edits={"max: 6}": "max: 6}, smoke: false"})
    kernel = subprocess.Popen(lab.command("run", "study.yaml", "-j", "4", "--json"), cwd=lab.dir, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    fast, tried, cancelled = set(), 0, 0
    try:
        for line in kernel.stdout:
            event = json.loads(line)
            payload = event.get("payload", {})
            if event.get("type") == "RunsQueued":
                fast |= {run["number"] for run in payload["runs"] if payload["cells"][run["cell"]]["arm"] == "fast"}
            if event.get("type") == "RunStarted" and cancelled < 3 and payload["run"] in fast:
                cancelled += cancel(lab, f"{event['study']}-r{payload['run']}")
                tried += 1
                if cancelled == 3 or tried == 4:  # Four of them may wait at once.
                    enough.touch()
        kernel.wait(PATIENCE)
    finally:
        kernel.kill()
        kernel.wait()
        kernel.stdout.close()
    study = lab.json("show", "s1")
    lab.assertGreaterEqual(study["runs"]["cancelled"], 1)
    h = study["hypotheses"][0]
    lab.assertEqual((h["verdict"], h["failed"][0]), ("inconclusive", study["runs"]["cancelled"]))
    return f"H1 inconclusive: {h['reason'][:96]}"
