"""A test case for studies with a kernel and clients, and their expected results."""
import collections
import json
import pathlib

from harness import verdicts
from held import HeldTest, until_gone

SUPPORTED = {"H1": "supported", "H2": "refuted"}


class ClientTest(HeldTest):
    def check_concluded(self, ident, name):
        study = self.json("show", ident)
        self.assertEqual((study["state"], study["outcome"]), ("ended", "concluded"))
        self.assertEqual(verdicts(study), SUPPORTED)
        self.assertEqual(study["artifact"], str(self.tmp / name / "study-ara"))
        self.check_artifact(study)
        evidence = [(r["factors"]["arm"], r["seed"]) for r in self.lines("runs", ident) if r["evidence"]]
        self.assertEqual(len(evidence), 6)
        self.assertEqual(len(set(evidence)), 6)

    def check_artifact(self, study):
        check = self.json("check", study["artifact"], "--strict")
        self.assertEqual((check["ok"], check["errors"], check["warnings"]), (True, 0, 0), check)
        etude = json.loads((pathlib.Path(study["artifact"]) / "etude.json").read_text())
        self.assertEqual(etude["events"]["head"], study["head"])

    def check_starts(self):
        """Checks that no job was started twice, and that each run that was not lost ended in one process."""
        starts = collections.Counter((run, attempt) for run, attempt, _ in self.started())
        self.assertEqual({start: n for start, n in starts.items() if n > 1}, {})
        for study in self.listed():
            runs = self.lines("runs", study["id"])
            self.assertEqual([r["id"] for r in runs if r["state"] == "lost"], [])
            self.assertEqual(sorted(r["id"] for r in runs if r["started"]),
                             sorted(run for run, _, _ in self.started(study["id"])))

    def both_running(self, *args):
        """Starts an owner and a client, each with a held job; returns their studies' ids."""
        owner = self.begin("run", self.held("one"), "-j", "1", *args)
        first = self.id_of("one")
        self.until_started(first)
        client = self.begin("run", self.held("two"), "-j", "1", *args)
        second = self.id_of("two")
        self.until_started(second)
        return owner, first, client, second

    def check_cancelled(self, ident):
        self.assertEqual(until_gone(self.job_processes), [])
        study = self.json("show", ident)
        self.assertEqual((study["state"], study["outcome"]), ("ended", "cancelled"))
        self.assertEqual(set(verdicts(study).values()), {None})
        self.assertTrue({r["state"] for r in self.lines("runs", ident)} <= {"cancelled", "succeeded"})
        self.check_artifact(study)
        self.assertTrue(self.json("verify")["ok"])
