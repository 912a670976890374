"""What agents said leaves as trajectories and as a record of a benchmark, and what was found as a program of LARA."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.request
import zipfile

import lara
from harness import NOISY_JOB, PATIENCE, EtudeTest
from thinking_test_case import FAST, KEY, ThinkingTest

TESTS = pathlib.Path(__file__).resolve().parents[2]
PEERS = TESTS / "peers"
PYTHON = PEERS / "venv/bin/python"
HARBOR = next(PEERS.glob("venv/lib/python3*/site-packages/harbor"), None)

DRAWN = """
etude: 1
title: "Arms: \\"quoted\\""
question: Which is cheaper?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast, same], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Fast costs "less".,
     test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
  - {id: H2, statement: Fast costs more., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: greater}}
design: {replicates: {min: 14, max: 14}}
resources: {timeout: 10m, sandbox: none}
seeds: drawn
"""

# One study for all tests.
maker = ThinkingTest("run_thinking")


def setUpModule():
    maker.setUp()
    maker.configure(maker.server().url)
    maker.events_of_run, maker.made = maker.run_thinking()


def tearDownModule():
    maker.tearDown()
    maker.doCleanups()


class Transcripts(EtudeTest):
    def export(self, to, name, *args, ara=None, code=0, env=None):
        ara = ara or maker.made["artifact"]
        done = maker.etude("--config", maker.config, "export", ara, "--to", to, "-o", self.tmp / name, *args, code=code,
                           env=env or maker.env)
        return done.stderr if code else self.tmp / name

    def events(self, kind):
        return [e["payload"] for e in maker.events_of_run if e["type"] == kind]

    def conversation(self, *args, code=0):
        done = maker.etude("--config", maker.config, "conversation", maker.made["id"], *args, code=code, env=maker.env)
        return done.stderr if code else done.stdout

    def test_a_conversation_is_shown_with_calls_answers_and_what_it_cost(self):
        listed = json.loads(self.conversation("--json"))
        self.assertEqual(sum(one["tokens"] for one in listed), maker.made["ledger"]["tokens"]["spent"])
        table = self.conversation().splitlines()
        self.assertEqual([row.split()[0] for row in table], ["line", *(one["line"] for one in listed)])
        for one in listed:
            whole = json.loads(self.conversation(one["line"], "--json"))
            steps, text = whole["steps"], self.conversation(one["line"], "--all")
            self.assertEqual(len(steps), one["steps"])
            self.assertEqual(sum(s.get("tokens", 0) for s in steps), one["tokens"])
            flat = " ".join(text.split())
            for step in steps:
                self.assertIn(" ".join(step["text"].split()), flat)
                for call in step.get("calls", []):
                    self.assertIn(f"  → {call['tool']} ", text)
            answered = sum(call["answer"] is not None for s in steps for call in s.get("calls", []))
            self.assertEqual(len(re.findall(r"(?m)^  [←✗] ", text)), answered)
            self.assertNotIn(KEY, text)
            short = self.conversation(one["line"])
            self.assertLess(len(short), len(text))
            self.assertRegex(short, r"(?m)^ +… \d+ more lines?: --all$")
        self.assertIn("has none of this name", self.conversation("nobody-9", code=2))

    def test_the_api_gives_the_same_conversations_from_any_step_on(self):
        command = maker.command("--config", maker.config, "serve", "--port", "0", "--json")
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=maker.env) as server:
            self.addCleanup(server.kill)
            address = json.loads(server.stdout.readline())["address"]
            bearer = {"Authorization": "Bearer " + (maker.home / "token").read_text().strip()}

            def get(path):
                request = urllib.request.Request(f"{address}/api/v1/studies/{maker.made['id']}/conversations{path}", headers=bearer)
                with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                    return json.loads(answer.read())

            listed = get("")["items"]
            self.assertEqual(listed, json.loads(self.conversation("--json")))
            whole = get("/hypothesis-1")
            self.assertEqual(whole.pop("from"), 0)
            self.assertEqual(whole, json.loads(self.conversation("hypothesis-1", "--json")))
            self.assertEqual(whole["ending"], "I proposed that the fast arm is cheaper.")
            self.assertTrue(any(call["refused"] for step in whole["steps"] for call in step.get("calls", [])))
            self.assertEqual(get("/hypothesis-1?from=3")["steps"], whole["steps"][3:])
            self.assertNotIn(KEY, json.dumps(whole))
            server.terminate()

    def test_each_conversation_is_one_trajectory_with_what_it_cost(self):
        out = self.export("atif", "atif")
        made = {path.stem: json.loads(path.read_text()) for path in out.iterdir()}
        self.assertEqual(sorted(made), sorted(e["line"] for e in self.events("LineOpened")))
        steps = [step for one in made.values() for step in one["steps"]]
        of = lambda key: sum(one["final_metrics"][key] for one in made.values())
        self.assertAlmostEqual(of("total_cost_usd"), maker.made["ledger"]["usd"]["spent"])
        self.assertEqual(of("total_prompt_tokens") + of("total_completion_tokens"), maker.made["ledger"]["tokens"]["spent"])
        self.assertEqual(sum(step["source"] == "agent" for step in steps), len(self.events("ModelAnswered")))
        calls = [call for step in steps for call in step.get("tool_calls", [])]
        self.assertEqual(sorted(c["function_name"] for c in calls),
                         sorted(e["answer"]["tool"] for e in self.events("ToolReturned")))
        for step in steps:
            if "tool_calls" in step:
                self.assertEqual([c["tool_call_id"] for c in step["tool_calls"]],
                                 [r["source_call_id"] for r in step["observation"]["results"]])
        refused = [r for s in steps for r in s.get("observation", {}).get("results", []) if "extra" in r]
        self.assertEqual(len(refused), 2)
        self.assertIn(FAST, [c["arguments"] for c in calls])
        one = made["hypothesis-1"]
        self.assertEqual([s["source"] for s in one["steps"][:3]], ["system", "user", "agent"])
        self.assertEqual([s["timestamp"] for s in one["steps"]], sorted(s["timestamp"] for s in one["steps"]))
        self.assertEqual((one["agent"]["model_name"], one["extra"]["event_log_head"]), ("mock-1", maker.made["head"]))
        self.assertEqual(one["extra"]["ending"], "I proposed that the fast arm is cheaper.")

    def test_the_published_validator_accepts_every_trajectory(self):
        if not HARBOR:
            self.skipTest("no Harbor in tests/peers/venv")
        out = self.export("atif", "atif")
        check = "import sys; from harbor.utils.trajectory_validator import TrajectoryValidator as V\n" \
                "for f in sys.argv[1:]:\n v = V()\n print(v.validate(f), v.errors)"
        done = subprocess.run([PYTHON, "-c", check, *sorted(out.iterdir())], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "True []\n" * 5, done.stderr)
        broken = json.loads((out / "writeup-1.json").read_text())
        broken["steps"][2]["observation"]["results"][0]["source_call_id"] = "another"
        (out / "writeup-1.json").write_text(json.dumps(broken))
        done = subprocess.run([PYTHON, "-c", check, out / "writeup-1.json"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertIn("not found in step", done.stdout, "the validator notices an answer to no call")

    def test_a_record_of_every_step_for_the_benchmark(self):
        unit = self.export("oeb", "oeb")
        self.assertEqual(sorted(p.name for p in unit.iterdir()),
                         ["record.jsonl", "record_manifest.json", "usage.json", "world.json"])
        steps = [json.loads(line) for line in (unit / "record.jsonl").read_text().splitlines()]
        world, usage, manifest = (json.loads((unit / f"{n}.json").read_text()) for n in ("world", "usage", "record_manifest"))
        self.assertEqual([s["gid"] for s in steps], list(range(len(steps))))
        for step in steps:
            self.assertIn((step["scope"], step["tool_kind"]), {
                ("env", "shell"), ("workspace", "read"), ("workspace", "edit"), ("workspace", "delegate"),
                ("workspace", "bookkeeping"), ("workspace", "message"), ("submission", "message")})
            self.assertTrue(all(isinstance(step[key], str) for key in ("action", "reasoning", "obs")), step)
        self.assertEqual([s["scope"] for s in steps].count("submission"), 1)
        self.assertEqual(steps[-1]["reasoning"], "Written.")
        tools = [s for s in steps if s["action"].startswith("$ ") and s["actor"].startswith("worker:")]
        self.assertEqual(len(tools), len(self.events("ToolReturned")))
        # What the registered runs showed came between the hypotheses and the interpretation.
        shown = [i for i, s in enumerate(steps) if s["scope"] == "env"]
        self.assertEqual(len(shown), 1)
        self.assertEqual(steps[shown[0]]["action"], "$ python3 -S job.py {arm} {seed}")
        self.assertEqual(json.loads(steps[shown[0]]["obs"])["results"][0]["verdict"], "supported")
        actors = [s["actor"] for s in steps[:-1]]
        self.assertTrue(actors.index("worker:hypothesis-1") < shown[0] < actors.index("worker:analysis-1"))
        self.assertEqual({s["patches"][0]["path"] for s in steps if "patches" in s}, {"report.md"})
        self.assertEqual((world["feedback_polarity"], world["authored_channel"]["kind"]), ("lower_better", "patches+shell_redirect"))
        self.assertIn("you propose the hypotheses", world["contract"]["text"])
        self.assertIn("Which arm is the cheapest?", manifest["task_prompt"])
        self.assertEqual({str(s["api_turn"]) for s in steps if "api_turn" in s}, set(usage["turns"]))
        self.assertEqual(sum(t["in"] + t["cached"] + t["out"] for t in usage["turns"].values()),
                         maker.made["ledger"]["tokens"]["spent"])

    def test_keys_that_became_known_later_do_not_leave(self):
        words = "I proposed that the fast arm is cheaper."
        for to in ("atif", "oeb"):
            plain, clean = self.export(to, f"{to}-plain"), self.export(to, f"{to}-clean", env={**maker.env, "MOCK_KEY": words})
            text = lambda folder: "".join(p.read_text() for p in folder.iterdir())
            self.assertIn(words, text(plain))
            self.assertNotIn(words, text(clean))
            self.assertIn("[redacted: mock key]", text(clean))
            self.assertNotIn(KEY, text(plain))

    def test_what_an_artifact_lacks_is_said_and_leaves_nothing(self):
        others = TESTS / "artifacts/corpus/andes"
        for to in ("atif", "oeb"):
            elsewhere = self.etude("export", maker.made["artifact"], "--to", to, "-o", self.tmp / "x", code=2)
            self.assertIn("name the home in which the study ran with --home", elsewhere.stderr)
            self.assertIn("it has no event log", self.export(to, "x", ara=others, code=2))
            self.assertIn("no agent of its study talked to a model", self.export(to, "x", ara=self.fixture("methods"), code=2))
        self.assertIn("it has no event log", self.export("lara", "x", ara=others, code=2))
        self.assertIn("no claim of it rests on a registered experiment", self.export("lara", "x", ara=self.fixture("captured"), code=2))
        self.assertFalse((self.tmp / "x").exists())
        self.assertEqual([p.name for p in self.tmp.iterdir() if ".etude-" in p.name], [])
        first = self.export("lara", "lara")
        self.assertIn("holds something else", self.export("lara", "lara", "--force", code=2))
        self.assertEqual(sorted(p.name for p in first.iterdir()), ["etude-v1.policy.lara", "program.lara"])

    def fixture(self, name):
        place = self.tmp / name
        if not place.exists():
            with zipfile.ZipFile(TESTS / f"artifacts/fixtures/{name}.zip") as archive:
                archive.extractall(place)
        return place

    def checked(self, folder):
        if shutil.which("lara"):
            done = subprocess.run(["lara", "check", folder / "program.lara"], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return lara.check((folder / "program.lara").read_text(), (folder / "etude-v1.policy.lara").read_text())

    def test_a_claim_is_justified_where_randomisation_and_power_are_shown(self):
        self.study(DRAWN, NOISY_JOB)
        made = self.run_study()
        ara = pathlib.Path(made["artifact"])
        statuses, arguments, claims = self.checked(self.export("lara", "lara", ara=ara))
        self.assertEqual(statuses, {"C01": "justified", "C02": "justified"})
        self.assertEqual([c["formal"] for c in claims.values()],
                         [("holds", [("H1", [])]), ("fails", [("H2", [])])])
        self.assertEqual(arguments["C02-argument"]["discharged"],
                         {"randomization": "E01-randomized", "adequate_power": "H2-powered"})
        text = (self.tmp / "lara/program.lara").read_text()
        self.assertIn("sha256:" + made["head"], text)
        # The leaf names the line of the log that shows it.
        log = (ara / "trace/events.jsonl").read_text().splitlines()
        line = int(text.split("trace/events.jsonl#L")[1].split("]")[0])
        registered = json.loads(log[line - 1])
        self.assertEqual(registered["type"], "ExperimentRegistered")
        self.assertIn(registered["payload"]["registration"]["draw"], text)

    def test_an_obligation_that_nothing_shows_stays_open(self):
        # The author fixed the seeds of one study; the other one is older than seeds that are drawn, and too small.
        statuses, arguments, _ = self.checked(self.export("lara", "fixed"))
        self.assertEqual((statuses, arguments["C01-argument"]["discharged"]), ({"C01": "gap"}, {"adequate_power": "H1-powered"}))
        statuses, arguments, claims = self.checked(self.export("lara", "lara", ara=self.fixture("methods")))
        self.assertEqual(set(statuses.values()), {"gap"})
        self.assertEqual({made["terms"][0][0]: made["rule"] for made in arguments.values() if made["claim"] in ("C02", "C04")},
                         {"H2": "registered_refutation", "H4": "registered_test"})
        power = {made["terms"][0][0]: "adequate_power" in made["discharged"] for made in arguments.values()}
        self.assertEqual((power["H1"], power["H9"]), (False, True))
        # An inconclusive verdict supports nothing.
        inconclusive = {"C03", "C06", "C10"}
        self.assertEqual(set(claims) - {made["claim"] for made in arguments.values()}, inconclusive)


if __name__ == "__main__":
    unittest.main(verbosity=2)
