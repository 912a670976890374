"""An artifact answers the forms of registries and journals, and its tables leave as a data set in Croissant."""
import csv
import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from harness import PATIENCE, STUDY, EtudeTest

PEERS = pathlib.Path(__file__).resolve().parents[2] / "peers"
CORPUS = pathlib.Path(__file__).resolve().parents[2] / "artifacts/corpus"
READER = next(PEERS.glob("venv/lib/python3*/site-packages/mlcroissant"), None)
HOSTILE = "</script> <script>alert(1)</script> [me](javascript:alert(1)) `x` | # \" é"
# One cell always fails, so that the flow of runs has something to count.
JOB = '''
import os, sys
arm, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if arm == "fast" and n == 2:
    sys.exit(3)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {10.0 * n + seed % 100 / 100}}}\\n')
'''

maker = EtudeTest("run_study")


def setUpModule():
    maker.setUp()
    quoted = json.dumps(HOSTILE, ensure_ascii=False)
    text = STUDY.replace("Fast against slow", quoted).replace("Is fast cheaper than slow?", quoted)
    maker.study(text.replace("Fast costs more than slow.", quoted), JOB)
    Forms.made = maker.run_study()
    Forms.ara = pathlib.Path(Forms.made["artifact"])


def tearDownModule():
    maker.tearDown()


