"""A study that builds on an artifact: its code, its controls, its dead ends; and what comes of it says where it comes from."""
import json
import os
import shutil
import unittest

from harness import EtudeTest, JOB, STUDY
from model_server import ModelServer
from thinking_test_case import KEY, REST, calls

CHILD = '''
etude: 1
title: Fast against slow, once more
question: Is fast cheaper than slow at larger sizes?
extend: {parent}
run: python3 -S job.py {{arm}} {{n}} {{seed}}
factors:
  arm: {{levels: [slow, fast]}}
  n: {{levels: [2, 3], type: int}}
metrics:
  cost: {{unit: s, goal: minimize, primary: true}}
{more}
design: {{replicates: {{min: 6, max: 6}}}}
resources: {{timeout: 10m}}
'''
AGAIN = '''hypotheses:
  - id: H7
    statement: Fast costs more than slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, where: {n: 2}, direction: greater}'''


class Maker(EtudeTest):
    """Makes the artifact that all of these extend."""

    def runTest(self):
        # At two sizes it found one thing each.
        self.study(STUDY.replace("control: {arm: slow}, direction: greater",
                                 "control: {arm: slow}, where: {n: 2}, direction: greater"))
        self.etude("run", "study.yaml")


class Child(EtudeTest):
    @classmethod
    def setUpClass(cls):
        cls.made = Maker()
        cls.made.setUp()
        cls.made.runTest()

    @classmethod
    def tearDownClass(cls):
        cls.made.tearDown()

    def setUp(self):
        super().setUp()
        self.ara = self.tmp / "earlier-ara"
        shutil.copytree(self.made.dir / "study-ara", self.ara)
        self.out = self.tmp / "out"

    def child(self, more="", parent="../earlier-ara", text=CHILD):
        return self.write("study.yaml", text.format(parent=parent, more=more))

    def run_child(self, **kw):
        return self.lines("run", "study.yaml", "-o", self.out, **kw)[-1]


class Extend(Child):
    def test_its_code_and_controls_are_the_studys_and_the_artifact_says_so(self):
        self.child()
        study = self.run_child()
        # There is no job.py beside the study file, and no baseline in it.
        derived = study["hypotheses"][0]
        self.assertEqual((derived["treatment"], derived["control"]), ({"arm": "fast"}, {"arm": "slow"}))
        self.assertEqual(study["runs"]["failed"], 0)
        seal = json.loads((self.out / "etude.json").read_text())
        old = json.loads((self.ara / "etude.json").read_text())
        self.assertEqual(seal["workspace"]["hash"], old["workspace"]["hash"])
        self.assertEqual(seal["extends"]["id"], "ara:earlier")
        self.assertEqual(seal["extends"]["head"], old["events"]["head"])
        self.assertEqual(seal["extends"]["controls"], {"arm": "slow"})
        self.assertTrue(seal["extends"]["code"])
        self.assertEqual(seal["extends"]["doi"], "")
        related = (self.out / "logic/related_work.md").read_text()
        self.assertIn("- **Type**: extends", related)
        self.assertIn(seal["extends"]["files"], related)
        self.assertIn("`arm=slow`", related)
        self.assertIn("Fast against slow", (self.out / "PAPER.md").read_text())
        self.assertIn("**Builds on.** Fast against slow", (self.out / "report.md").read_text())
        self.assertIn("Extends ara:earlier", (self.out / "trace/exploration_tree.yaml").read_text())
        for verb in ("check", "audit"):
            self.etude(verb, self.out, "--strict" if verb == "check" else "--json")
        # The parent is in the memory now, and is one thing however often it is extended.
        self.assertTrue(self.json("import", self.ara)["already"])
        self.assertTrue(any(one["address"] == "ara:earlier/C01" for one in self.json("recall", "half")))
        self.assertTrue(self.json("verify")["ok"])
        self.etude("export", self.out, "--to", "ro-crate", "-o", self.tmp / "crate")
        graph = json.loads((self.tmp / "crate/ro-crate-metadata.json").read_text())["@graph"]
        root = next(one for one in graph if one["@id"] == "./")
        self.assertEqual(root["isBasedOn"], root["wasDerivedFrom"])
        based = next(one for one in graph if one["@id"] == root["isBasedOn"]["@id"])
        self.assertEqual(based["identifier"], seal["extends"]["files"])
        # What etude.json says of it is held against the log.
        seal["extends"]["head"] = "0" * 64
        (self.out / "etude.json").chmod(0o644)
        (self.out / "etude.json").write_text(json.dumps(seal))
        self.assertIn("extends", self.etude("check", self.out, code=1).stdout)

    def test_nobody_needs_the_parent_afterwards(self):
        self.child()
        self.run_child()
        shutil.rmtree(self.ara)
        shutil.rmtree(self.home)
        again = self.json("reproduce", self.out)
        self.assertEqual(again["outcome"], "reproduced")

    def test_an_imported_one_is_extended_by_its_address(self):
        self.etude("import", self.ara)
        shutil.rmtree(self.ara)
        self.child(parent="ara:earlier")
        self.assertIn("arm", self.etude("plan", "study.yaml").stdout)
        self.assertEqual(self.run_child()["hypotheses"][0]["verdict"], "supported")
        self.child(parent="ara:never")
        self.assertIn("no artifact was imported as `ara:never`", self.etude("plan", "study.yaml", code=2).stderr)

    def test_a_try_runs_its_code_and_records_nothing(self):
        self.child()
        self.assertTrue(self.json("try", "study.yaml")["ok"])
        self.assertEqual(self.json("recall"), [])

    def test_a_study_with_code_of_its_own_runs_that(self):
        self.write("job.py", JOB.replace('"fast": 4.0', '"fast": 40.0'))
        self.child(more="workspace: .")
        study = self.run_child()
        self.assertGreater(study["hypotheses"][0]["effect"], 0)
        seal = json.loads((self.out / "etude.json").read_text())
        self.assertFalse(seal["extends"]["code"])
        self.assertNotIn("its code", (self.out / "logic/related_work.md").read_text())

    def test_a_dead_end_is_named_before_anything_runs_and_in_the_report(self):
        self.child(more=AGAIN)
        planned = self.etude("plan", "study.yaml").stderr
        self.assertIn("H7: repeats a dead end of ara:earlier: H2 was refuted there", planned)
        self.run_child()
        self.assertIn("Tested before by the artifact that this study extends, ara:earlier: H2 (refuted",
                      (self.out / "report.md").read_text().replace("\\", ""))
        # Another contrast is none, nor one that was supported.
        self.child(more=AGAIN.replace("n: 2", "n: 3"))
        self.assertNotIn("dead end", self.etude("plan", "study.yaml").stderr)

    def test_what_cannot_be_extended_is_refused_before_anything_starts(self):
        self.child(text=CHILD.replace("levels: [slow, fast]", "levels: [quick, fast]"))
        self.assertIn("it has no level `slow`, the control of ara:earlier", self.etude("run", "study.yaml", code=2).stderr)
        row = self.ara / "evidence/results/E01.csv"
        row.chmod(0o644)
        row.write_text("run\n")
        self.child()
        for verb in ("plan", "try", "run"):
            self.assertIn("`etude check` finds", self.etude(verb, "study.yaml", code=2).stderr)
        self.assertEqual(self.json("ls"), [])


