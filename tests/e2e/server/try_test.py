"""`POST /try`: one run outside every study, while its client waits."""
import json
import re
import socket
import subprocess
import unittest

from harness import PATIENCE, until
from held import until_gone
from served import ServedTest

JOB = '''
import os, sys
arm, seed, there = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if arm == "broken" and not os.path.exists(there):
    sys.exit(f"no table for seed {seed}")
print("it costs", seed)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {len(arm) + seed % 99991}}}\\n')
'''
STUDY = '''
etude: 1
title: Two arms
question: Which arm is cheaper?
run: python3 -S job.py {{arm}} {{seed}} {there}
factors: {{arm: {{levels: [good, broken], baseline: good}}}}
metrics: {{cost: {{goal: minimize, primary: true}}}}
hypotheses:
  - {{id: H1, statement: Broken costs less., test: {{metric: cost, treatment: {{arm: broken}}, control: {{arm: good}}, direction: less}}}}
design: {{replicates: {{min: 4, max: 4}}, smoke: false}}
budget: {{runs: 5}}
resources: {{timeout: 10m, sandbox: none}}
'''


class TryTest(ServedTest):
    def free(self, name):
        """A study whose jobs do not wait."""
        file = self.held(name)
        self.let_go(name)
        return file

    def test_it_says_what_the_command_line_says_and_leaves_nothing(self):
        self.serve()
        file = self.free("one")
        said = self.post("/try", {"path": str(file), "set": {"arm": "fast"}})
        self.assertEqual((said["ok"], said["factors"], said["withheld"], said["reason"]), (True, {"arm": "fast"}, False, None))
        self.assertAlmostEqual(said["metrics"]["cost"], 4, delta=0.2)
        self.assertEqual(said["log"], {"stdout": f"arm fast seed {said['seed']}\n", "stderr": ""})
        self.assertIn("resources: {cpus: ", said["resources"])
        same = self.json("try", file, "--set", "arm=fast")
        measured = ("usage", "resources")
        self.assertEqual({k: v for k, v in said.items() if k not in measured}, {k: v for k, v in same.items() if k not in measured})
        by_text = self.post("/try", {"text": file.read_text(), "folder": str(file.parent), "set": {"arm": "fast"}})
        self.assertEqual(by_text["metrics"], said["metrics"])
        self.assertEqual(self.get("/studies")["total"], 0)
        self.assertEqual([path.name for path in (self.home / "try").iterdir()], [])
        # A program that only prints.
        text = re.sub("(?m)^run: .*$", "run: echo {arm} loss=0.25", file.read_text())
        printed = self.post("/try", {"text": text, "folder": str(file.parent)})
        self.assertEqual((printed["ok"], printed["metrics"], printed["proposed_from"]), (False, {}, "stdout"))
        self.assertIn("loss", printed["proposed_metrics"][0]["line"])
        self.assertEqual(printed["proposed_metrics"][0]["value"], "0.25")

    def test_what_cannot_be_tried_is_refused(self):
        self.serve()
        path = str(self.free("one"))
        for body, pointer in (({"set": ["arm=fast"]}, "/set"), ({"set": {"arm": None}}, "/set/arm"), ({"timeout_s": 601}, "/timeout_s"),
                              ({"run": "s1-r1"}, "/path")):
            _, said = self.problem(422, "POST", "/try", {"path": path, **body})
            self.assertEqual(said["pointer"], pointer)
        for setting, words in (({"arm": "faster"}, "the levels are slow, fast"), ({"leg": "left"}, "the factors are arm")):
            _, said = self.problem(422, "POST", "/try", {"path": path, "set": setting})
            self.assertIn(words, said["todo"])
        self.problem(404, "POST", "/try", {"run": "s1-r1"})
        self.problem(422, "POST", "/try", {"path": path + "x"})
        self.stop()
        self.serve("--read-only")
        self.problem(403, "POST", "/try", {"path": path})
        self.assertEqual(self.started(), [])

    def begin_try(self, file):
        """A client that waits for a held run."""
        before = len(self.started())
        body = json.dumps({"path": str(file)})
        client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(client.close)
        client.sendall(f"POST /api/v1/try HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\nContent-Type: "
                       f"application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        until(lambda: len(self.started()) > before)
        return client

    def test_it_ends_in_time_and_with_its_client_and_with_its_server(self):
        self.serve()
        file = self.held("one")
        said = self.post("/try", {"path": str(file), "timeout_s": 1})
        self.assertEqual(said["ok"], False)
        self.assertIn("time", said["reason"])
        client = self.begin_try(file)
        answer, said = self.problem(503, "POST", "/try", {"path": str(file)})
        self.assertTrue(said["type"].endswith("#unavailable"))
        self.assertNotEqual(self.job_processes(), [])
        client.close()
        self.assertEqual(until_gone(self.job_processes), [])
        # By the socket of the kernel, too.
        before = len(self.started())
        asked = subprocess.Popen(["curl", "-sS", "--unix-socket", str(self.home / "kernel.sock"), "http://etude/api/v1/try", "--json",
                                  json.dumps({"path": str(file)})], stdout=subprocess.PIPE)
        until(lambda: len(self.started()) > before)
        asked.kill()
        asked.communicate()
        self.assertEqual(until_gone(self.job_processes), [])
        self.begin_try(file)
        self.stop()
        self.assertEqual(until_gone(self.job_processes), [])

    def test_beside_another_kernel_it_runs_too(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        self.serve()
        self.assertTrue(self.post("/try", {"path": str(self.free("two"))})["ok"])
        self.let_go("one")
        self.ended(kernel)

    def test_values_that_are_withheld_stay_so(self):
        there = self.tmp / "there"
        self.write("job.py", JOB)
        file = self.write("study.yaml", STUDY.format(there=there))
        self.serve()
        study = self.post("/studies", {"path": str(file), "jobs": 1}, 201)["id"]
        until(lambda: self.get(f"/studies/{study}")["state"] == "paused")
        runs = self.get(f"/studies/{study}/runs")["items"]
        good = next(run["id"] for run in runs if run["state"] == "succeeded")
        failed = next(run for run in runs if run["state"] == "failed")
        _, said = self.problem(403, "POST", "/try", {"run": good})
        self.assertTrue(said["type"].endswith("#withheld"))
        again = self.post("/try", {"run": failed["id"]})
        self.assertEqual((again["ok"], again["withheld"], again["seed"]), (False, True, failed["seed"]))
        self.assertEqual(again["log"]["stderr"], f"no table for seed {failed['seed']}\n")
        there.touch()
        now = self.post("/try", {"run": failed["id"]})
        self.assertEqual((now["ok"], now["withheld"], now["metrics"], now["log"]), (True, True, {"cost": None}, None))
        self.assertNotIn("it costs", json.dumps(now))


if __name__ == "__main__":
    unittest.main()
