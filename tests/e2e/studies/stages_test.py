"""Runs in several steps: trained once per cell and seed, evaluated many times."""
import json
import os
import unittest

from harness import EtudeTest, verdicts

TRAIN = '''
import json, os, sys, time
opt, seed = sys.argv[1], int(sys.argv[2])
params = json.load(open(os.environ["ETUDE_PARAMS"]))
assert set(params) == {"opt"}, params
if os.environ.get("FAIL_OPT") == opt: sys.exit("diverged")
os.makedirs("ckpt")
open("ckpt/best.pt", "w").write(json.dumps({"opt": opt, "seed": seed, "skill": {"sgd": 5.0 + seed % 97 / 100, "adam": 9.0 + seed % 89 / 100}[opt]}))
os.makedirs(os.environ["ETUDE_OUTPUT"] + "/vocab")
open(os.environ["ETUDE_OUTPUT"] + "/vocab/words.txt", "w").write("a b c")
open(os.environ["ETUDE_METRICS"], "a").write('{"name": "loss", "value": 0.5}\\n')
'''
EVAL = '''
import json, os, sys
model, vocab, shots, seed = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
assert model["seed"] == seed and open(vocab + "/words.txt").read() == "a b c"
for path in (sys.argv[1], vocab + "/words.txt"):
    try:
        open(path, "w")
        sys.exit("what a stage left can be changed by another run")
    except OSError:
        pass
open(os.environ["ETUDE_METRICS"], "a").write(json.dumps({"name": "acc", "value": model["skill"] + shots * (1 + seed % 7 / 1000)}) + "\\n")
'''
# As torch's launcher does: a process per device, which meet at a port.
LAUNCH = '''
import os, socket, subprocess, sys
world, port, rest, rank = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:5], os.environ.get("RANK")
if rank is None:
    workers = [subprocess.Popen([sys.executable] + sys.argv, env={**os.environ, "RANK": str(r)}) for r in range(world)]
    sys.exit(max(w.wait() for w in workers))
print("rank", rank, "of", world, "sees", os.environ["CUDA_VISIBLE_DEVICES"], flush=True)
if rank == "0":
    with socket.create_server(("127.0.0.1", port)) as server:
        for _ in range(world - 1):
            server.accept()[0].sendall(b"go")
    sys.argv = ["train.py"] + rest
    exec(open("train.py").read())
else:
    import time
    for _ in range(2000):
        try:
            assert socket.create_connection(("127.0.0.1", port), 100).recv(2) == b"go"
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
'''
STUDY = '''
etude: 1
title: Optimisers and shots
question: Does the optimiser matter?
stages:
  eval:
    needs: train
    run: python3 eval.py {train.ckpt} {train.vocab} {shots} {seed}
    factors: [shots]
  train:
    run: python3 train.py {opt} {seed}
    factors: [opt]
    outputs: {ckpt: ckpt/best.pt, vocab: vocab}
    resources: {timeout: 20m}
factors:
  opt: {levels: [sgd, adam], baseline: sgd}
  shots: {levels: [0, 1, 2], type: int}
metrics:
  acc: {goal: maximize, primary: true}
hypotheses:
  - {id: H1, statement: Adam is better., test: {metric: acc, treatment: {opt: adam}, control: {opt: sgd}, direction: greater}}
  - {id: H2, statement: Shots add one each., test: {kind: slope, metric: acc, along: shots, where: {opt: sgd}, direction: equal, value: 1, margin: {absolute: 0.1}}}
design: {replicates: {min: 4, max: 4}}
resources: {timeout: 10m}
'''