class Citing(Child):
    """Agents that think: dead ends of the parent are refused, its claims are cited, invented ones are not."""

    def think(self, fixtures, more=""):
        server = ModelServer(self.tmp, fixtures)
        self.addCleanup(server.close)
        config = self.write("config.yaml", f"""
            providers:
              mock: {{api: openai, base_url: "{server.url}/v1", key_env: MOCK_KEY, timeouts: {{first_byte: 4m, total: 10m}}}}
            models:
              small: {{provider: mock, model: mock-1, prices: {{input: 3, output: 15}}, max_output: 1000}}
            profiles:
              mock: {{default: small}}
            """)
        self.child(more="agents: mock\n" + more)
        return self.lines("--config", config, "run", "study.yaml", "-o", self.out, env={**os.environ, "MOCK_KEY": KEY})

    def test_agents_know_the_parent(self):
        test = {"metric": "cost", "treatment": {"arm": "fast"}, "control": {"arm": "slow"}, "where": {"n": 2},
                "direction": "greater"}
        worse = {"statement": "The fast arm costs more than the slow one.", "confidence": 0.5, "test": test,
                 "mechanism": "it may do more work"}
        better = {**worse, "statement": "The fast arm costs less than the slow one at the larger size.",
                  "test": {**test, "direction": "less", "where": {"n": 3}}, "mechanism": "it does less work"}
        writes = "you write this study up"
        rest = [one for one in REST if one["match"]["systemMessage"] != writes]
        lines = self.think(rest + [
            calls(0, "recall", {"query": "half of slow"}),
            calls(1, "propose_hypothesis", worse),
            calls(2, "propose_hypothesis", better),
            calls(3, "finish", {"summary": "One."}),
            calls(0, "write_section", {"name": "summary", "text": "It agrees with [@ara:earlier/C99]."}, writes),
            calls(1, "write_section", {"name": "summary", "text": "It agrees with [@ara:other]."}, writes),
            calls(2, "write_section", {"name": "summary", "text": "H1 is {{H1.verdict}}, as in [@ara:earlier/C01]."}, writes),
            calls(3, "finish", {"summary": "Written."}, writes),
        ])
        log = "\n".join(json.dumps(line) for line in lines)
        self.assertEqual([h["statement"] for h in lines[-1]["hypotheses"]], [better["statement"]], log[-3000:])
        answers = b"\n".join(path.read_bytes() for path in (self.home / "blobs").rglob("*") if path.is_file())
        self.assertIn(b"H2 of ara:earlier, which this study extends, tested the same contrast and was refuted", answers)
        self.assertIn(b"from an artifact that others made: Fast against slow", answers)
        self.assertIn(b"@ara:earlier/C99", answers)
        self.assertIn(b"is an unbound citation", answers)
        related = (self.out / "logic/related_work.md").read_text()
        self.assertIn("- **Type**: extends", related)
        self.assertIn("- **Type**: imports", related)
        self.assertIn("`C01`", related)
        self.etude("check", self.out)
        self.etude("audit", self.out)


def load_tests(loader, _tests, _pattern):
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Extend, Citing))


if __name__ == "__main__":
    unittest.main()