class Forms(EtudeTest):
    def export(self, to, name, ara=None, code=0):
        done = self.etude("export", ara or self.ara, "--to", to, "-o", self.tmp / name, code=code)
        return done.stderr if code else self.tmp / name

    def events(self):
        return [json.loads(line) for line in (self.ara / "trace/events.jsonl").read_text().splitlines()]

    def test_a_preregistration_names_what_was_frozen_and_nothing_later(self):
        page = self.export("prereg", "prereg.md").read_text()
        events = self.events()
        number = next(i for i, event in enumerate(events, 1) if event["type"] == "ExperimentRegistered")
        frozen = events[number - 1]
        for needed in (frozen["payload"]["hash"], f"| {number} |", frozen["hash"], "### 8. Anything else"):
            self.assertIn(needed, page)
        self.assertEqual([line[:6] for line in page.splitlines() if line.startswith("### ")],
                         [f"### {i}." for i in range(1, 9)])
        registration = frozen["payload"]["registration"]
        for seed in registration["seeds"]:
            self.assertIn(str(seed), page)
        # No head, hash, time or verdict of a later event.
        for event in events[number:]:
            self.assertNotIn(event["hash"], page)
        self.assertNotIn(self.made["head"], page)
        self.assertEqual(re.findall(r"(?<!\\)<script", page), [])
        self.assertEqual(re.findall(r"(?<!\\)\]\(", page), [])

    def test_the_checklists_are_answered_and_the_flow_adds_up(self):
        page = self.export("checklist", "checklist.md").read_text()
        self.assertEqual(page.count("\n- **Answer**: "), 48)
        self.assertEqual(set(re.findall(r"\n- \*\*Answer\*\*: (.*)", page)),
                         {"yes", "partly", "not applicable", "not recorded"})
        for path in re.findall(r"`([^`]+)`", "\n".join(re.findall(r"\n- \*\*Where\*\*: (.*)", page))):
            self.assertTrue((self.ara / path).is_file(), path)
        number = {name: int(n) for name, n in re.findall(r"(?:\"|<br/>)([A-Za-z ,]+): (\d+)", page.split("```")[1])}
        runs = [run for run in json.loads((self.ara / "etude.json").read_text())["runs"]
                if run["experiment"] == "E01" and run["purpose"] == "registered"]
        bad = [run["state"] for run in runs if run["state"] != "succeeded"]
        self.assertIn("failed", bad)
        self.assertEqual(number["Planned"], 24)
        self.assertEqual(number["Queued, repetitions included"], number["Planned"] + number["Repeated under the same seed"])
        self.assertEqual(number["Started"], number["Succeeded"] + number["Ended otherwise"] + number["no end recorded"])
        self.assertEqual(number["Analysed"], number["with a value"] + number["without one, against their arm"])
        self.assertEqual(number["Queued, repetitions included"], number["Excluded"] + number["Analysed"])
        self.assertEqual(number["failed"], bad.count("failed"))
        self.assertEqual(number["without one, against their arm"], len(bad))
        self.assertEqual(number["Analysed"], len(runs))
        self.assertIn(f"| all | {self.made['runs']['total']} |", page)
        self.assertEqual(re.findall(r"(?<!\\)<script", page), [])

    def test_each_table_is_described_by_its_hash_and_the_types_of_its_values(self):
        folder = self.export("croissant", "data")
        described = json.loads((folder / "croissant.json").read_text())
        self.assertEqual(described["conformsTo"], "http://mlcommons.org/croissant/1.0")
        tables = sorted(str(p.relative_to(self.ara)) for p in (self.ara / "evidence").rglob("*.csv"))
        self.assertEqual([file["contentUrl"] for file in described["distribution"]], tables)
        for file, records in zip(described["distribution"], described["recordSet"]):
            written = (folder / file["contentUrl"]).read_bytes()
            self.assertEqual(written, (self.ara / file["contentUrl"]).read_bytes())
            self.assertEqual(file["sha256"], hashlib.sha256(written).hexdigest())
            header, *rows = list(csv.reader(written.decode().splitlines()))
            # A column with the name of an earlier one could not be told apart from it.
            self.assertEqual([field["source"]["extract"]["column"] for field in records["field"]], list(dict.fromkeys(header)))
            for field in records["field"]:
                place = header.index(field["name"])
                for value in (row[place] for row in rows if row[place]):
                    {"sc:Integer": int, "sc:Float": float, "sc:Text": str, "sc:DateTime": str,
                     "sc:Boolean": ["false", "true"].index}[field["dataType"]](value)
        types = {f["name"]: f["dataType"] for s in described["recordSet"] if s["name"].endswith("/E01") for f in s["field"]}
        self.assertEqual({name: types[name] for name in ("run", "arm", "n", "seed", "evidence", "cost", "started")},
                         {"run": "sc:Text", "arm": "sc:Text", "n": "sc:Integer", "seed": "sc:Integer",
                          "evidence": "sc:Boolean", "cost": "sc:Float", "started": "sc:DateTime"})

    def test_the_published_reader_finds_no_fault_and_reads_every_record(self):
        if not READER:
            self.skipTest("no mlcroissant in tests/peers/venv")
        folder = self.export("croissant", "data")
        read = subprocess.run([sys.executable, PEERS / "croissant_check.py", folder], capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(read.returncode, 0, read.stdout + read.stderr)
        told = json.loads(read.stdout)
        self.assertEqual(told["issues"], "")
        for name, records in told["records"].items():
            header, *rows = list(csv.reader((folder / f"{name}.csv").read_text().splitlines()))
            self.assertEqual(len(records), len(rows), name)
            for record, row in zip(records, rows):
                self.assertEqual(set(record), {f"{name}/{column}" for column in header})
                for key, value in record.items():
                    written = row[header.index(key.removeprefix(name + "/"))]
                    self.assertTrue(self.same(value, written), (key, value, written))
        table = folder / "evidence/results/E01.csv"
        table.write_text(table.read_text().replace("true", "false", 1))
        broken = subprocess.run([sys.executable, PEERS / "croissant_check.py", folder], capture_output=True, text=True,
                                timeout=PATIENCE)
        self.assertNotEqual(broken.returncode, 0, "the reader notices a table with another hash")

    @staticmethod
    def same(read, written):
        if read is None or written == "":
            return read is None and written == ""
        if isinstance(read, bool):
            return str(read).lower() == written
        if isinstance(read, (int, float)):
            return float(written) == read
        if read == written:
            return True
        return datetime.datetime.fromisoformat(read) == datetime.datetime.fromisoformat(written)

    def test_what_cannot_answer_is_refused_and_leaves_nothing(self):
        for to in ("prereg", "checklist", "croissant"):
            with self.subTest(to=to):
                self.assertIn("etude did not make this artifact", self.export(to, "x", CORPUS / "resnet", code=2))
        ara = self.tmp / "ara"
        shutil.copytree(self.ara, ara)
        table = ara / "evidence/results/E01.csv"
        table.write_text(table.read_text().replace("true", "false", 1))
        self.assertIn("evidence/results/E01.csv: is not the file that etude.json names",
                      self.export("croissant", "x", ara, code=2))
        log = ara / "trace/events.jsonl"
        log.write_text("".join(log.read_text().splitlines(True)[:-1]))
        for to in ("prereg", "checklist", "croissant"):
            self.assertIn("names another head", self.export(to, "x", ara, code=2))
        (ara / "trace/events.jsonl").unlink()
        for to in ("prereg", "checklist", "croissant"):
            self.assertIn("is missing", self.export(to, "x", ara, code=2))
        self.assertEqual([p.name for p in self.tmp.iterdir() if p.name == "x" or ".etude-" in p.name], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
