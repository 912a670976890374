"""Files of a workspace that look like secrets: a person decides whether the artifact has them."""
import json
import shutil
import unittest

from harness import EtudeTest

STUDY = """
etude: 1
title: Fast against slow
question: Is fast cheaper than slow?
run: python3 -S job.py {arm} 1 {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Fast costs less than slow., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
design: {replicates: {min: 4, max: 4}}
resources: {timeout: 10m}
"""


class Secrets(EtudeTest):
    def paused(self, *options, **files):
        """The study, paused before its artifact is made, and its gate."""
        self.study(STUDY)
        self.write(".env", "PASSWORD=hunter2\n")
        self.write("lib/.env", "OTHER=1\n")
        end = self.run_study(*options, code=130)
        self.assertEqual((end["state"], end["reason"], end["outcome"]), ("paused", "gate", None))
        [gate] = self.json("show", end["id"])["gates"]
        self.assertEqual((gate["on"], gate["decision"]), ("secrets", None))
        self.assertEqual(gate["what"], "publish `.env` (by its name), `lib/.env` (by its name) in the artifact, though "
                                       "they look like secrets")
        self.assertFalse((self.dir / "study-ara").exists())
        return end["id"], gate["id"]

    def go_on(self, study):
        for verb in (["artifact", study], ["export", study, "--to", "page"]):
            self.assertIn("waits for a person", self.etude(*verb, "-o", self.tmp / "early", code=2).stderr)
        self.assertEqual(self.lines("resume", study, code=130)[-1]["reason"], "gate")

    def finish(self, study):
        end = self.lines("resume", study)[-1]
        self.assertEqual(end["outcome"], "concluded")
        ara = self.dir / "study-ara"
        self.etude("audit", ara, "--head", end["head"])
        self.etude("check", "--strict", ara)
        return ara

    def kept(self, ara):
        return sorted(str(path.relative_to(folder)) for folder in (ara / "src/workspace").iterdir() if folder.is_dir()
                      for path in folder.rglob(".env"))

    def test_what_a_person_approves_is_published(self):
        study, gate = self.paused()
        self.go_on(study)
        self.etude("approve", gate)
        ara = self.finish(study)
        self.assertEqual(self.kept(ara), [".env", "lib/.env"])
        self.assertIn("Approved: publishing files that look like secrets", (ara / "trace/exploration_tree.yaml").read_text())

    def test_what_a_person_rejects_is_left_out_and_named(self):
        study, gate = self.paused()
        self.etude("reject", gate, "--why", "they are keys")
        ara = self.finish(study)
        self.assertEqual(self.kept(ara), [])
        self.assertNotIn("hunter2", "".join(path.read_text(errors="replace") for path in ara.rglob("*") if path.is_file()))
        self.assertIn("looks like a secret: `.env`, `lib/.env`.", (ara / "PAPER.md").read_text())
        # The job does not need them, so its runs agree; but it is other code, which is said.
        again = self.json("reproduce", ara, code=1)
        self.assertEqual(again["run_counts"]["agrees"], 8)
        self.assertIn("`.env`, `lib/.env` were not published", again["claims"][0]["reason"])
        # A reader who has the file puts it back; another file there is refused.
        [folder] = [path for path in (ara / "src/workspace").iterdir() if path.is_dir()]
        (folder / "lib").mkdir(exist_ok=True)
        shutil.copy(self.dir / "lib/.env", folder / "lib/.env")
        shutil.copy(self.dir / ".env", folder / ".env")
        again = self.json("reproduce", ara)
        self.assertEqual(again["outcome"], "reproduced")
        self.assertNotIn("workspace", [one["what"] for one in again["environment"]])
        (folder / ".env").write_text("PASSWORD=hunter3\n")
        self.assertIn("was changed", self.etude("reproduce", ara, code=2).stderr)

    def test_what_the_study_allows_is_published_without_a_question(self):
        self.study(STUDY + "workspace: {allow_secrets: [.env]}\n")
        self.write(".env", "PASSWORD=hunter2\n")
        done = self.etude("run", "study.yaml")
        self.assertNotIn("secret", done.stderr)
        self.assertEqual(self.kept(self.dir / "study-ara"), [".env"])
        # A reproduction asks nothing: what it has was published before.
        self.assertEqual(self.json("reproduce", self.dir / "study-ara")["outcome"], "reproduced")

    def test_a_cancelled_study_asks_too(self):
        self.study(STUDY.replace("design:", "gates: [{on: experiments, otherwise: pause, wait: 100ms}]\ndesign:"))
        self.write(".env", "PASSWORD=hunter2\n")
        end = self.run_study(code=130)
        self.assertIn("s1-g2 waits for a person", self.etude("cancel", end["id"], code=130).stdout)
        [gate] = [one for one in self.json("show", end["id"])["gates"] if one["on"] == "secrets"]
        self.etude("reject", gate["id"], "--why", "no")
        end = self.lines("resume", end["id"], code=130)[-1]
        self.assertEqual((end["state"], end["outcome"]), ("ended", "cancelled"))
        self.assertEqual(self.kept(self.dir / "study-ara"), [])


if __name__ == "__main__":
    unittest.main()