class Stages(EtudeTest):
    def staged(self, study=STUDY, train=TRAIN, **kw):
        self.write("train.py", train)
        self.write("eval.py", EVAL)
        self.write("study.yaml", study)

    def test_one_training_serves_all_evaluations_of_its_cell_and_seed(self):
        self.staged()
        plan = self.json("plan", "study.yaml")
        self.assertEqual(sorted({c["stage"] or "" for c in plan["cells"]}), ["", "train"])
        study = self.run_study("-j", "2")
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "supported"})
        runs = self.lines("runs", study["id"])
        registered = [r for r in runs if r["purpose"] == "registered"]
        trained = [r for r in registered if r["stage"] == "train"]
        evaluated = [r for r in registered if r["stage"] is None]
        self.assertEqual((len(trained), len(evaluated)), (2 * 4, 2 * 3 * 4))
        self.assertEqual({tuple(r["factors"]) for r in trained}, {("opt",)})
        self.assertFalse(any(r["evidence"] or r["experiment"] for r in trained))
        self.assertTrue(all(r["evidence"] for r in evaluated))
        by_id = {r["id"]: r for r in runs}
        for run in evaluated:
            need = by_id[run["needs"][0]]
            self.assertEqual((need["factors"]["opt"], need["seed"]), (run["factors"]["opt"], run["seed"]))
            self.assertLessEqual(need["ended"], run["started"])
        # The manipulation check shares trainings, too: reference, opt, seed.
        self.assertEqual(len([r for r in runs if r["purpose"] == "smoke" and r["stage"]]), 3)
        h1 = study["hypotheses"][0]
        self.assertEqual((h1["n"], h1["reading"]["runs"]), ([4, 4], [12, 12]))
        kept = trained[0]["kept"]
        self.assertEqual([k["name"] for k in kept], ["ckpt", "vocab"])
        self.assertTrue((self.home / "kept" / kept[0]["sha256"] / "best.pt").exists())
        self.assertTrue(self.json("verify")["ok"])
        checked = self.json("check", self.dir / "study-ara", "--strict")
        self.assertTrue(checked["ok"], checked)
        self.assertIn("Command of the stage train", (self.dir / "study-ara/report.md").read_text())

        found = self.json("gc")
        self.assertIn("kept", {item["kind"] for item in found["items"]})
        self.etude("gc", "--delete")
        self.assertFalse((self.home / "kept" / kept[0]["sha256"]).exists())
        self.assertTrue(self.json("verify")["ok"])
        again = self.json("reproduce", self.dir / "study-ara", "-j", "2")
        self.assertEqual(again["outcome"], "reproduced", again)

    def test_whoever_needs_a_training_that_failed_failed_with_it(self):
        self.staged(STUDY.replace("python3 train.py", "FAIL_OPT=adam python3 train.py").replace("min: 4, max: 4", "min: 6, max: 6"), TRAIN)
        study = self.run_study("-j", "2", code=None)
        self.assertEqual(verdicts(study)["H1"], "inconclusive")
        runs = self.lines("runs", study["id"])
        smoke = next(r for r in runs if r["purpose"] == "smoke" and r["label"] == "opt")
        self.assertEqual(smoke["state"], "failed")
        self.assertIn("its stage train (" + smoke["needs"][0] + ") failed: exit status 1", smoke["reason"])
        self.assertIsNone(smoke["started"])
        # Three trainings in a row stop the arm; what their runs would have been failed, the rest never starts.
        adam = [r for r in runs if r["purpose"] == "registered" and r["factors"]["opt"] == "adam"]
        # (Of two at a time, a fourth may have been on its way.)
        self.assertIn(len([r for r in adam if r["stage"] and r["state"] == "failed"]), (3, 4))
        self.assertIn("cancelled", {r["state"] for r in adam if r["stage"]})
        self.assertEqual({r["state"] for r in adam if not r["stage"]}, {"failed", "cancelled"})
        self.assertTrue(all(r["state"] == "succeeded" for r in runs if r["factors"]["opt"] == "sgd"))

    def test_an_output_that_is_not_there_fails_the_stage(self):
        self.staged(STUDY, TRAIN.replace("ckpt/best.pt", "ckpt/other.pt"))
        study = self.run_study("-j", "2", code=None)
        first = self.lines("runs", study["id"])[0]
        self.assertEqual((first["stage"], first["state"]), ("train", "failed"))
        self.assertEqual(first["reason"], "its output ckpt (ckpt/best.pt): there is no such file")
        self.assertEqual(study["outcome"], "failed")

    def test_an_output_that_is_a_link_out_of_the_run_is_refused(self):
        self.staged(STUDY, TRAIN.replace('open("ckpt/best.pt", "w")', 'os.symlink("/etc/passwd", "ckpt/best.pt"); open("x", "w")'))
        study = self.run_study("-j", "2", code=None)
        first = self.lines("runs", study["id"])[0]
        self.assertEqual(first["reason"], "its output ckpt (ckpt/best.pt): a symbolic link")

    def test_large_outputs_are_kept_by_reference_and_the_best_is_retained(self):
        text = STUDY.replace("outputs: {ckpt: ckpt/best.pt, vocab: vocab}", "outputs: {ckpt: ckpt/best.pt, vocab: vocab}")
        self.staged(text + 'outputs: {large: {"*.bin": {store: reference, retain: best}}}\n')
        evaluate = EVAL + 'open(os.environ["ETUDE_OUTPUT"] + "/model.bin", "w").write(str(model["skill"] + shots) + "x" * 100000)\n'
        self.write("eval.py", evaluate)
        study = self.run_study("-j", "2")
        runs = [r for r in self.lines("runs", study["id"]) if r["stage"] is None]
        self.assertTrue(all([k["path"] for k in r["kept"]] == ["model.bin"] for r in runs))
        best = max((r for r in runs), key=lambda r: r["metrics"]["acc"])
        self.etude("gc", "--delete")
        left = sorted(p.name for p in (self.home / "kept").iterdir() if len(p.name) == 64)
        self.assertEqual(left, [best["kept"][0]["sha256"]])
        sealed = json.loads((self.dir / "study-ara/etude.json").read_text())
        entry = next(r for r in sealed["runs"] if r["id"] == best["id"])
        self.assertEqual(entry["outputs"], [])

    def test_processes_of_one_training_meet_at_its_port_on_devices_that_nobody_shares(self):
        self.staged(STUDY.replace("python3 train.py {opt} {seed}", "python3 launch.py {gpus} {port} {opt} {seed}")
                    .replace("resources: {timeout: 20m}", "resources: {timeout: 20m, gpus: 2}"))
        self.write("launch.py", LAUNCH)
        os.environ["ETUDE_GPUS"] = "2"
        self.addCleanup(os.environ.pop, "ETUDE_GPUS")
        study = self.run_study("-j", "2")
        self.assertEqual(verdicts(study)["H1"], "supported")
        runs = self.lines("runs", study["id"])
        trained = sorted((r for r in runs if r["stage"]), key=lambda r: r["started"])
        self.assertTrue(all(r["lease"]["gpus"] == ["0", "1"] for r in trained), trained)
        self.assertFalse(any(r["lease"]["gpus"] for r in runs if not r["stage"]))
        for earlier, later in zip(trained, trained[1:]):
            self.assertLessEqual(earlier["ended"], later["started"])
        self.assertIn("rank 1 of 2 sees 0,1", self.etude("run-log", trained[0]["id"]).stdout)


if __name__ == "__main__":
    unittest.main()
