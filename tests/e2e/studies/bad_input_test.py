"""Bad input: one clear error with file, line and remedy, exit 2, no study created, nothing half-written."""
import os
import unittest

from harness import STUDY, EtudeTest

# name, what to replace in a good study, with what, what the error must say
EDITS = [
    ("unknown key", "question:", "qestion:", ["question"]),
    ("wrong type", "type: int", "type: [int]", ["type"]),
    ("number as string", "{min: 6, max: 6}", '{min: "6", max: 6}', ["min"]),
    ("min above max", "{min: 6, max: 6}", "{min: 7, max: 6}", ["min"]),
    ("out of range", "design: {", "design: {alpha: 1.5, ", ["alpha"]),
    ("unknown placeholder", "{arm} {n}", "{arn} {n}", ["arn", "arm"]),
    ("repeated level", "[slow, fast]", "[slow, fast, slow]", ["slow"]),
    ("repeated key", "title:", "title: twice\ntitle:", ["title"]),
    ("unknown metric", "metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less",
     "metric: cots, treatment: {arm: fast}, control: {arm: slow}, direction: less", ["cots", "cost"]),
    ("unknown level", "treatment: {arm: fast}", "treatment: {arm: fats}", ["fats", "fast"]),
    ("equal arms", "control: {arm: slow}", "control: {arm: fast}", ["equal"]),
    ("equal without margin", "direction: greater", "direction: equal", ["margin"]),
    ("broken pattern", "cost: {unit: s,", "cost: {from: {stdout: 'acc=(['}, unit: s,", ["stdout"]),
    ("yaml error", "factors:", "factors: [", []),
    ("stages and run", "run: python3", "stages: {a: {run: x}}\nrun: python3", ["stages", "a `run` as well"]),
    ("missing workspace", "title:", "workspace: nowhere\ntitle:", ["nowhere"]),
    ("workspace over its size limit", "title:", "workspace: {path: ., max_size: 1K}\ntitle:", ["workspace"]),
    ("missing data", "title:", "data: {d: {path: /nonexistent/x}}\ntitle:", ["/nonexistent/x"]),
    ("unknown program", "run: python3", "run: no-such-program-here", ["no-such-program-here"]),
]


class BadInput(EtudeTest):
    def refused(self, *args, says=(), cwd=None):
        done = self.etude("run", *args, code=2)
        lines = [line for line in done.stderr.splitlines() if line]
        self.assertEqual(len(lines), 1, done.stderr)
        for word in says:
            self.assertIn(word, lines[0])
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.json("ls"), [])
        self.assertFalse((self.dir / "study-ara").exists())
        return lines[0]

    def test_each_edit_is_one_clear_error_with_its_place(self):
        for name, old, new, says in EDITS:
            with self.subTest(name):
                self.assertIn(old, STUDY)
                self.study(STUDY.replace(old, new, 1))
                self.write("filler", "x" * 4000)
                error = self.refused("study.yaml", says=says)
                self.assertIn("study.yaml", error)
                self.assertNotIn("exception", error)

    def test_files_that_are_no_study(self):
        self.study("")
        self.refused("study.yaml", says=["empty"])
        self.refused(str(self.dir), says=[str(self.dir)])
        self.refused("missing.yaml", says=["missing.yaml"])
        (self.dir / "binary.yaml").write_bytes(os.urandom(5000))
        self.refused("binary.yaml", says=["binary.yaml"])
        (self.dir / "latin.yaml").write_bytes(STUDY.replace("slow?", "slow\xe9?").encode("latin-1"))
        self.refused("latin.yaml", says=["UTF-8"])
        with open(self.dir / "huge.yaml", "wb") as huge:
            huge.truncate(100 * 1024 * 1024)
        self.refused("huge.yaml", says=["huge.yaml"])

    # What stands in the configuration, and what the error must say.
    CONFIGURATIONS = [("executors: {use: slurm, slurm: {shared: /cluster, jobz: 3}}", ["jobz", "jobs"]),
                      ("executors: {use: slurmm}", ["use", "slurm"]),
                      ("executor: {use: slurm}", ["executor", "executors"]),
                      ("executors: {use: slurm, slurm: {shared: /cluster, time: 2x}}", ["time"]),
                      ("executors: {use: [", [])]

    def test_a_configuration_that_cannot_be_read_starts_nothing(self):
        self.study()
        for text, says in self.CONFIGURATIONS:
            config = self.write("config.yaml", text + "\n")
            for more in ([], ["--executor", "local"], ["--executor", "slurm"], ["--detach"]):
                with self.subTest(text=text, more=more):
                    self.refused("study.yaml", "--config", config, *more, says=[*says, "config.yaml:1"])
        self.refused("study.yaml", "--config", self.dir, says=["it is a folder"])
        self.assertFalse(self.home.exists())

    def test_every_verb_that_starts_jobs_refuses_a_configuration_that_it_cannot_read(self):
        self.study()
        # Where people keep it, it is read without being named.
        self.write("etude/config.yaml", "executors: {use: slurmm}\n")
        env = {**os.environ, "XDG_CONFIG_HOME": str(self.dir)}
        for words in (["run", "study.yaml"], ["try", "study.yaml"], ["plan", "study.yaml"], ["resume"], ["exec", "--", "true"],
                      ["confirm", "--no-run", "history"], ["reproduce", "ara"], ["serve", "--port", "0"], ["gc"],
                      ["bench", "exp-bench", "tasks", "--dry-run"], ["bench", "autoresearch"]):
            with self.subTest(words):
                said = self.etude(*words, code=2, env=env).stderr
                self.assertIn("config.yaml:1: executors.use", said)
                self.assertEqual(len(said.splitlines()), 1, said)
        self.assertFalse(self.home.exists())
        # Those that only read go on.
        self.run_study()
        for words in (["show", "s1"], ["ls"], ["runs", "s1"], ["log", "s1"], ["verify"], ["export", "study-ara", "--to", "zip",
                      "-o", "study.zip"], ["check", "study-ara"]):
            self.etude(*words, env=env)

    @unittest.skipIf(os.geteuid() == 0, "root reads every file")
    def test_an_unreadable_file(self):
        self.study().chmod(0)
        self.refused("study.yaml", says=["study.yaml"])

    def test_usage_errors_exit_2(self):
        for args in (["nonsense"], ["run"], ["run", "study.yaml", "-j", "zero"], ["pause", "s1"], ["graph", "s1", "--format", "x"],
                     ["show", "s99"], ["check", "/nonexistent"], ["reproduce", "/nonexistent"]):
            with self.subTest(args):
                done = self.etude(*args, code=2)
                self.assertTrue(done.stderr.strip())


if __name__ == "__main__":
    unittest.main(verbosity=2)
