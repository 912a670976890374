"""environment.setup: run once, with network if asked, and seen read-only by every run."""
import socket
import threading
import unittest

from harness import EtudeTest

JOB = """
import json, os, sys
tool, seed, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.path.insert(0, ".tools")
import helper
for attempt in (lambda: open(".tools/helper.py", "a"), lambda: os.remove(".tools/helper.py"), lambda: open(".tools/new", "w")):
    try:
        attempt()
        sys.exit("what the set-up left can be changed")
    except OSError:
        pass
import socket
try:
    socket.create_connection(("127.0.0.1", port), 2)
    sys.exit("a run reached the network")
except OSError:
    pass
open(os.environ["ETUDE_METRICS"], "a").write(json.dumps({"name": "cost", "value": helper.cost(tool, seed)}) + "\\n")
"""
SETUP = """
import os, socket, sys
os.mkdir(".tools")
open(".tools/helper.py", "w").write("def cost(tool, seed): return {'a': 5, 'b': 9}[tool] + seed % 97 / 100\\n")
print("network", socket.create_connection(("127.0.0.1", int(sys.argv[1])), 240).recv(5))
"""
STUDY = """
etude: 1
title: Tools
question: Which tool is cheaper?
environment: {setup: {run: ["python3 setup.py PORT", "test -d .tools"], network: true, key: [tools.lock], timeout: 10m}}
run: python3 -S job.py {tool} {seed} PORT
factors:
  tool: {levels: [a, b], baseline: b}
metrics:
  cost: {primary: true}
design: {replicates: {min: 3, max: 3}}
resources: {timeout: 10m}
"""


class SetUp(EtudeTest):
    def setUp(self):
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.reached = 0

        def greet():
            while True:
                try:
                    peer, _ = self.listener.accept()
                except OSError:
                    return
                self.reached += 1
                peer.sendall(b"hello")
                peer.close()

        threading.Thread(target=greet, daemon=True).start()
        self.port = str(self.listener.getsockname()[1])
        self.write("job.py", JOB)
        self.write("setup.py", SETUP)
        self.write("tools.lock", "v1")
        self.write("study.yaml", STUDY.replace("PORT", self.port))

    def tearDown(self):
        self.listener.close()
        super().tearDown()

    def test_it_runs_once_for_all_studies_that_share_its_key(self):
        first = self.run_study("-j", "2")
        self.assertEqual(first["outcome"], "concluded", first)
        runs = self.lines("runs", first["id"])
        self.assertEqual([r["stage"] for r in runs if r["stage"]], ["setup"])
        self.assertEqual((runs[0]["state"], runs[0]["evidence"], self.reached), ("succeeded", False, 1))
        self.assertIn("network b'hello'", self.etude("run-log", runs[0]["id"]).stdout)
        self.assertTrue(self.json("check", self.dir / "study-ara", "--strict")["ok"])
        second = self.run_study("-j", "2", "-o", self.dir / "again")
        self.assertEqual((second["outcome"], self.reached), ("concluded", 1))
        self.assertFalse(any(r["stage"] for r in self.lines("runs", second["id"])))
        self.write("tools.lock", "v2")
        third = self.run_study("-j", "2", "-o", self.dir / "third")
        self.assertEqual((third["outcome"], self.reached), ("concluded", 2))
        self.assertTrue(self.json("verify")["ok"])

    def test_a_set_up_that_fails_fails_the_study_and_says_why(self):
        self.write("setup.py", "import sys; sys.exit('no such package')")
        study = self.run_study("-j", "2", code=1)
        self.assertEqual((study["state"], study["outcome"]), ("ended", "failed"))
        self.assertEqual(study["runs"]["total"], 1)
        shown = self.etude("show", study["id"]).stdout
        self.assertIn("the set-up (s1-r1) failed: exit status 1", shown)
        self.assertIn("no such package", self.etude("run-log", "s1-r1", "--stream", "stderr").stdout)

    def test_a_try_says_that_it_goes_without(self):
        tried = self.etude("try", "study.yaml", code=1)
        self.assertIn("environment.setup: `etude try` does not run it", tried.stderr)
        self.assertIn("No module named 'helper'", tried.stderr + tried.stdout)
        self.assertEqual(self.reached, 0)

    def test_a_key_that_is_no_file_of_the_workspace_is_refused(self):
        (self.dir / "tools.lock").unlink()
        said = self.etude("run", "study.yaml", code=2)
        self.assertIn("`tools.lock` is no file of the workspace", said.stderr)
        self.assertEqual(self.json("ls"), [])


if __name__ == "__main__":
    unittest.main()
