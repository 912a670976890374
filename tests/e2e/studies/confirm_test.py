"""Somebody's night of autoresearch, made here, is confirmed: what truly helped holds, what luck had kept does not."""
import json
import os
import shutil
import subprocess
import unittest

import harness

# The result depends on the code and the seed, which is a constant as in the field.
TRAIN = '''
import random
seed = 1337
value = %s
%s
print("val_bpb:         ", round(value + random.Random(f"{seed} {value}").gauss(0, 0.01), 6))
'''


@unittest.skipUnless(shutil.which("git"), "skipped: no git")
class ConfirmTest(harness.EtudeTest):
    def git(self, *words):
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        for who in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{who}_NAME": "somebody", f"GIT_{who}_EMAIL": "somebody@example.org"}
        return subprocess.run(["git", "-C", str(self.night), *words], check=True, capture_output=True, text=True,
                              env=environment).stdout.strip()

    def commit(self, value, more=""):
        (self.night / "train.py").write_text(TRAIN % (value, more))
        self.git("add", "train.py")
        self.git("commit", "-q", "--allow-empty", "-m", "an idea")
        return self.git("rev-parse", "--short=7", "HEAD")

    def setUp(self):
        super().setUp()
        self.night = self.dir / "night"
        self.night.mkdir()
        self.git("init", "-q")

    def table(self, *rows, header="commit\tval_bpb\tmemory_gb\tstatus\tdescription"):
        (self.night / "results.tsv").write_text("\n".join([header, *("\t".join(map(str, row)) for row in rows)]) + "\n")

    def made_night(self):
        """The baseline, a true gain, a gain of luck on worse code, an idea that was discarded, and code that crashes."""
        commits = [self.commit(1.0), self.commit(0.8), self.commit(0.9), self.commit(0.5, "raise SystemExit('out of memory')")]
        self.table((commits[0], 1.001, 44.0, "keep", "baseline"), (commits[1], 0.798, 44.0, "keep", "increase LR to 0.04"),
                   ("fffffff", 1.2, 44.0, "discard", "GeLU, gone from the repository"),
                   (commits[2], 0.7, 44.0, "keep", "more warmup"), ("0000000", 0.0, 0.0, "crash", "twice as wide"),
                   (commits[3], 0.5, 44.0, "keep", "no dropout"))
        return commits

    def refused(self, *words, says=(), never=None):
        text = self.etude("confirm", *words, code=2).stderr
        self.assertNotIn(never or "\0", text)
        for part in says:
            self.assertIn(part, text)
        left = sorted(path.name for path in self.dir.iterdir() if path.name not in ("night", "home"))
        self.assertEqual([name for name in left if "confirm" in name], [], "something was half imported")

    def test_a_made_night(self):
        commits = self.made_night()
        told = self.json("confirm", "night", "--replicates", "6", "--resource", "sandbox=none", "--resource", "timeout=5m")
        self.assertEqual(told["history"]["source"], "autoresearch")
        self.assertEqual((told["history"]["entries"], told["history"]["accepted"]), (6, 3))
        self.assertEqual(told["baseline"]["id"], commits[0])
        true, lucky, broken = told["improvements"]
        self.assertEqual([one["id"] for one in told["improvements"]], commits[1:])
        self.assertEqual(true["against_baseline"]["word"], "holds")
        self.assertIsNone(true["against_before"])
        self.assertAlmostEqual(true["against_baseline"]["recorded_gain"], 0.203)
        self.assertAlmostEqual(true["against_baseline"]["gain"], 0.2, delta=0.05)
        low, high = true["against_baseline"]["interval"]
        self.assertLess(low, true["against_baseline"]["gain"])
        self.assertGreater(high, true["against_baseline"]["gain"])
        # Its code is better than the baseline's, and worse than that of the improvement before.
        self.assertEqual(lucky["against_baseline"]["word"], "holds")
        self.assertTrue(lucky["against_baseline"]["smaller_than_recorded"])
        self.assertEqual(lucky["against_before"]["word"], "no gain of that size")
        self.assertEqual(lucky["against_before"]["control"], "v1")
        for way in ("against_baseline", "against_before"):
            self.assertEqual(broken[way]["word"], "cannot be run")
            self.assertIn("v3", broken[way]["reason"])
            self.assertIsNone(broken[way]["gain"])
        self.assertEqual(told["summary"]["against_baseline"],
                         {"holds": 2, "not shown": 0, "no gain of that size": 0, "cannot be run": 1})
        self.assertEqual((told["state"], told["outcome"]), ("ended", "concluded"))

        # The records are imported, and no evidence: every run of a verdict is a run of the study.
        folder = self.dir / "night-confirm"
        kept = json.loads((folder / "confirm.json").read_text())
        self.assertEqual(len(kept["entries"]), 6)
        runs = [run for run in self.lines("runs", told["study"]) if run["evidence"]]
        self.assertTrue(all(run["factors"]["version"] in ("v0", "v1", "v2", "v3") for run in runs))
        self.assertEqual((folder / "versions/v1/train.py").read_text(), TRAIN % (0.8, ""))
        self.etude("check", folder / "study-ara", "--strict")
        self.etude("audit", folder / "study-ara")

        # The folder says the same again, and starts nothing.
        again = self.json("confirm", "night-confirm")
        self.assertEqual(again["improvements"], told["improvements"])
        self.assertEqual(len(self.json("ls")), 1)
        text = self.etude("confirm", "night-confirm").stdout
        self.assertIn("2 of 3 hold; 1 could not be run", text)
        self.assertRegex(text, rf"v1 +{commits[1]} +holds +0\.203 +0\.\d+ \[")
        self.assertIn("a confirmation already exists there", self.etude("confirm", "night", code=2).stderr)

    def test_a_confirmation_that_was_stopped_goes_on(self):
        first, second = self.commit(1.0), self.commit(0.8)
        self.table((first, 1.0, 1, "keep", "baseline"), (second, 0.8, 1, "keep", "a"))
        stopped = self.json("confirm", "night", "--replicates", "6", "--resource", "sandbox=none", "--budget", "runs=8", code=4)
        self.assertEqual((stopped["state"], stopped["outcome"]), ("paused", None))
        self.assertIsNone(stopped["improvements"][0]["against_baseline"])
        self.assertIn("has not ended", self.etude("confirm", "night-confirm", code=4).stdout)
        self.etude("resume", stopped["study"], "--budget", "runs=100")
        told = self.json("confirm", "night-confirm")
        self.assertEqual(told["improvements"][0]["against_baseline"]["word"], "holds")
        self.assertEqual(len(self.json("ls")), 1)

    def test_a_baseline_that_does_not_run(self):
        first, second = self.commit(1.0, "raise SystemExit('no data')"), self.commit(0.8, "raise SystemExit('no data')")
        self.table((first, 1.0, 1, "keep", "baseline"), (second, 0.8, 1, "keep", "a"))
        told = self.json("confirm", "night", "--replicates", "6", "--resource", "sandbox=none", code=1)
        self.assertEqual(told["outcome"], "failed")
        word = told["improvements"][0]["against_baseline"]
        self.assertEqual(word["word"], "cannot be run")
        self.assertIn("no data", word["reason"])

    def test_only_the_study_file_is_written(self):
        self.made_night()
        done = self.json("confirm", "night", "--no-run", "--against", "before", "--top", "2", "-o", "other")
        text = (self.dir / "other/study.yaml").read_text()
        self.assertIn("{levels: [v0, v1, v2], baseline: v0}", text)
        edit = r"sed -i -e 's/^\(seed\s*=\s*\)[-+.0-9][-+.0-9eE]*\s*\([#;].*\)\?$/\1{seed}/' train.py && python3 train.py"
        self.assertIn(edit.replace("\\", "\\\\"), text)  # In double quotes.
        self.assertEqual(done["study"], None)
        self.assertEqual(self.json("ls"), [])
        self.etude("plan", "other/study.yaml")
        # What it prints to go on with runs where this command would have run.
        for words in ([], ["--executor", "local"]):
            said = self.etude("confirm", "night", "--no-run", "-o", "third", *words).stdout
            self.assertTrue(said.endswith(" ".join(["\n  etude confirm", str(self.dir / "third"), *words]) + "\n"), said)
            shutil.rmtree(self.dir / "third")

    def test_bad_histories(self):
        commits = self.made_night()
        self.refused("nowhere", says=["is not there"])
        self.refused("night", "--run", "python3 train.py {sede}", says=["sede"])
        self.refused("night", "--metric", "val_bpp", says=["val_bpb"])
        self.refused("night", "--baseline", "1234567", says=["--baseline"])
        self.refused("night", "--skip", "1234567", says=["--skip"])
        self.refused("night", "--resource", "gpus", says=["--resource", "gpus=1"])

        self.table((commits[0], 1.001, 44.0, "keep", "baseline"), ("abc1234", 0.9, 44.0, "keep", "LR"),
                   (commits[1], 0.8, 44.0, "keep", "deeper"))
        self.refused("night", says=["results.tsv:3", "abc1234", "--skip abc1234"])
        told = self.json("confirm", "night", "--skip", "abc1234", "--no-run", "-o", "skipped")
        kept = json.loads((self.dir / "skipped/confirm.json").read_text())
        self.assertEqual([one["cannot"] for one in kept["improvements"]], ["left out by --skip", None])
        self.assertEqual(told["folder"], str(self.dir / "skipped"))
        shutil.rmtree(self.dir / "skipped")

        # What no commit can be called stands in no command that is printed.
        for hostile in (";rm -rf x", "--help", "$(id)", "abc", "HEAD"):
            self.table((commits[0], 1.001, 44.0, "keep", "baseline"), (hostile, 0.9, 44.0, "keep", "LR"))
            self.refused("night", says=["results.tsv:3", f"`{hostile}` is no commit id"], never="--skip")
        self.table((commits[0], 1.001, 44.0, "keep", "baseline"), (";rm -rf x", 0.9, 44.0, "discard", "LR"),
                   (commits[1], 0.8, 44.0, "keep", "deeper"))
        self.json("confirm", "night", "--no-run", "-o", "hostile")
        shutil.rmtree(self.dir / "hostile")

        self.table(("abc1234", 1.001, 44.0, "keep", "baseline"), (commits[1], 0.8, 44.0, "keep", "deeper"))
        self.refused("night", says=["baseline abc1234", "--baseline"])
        self.table((commits[0], "fast", 44.0, "keep", "baseline"))
        self.refused("night", says=["results.tsv:2", "`fast` is no number"])
        self.table((commits[0], 1.0, 44.0, "kept", "baseline"))
        self.refused("night", says=["`kept` is none of keep, discard and crash"])
        self.table((commits[0], 1.0, 44.0, "keep", "baseline"), (commits[1], 0.8, 44.0, "keep", "a"),
                   (commits[2], 0.9, 44.0, "keep", "b"))
        self.refused("night", says=["--goal minimize or --goal maximize"])
        self.table((commits[0], 1.0, 44.0, "keep", "baseline"), (commits[1], 1.1, 44.0, "discard", "a"))
        self.refused("night", "--goal", "minimize", says=["nothing to confirm"])
        self.table()
        self.refused("night", says=["it has no rows"])
        (self.night / "results.tsv").write_text("")
        self.refused("night", says=["results.tsv", "no rows"])
        (self.night / "results.tsv").write_text("commit,val_bpb,status\n")
        self.refused("night", says=["separated by tabs"])

        self.table((commits[0], 1.0, 44.0, "keep", "baseline"), (commits[1], 0.8, 44.0, "keep", "a"))
        shutil.rmtree(self.night / ".git")
        self.refused("night", says=["the code of the history is gone"])

    def test_a_tree_that_leads_out_of_its_folder(self):
        first = self.commit(1.0)
        blob, = self.git("rev-parse", "HEAD:train.py").split()
        tree = subprocess.run(["git", "-C", str(self.night), "mktree"], input=f"100644 blob {blob}\tevil.py\n", check=True,
                              capture_output=True, text=True).stdout.strip()
        hostile = subprocess.run(["git", "-C", str(self.night), "hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
                                 input=b"40000 ..\0" + bytes.fromhex(tree), check=True, capture_output=True).stdout.decode().strip()
        second = self.git("commit-tree", hostile, "-m", "an idea")
        self.table((first, 1.0, 1, "keep", "baseline"), (second[:7], 0.9, 1, "keep", "a"))
        self.refused("night", says=["leads out of its folder: ../evil.py"])
        self.assertEqual(list(self.tmp.rglob("evil.py")), [])

    def test_the_same_files_twice(self):
        first, second = self.commit(1.0), self.commit(0.9)
        third = self.commit(0.9)
        self.table((first, 1.0, 1, "keep", "baseline"), (second, 0.9, 1, "keep", "a"), (third, 0.8, 1, "keep", "the same"))
        self.json("confirm", "night", "--no-run")
        kept = json.loads((self.dir / "night-confirm/confirm.json").read_text())
        self.assertEqual(kept["improvements"][1]["cannot"], f"its files are those of v1 ({second})")


if __name__ == "__main__":
    unittest.main()
