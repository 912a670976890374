"""How long and how much: what `plan`, `simulate`, `show` and `ls` predict from earlier runs, and what then happened."""
import datetime
import unittest

from harness import EtudeTest

# One arm takes much longer than the other; the time of a run is nearly all sleep.
JOB = '''
import os, random, sys, time
arm, seed = sys.argv[1], int(sys.argv[2])
time.sleep({"slow": 0.4, "fast": 0.1}[arm])
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write('{"name": "cost", "value": %r}\\n' % ({"slow": 50, "fast": 40}[arm] + random.Random(seed).gauss(0, 1)))
'''
STUDY = '''
etude: 1
title: Slow and fast
question: Which is cheaper?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m, sandbox: none}
'''


def seconds(time):
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


class Prediction(EtudeTest):
    def cost(self, *args):
        return self.json("plan", "study.yaml", *args)["cost"]

    def test_plan_knows_nothing_then_a_try_then_a_study(self):
        self.study(STUDY, JOB)
        self.assertIsNone(self.cost()["wall_s"])
        self.assertIn("`etude try` measures one", self.cost()["basis"])
        self.assertIn("time: not known", self.etude("plan", "study.yaml").stdout)
        self.etude("try", "study.yaml")
        tried = self.cost("-j", "2")
        self.assertEqual(tried["basis"], "from 1 run of `etude try`, all on this code; 1 of 2 cells never ran, and their "
                                         "times are guessed from the others")
        self.assertLess(tried["wall_s"]["low"], tried["wall_s"]["expected"])
        self.assertLess(tried["wall_s"]["expected"], tried["wall_s"]["high"])

        self.run_study("-j", "2")
        runs = self.lines("runs", "s1")
        took = max(seconds(run["ended"]) for run in runs) - min(seconds(run["started"]) for run in runs)
        known = self.cost("-j", "2")
        self.assertEqual(known["basis"], f"from {len(runs)} runs of studies (s1), all on this code")
        # The same runs again, on places of the same number; pauses between parts are not in it. The bounds are wide, since
        # other tests run beside.
        self.assertLess(0.4 * took, known["wall_s"]["expected"], took)
        self.assertLess(known["wall_s"]["expected"], 1.5 * took)
        self.assertLess(known["wall_s"]["low"], known["wall_s"]["expected"])
        self.assertLess(known["wall_s"]["expected"], known["wall_s"]["high"])
        alone = self.cost("-j", "1")["wall_s"]["expected"]
        self.assertLess(1.5 * known["wall_s"]["expected"], alone)
        self.assertLess(alone, 2.5 * known["wall_s"]["expected"])
        self.assertIn("time of the runs with -j 2: ", self.etude("plan", "study.yaml", "-j", "2").stdout)

        shown = self.json("show", "s1")
        self.assertNotIn("left", shown)
        (prediction,) = shown["predictions"]
        registered = [run for run in runs if run["experiment"] == "E01"]
        self.assertEqual((prediction["experiment"], prediction["runs"]), ("E01", len(registered)))
        self.assertIn(f"from {len(runs) - len(registered)} runs of studies (s1), all on this code", prediction["basis"])
        self.assertAlmostEqual(prediction["took_s"], max(seconds(run["ended"]) for run in registered)
                               - min(seconds(run["started"]) for run in registered), places=2)
        self.assertIn("predicted E01: ", self.etude("show", "s1", "--all").stdout)
        self.assertIn("; they took ", self.etude("show", "s1", "--all").stdout)

        self.run_study("-j", "2")
        (again,) = self.json("show", "s2")["predictions"]
        self.assertIn("of studies (s1, s2), all on this code", again["basis"])
        self.assertNotIn("never ran", again["basis"])
        self.assertLess(0.3 * again["took_s"], again["wall_s"]["expected"])
        self.assertLess(again["wall_s"]["expected"], 3 * again["took_s"])

        self.write("job.py", JOB + "# changed\n")
        self.assertIn("all of these commands on other code", self.cost()["basis"])

    def test_simulate_shows_pools_of_several_sizes(self):
        self.study(STUDY, JOB)
        none = self.etude("simulate", "study.yaml", "-j", "4", code=2).stderr
        self.assertIn("no run of these commands has ended in this home: measure one: etude try study.yaml", none)
        self.write("gpus.yaml", STUDY.replace("timeout: 10m", "timeout: 10m, gpus: 2"))
        self.etude("try", "study.yaml")
        told = self.json("simulate", "study.yaml", "-j", "4")
        self.assertEqual([pool["jobs"] for pool in told["pools"]], [1, 2, 4])
        wall = [pool["wall_s"]["expected"] for pool in told["pools"]]
        self.assertLess(1.8 * wall[1], wall[0])
        self.assertLess(wall[2], wall[1])
        self.assertEqual(len(told["timeline"]), told["runs"]["max"])
        self.assertEqual({place for run in told["timeline"] for place in run["places"]}, {0, 1, 2, 3})
        text = self.etude("simulate", "study.yaml", "-j", "4").stdout
        for line in ("job 0   |1", "1 manipulation check, 2 registered", "all runs take"):
            self.assertIn(line, text)

        self.write("config.yaml", "gpu_prices: {h100: 2}\n")
        told = self.json("--config", "config.yaml", "simulate", "gpus.yaml", "--gpus", "8", "--type", "h100")
        self.assertEqual([pool["gpus"] for pool in told["pools"]], [1, 2, 4, 8])
        one, two, _, eight = told["pools"]
        self.assertIsNone(one["wall_s"])  # a run needs two
        self.assertEqual(told["usd_per_gpu_hour"], 2)
        self.assertAlmostEqual(two["usd"], 2 * two["gpu_hours"]["expected"])
        self.assertAlmostEqual(eight["usd"], two["usd"], delta=0.2 * two["usd"])
        self.assertAlmostEqual(eight["held_usd"], 2 * 8 * eight["wall_s"]["expected"] / 3600)
        self.assertTrue(all(len(run["places"]) == 2 for run in told["timeline"]))
        dear = self.json("simulate", "gpus.yaml", "--gpus", "2", "--usd-per-gpu-hour", "4")["pools"][1]
        self.assertAlmostEqual(dear["usd"], 2 * two["usd"])

    def test_what_simulate_refuses(self):
        self.study(STUDY, JOB)
        self.write("gpus.yaml", STUDY.replace("timeout: 10m", "timeout: 10m, gpus: 2"))
        for args, why in ((("study.yaml", "--gpus", "8"), "the runs of this study ask for none"),
                          (("gpus.yaml", "--gpus", "1"), "a run of this study needs 2"),
                          (("study.yaml", "--type", "h100"), "the runs of this study use no GPU"),
                          (("study.yaml", "--policy", "fgd"), "cannot be simulated together"),
                          (("--gpus", "8"), "give STUDY"), ((), "nothing to simulate"), (("none.yaml",), "none.yaml")):
            self.assertIn(why, self.etude("simulate", *args, code=2).stderr)

    def test_what_is_left_is_shown_while_runs_wait(self):
        self.study(STUDY.rstrip() + "\nbudget: {runs: 7}\n", JOB)
        self.run_study("-j", "1", code=4)
        study = self.json("show", "s1")
        waiting = study["runs"]["queued"]
        self.assertGreater(waiting, 0)
        left = study["left"]
        self.assertEqual(left["runs"], [waiting, waiting])
        self.assertEqual((left["open"], left["usd"], left["gpu_hours"], left["from"]), (False, 0, 0, 7))
        # Half of the waiting runs sleep 0.4 s, half 0.1 s.
        self.assertLess(0.2 * waiting, left["wall_s"]["high"])
        self.assertLess(left["wall_s"]["low"], left["wall_s"]["expected"])
        self.assertRegex(self.etude("show", "s1").stdout, rf"left +about .* \(.* to .*\), {waiting} runs\n")
        self.assertIn("left", self.etude("ls").stdout.splitlines()[0])
        self.assertEqual(self.json("ls")[0]["left"], left)
        self.assertTrue(self.json("verify")["ok"])
        self.etude("resume", "s1", "--budget", "runs=100")
        self.assertNotIn("left", self.json("show", "s1"))
        self.assertNotIn("left", self.etude("ls").stdout)


if __name__ == "__main__":
    unittest.main()
