"""Configured models over HTTP, against a server that we did not write: both protocols, tool calls, and what goes wrong."""
import json
import os
import pathlib
import unittest

from harness import EtudeTest
from model_server import ModelServer

USAGE = {"prompt_tokens": 9000, "completion_tokens": 400}  # In Anthropic's protocol aimock reports none of its own.
CALLS = {"match": {"toolName": "report"},
         "response": {"toolCalls": [{"name": "report", "arguments": {"word": "ready"}}], "usage": USAGE}}
TALKS = {"match": {"userMessage": "Are you ready?"}, "response": {"content": "Yes, of course I am ready."}}
DIMENSIONS = ["evidence_relevance", "falsifiability", "scope", "coherence", "exploration_integrity", "methodological_rigor"]
KEY = "sk-never-to-be-shown-1234567890"


class Models(EtudeTest):
    def server(self, fixtures, *options):
        server = ModelServer(self.tmp, fixtures, *options)
        self.addCleanup(server.close)
        return server

    def configure(self, url, api="openai", price=", prices: {input: 3, output: 15}", patience="4m"):
        base = url + ("/v1" if api == "openai" else "")
        return str(self.write("config.yaml", f"""
providers:
  mock: {{api: {api}, base_url: "{base}", key_env: MOCK_KEY, timeouts: {{first_byte: {patience}, total: 10m}}}}
models:
  small: {{provider: mock, model: mock-1{price}}}
"""))

    def doctor(self, config, *options):
        env = {**os.environ, "MOCK_KEY": KEY}
        run = self.etude("--config", config, "doctor", "--json", *options, code=None, env=env)
        self.assertNotIn(KEY, run.stdout + run.stderr)
        checks = json.loads(run.stdout)["checks"]
        return run.returncode, [c for c in checks if c["name"] == "model"]

    def test_a_model_is_asked_once_in_either_protocol(self):
        server = self.server([CALLS])
        for api in ("openai", "anthropic"):
            code, checks = self.doctor(self.configure(server.url, api), "--model", "small")
            self.assertEqual(code, 0, checks)
            self.assertRegex(checks[0]["detail"], r"^small: answered in \d\.\d\d s, calls tools, 9000 \+ 400 tokens for \$")
            self.assertEqual(checks[0]["status"], "ok")

    def test_a_model_that_embeds_is_given_a_word(self):
        server = self.server([{"match": {"inputText": "ready"}, "response": {"embedding": [0.25, 0.5, 0.75]}}])
        config = self.configure(server.url, price=", kind: embeddings, prices: {input: 3, output: 0}")
        code, checks = self.doctor(config, "--model", "small")
        self.assertEqual(code, 0, checks)
        self.assertRegex(checks[0]["detail"], r"^small: embedded in \d\.\d\d s, 3 numbers, ")
        code, checks = self.doctor(self.configure("http://127.0.0.1:9", price=", kind: embeddings"), "--model", "small")
        self.assertEqual(checks[0]["status"], "missing", checks)

    def test_without_being_told_doctor_asks_nobody(self):
        code, checks = self.doctor(self.configure("http://127.0.0.1:9"))
        self.assertEqual(checks[0]["detail"], "small: mock-1 at http://127.0.0.1:9/v1; `--model small` asks it")
        self.assertEqual(code, 0)
        code, checks = self.doctor(self.configure("http://127.0.0.1:9", price=""))
        self.assertIn("/v1, its prices are not stated; `--model small` asks it", checks[0]["detail"])
        self.assertEqual(code, 0)

    def test_a_model_that_only_talks_and_one_without_price_are_said_to_be_so(self):
        server = self.server([TALKS])
        _, checks = self.doctor(self.configure(server.url), "--model", "small")
        self.assertIn("calls no tools", checks[0]["detail"])
        self.assertEqual(checks[0]["status"], "warn")
        server = self.server([CALLS])
        _, checks = self.doctor(self.configure(server.url, price=""), "--model", "small")
        self.assertIn("state its `prices`", checks[0]["remedy"])

    def test_what_a_server_does_wrong_is_named(self):
        for option, said in (("--chaos-drop", "server error: HTTP 500"), ("--chaos-malformed", "garbled"),
                             ("--chaos-disconnect", "cut off"), ("--chaos-ratelimit", "busy: HTTP 429")):
            server = self.server([CALLS], option, "1")
            for api in ("openai", "anthropic"):
                code, checks = self.doctor(self.configure(server.url, api), "--model", "small")
                self.assertEqual((code, checks[0]["status"]), (3, "missing"), checks)
                self.assertIn(said, checks[0]["detail"], option)

    def test_no_server_no_key_no_model_no_file(self):
        code, checks = self.doctor(self.configure("http://127.0.0.1:9"), "--model", "small")
        self.assertEqual(code, 3)
        self.assertIn("unreachable", checks[0]["detail"])
        self.assertEqual(checks[0]["remedy"], "start the server, or correct `base_url`")
        run = self.etude("--config", self.configure("http://127.0.0.1:9"), "doctor", code=None)
        self.assertIn("its key is in $MOCK_KEY, which is not set", run.stdout)
        run = self.etude("--config", self.configure("http://127.0.0.1:9"), "doctor", "--model", "smal", code=2)
        self.assertIn("did you mean `small`?", run.stderr)
        self.assertIn("there is no such file", self.etude("--config", "none.yaml", "doctor", code=2).stderr)

    def test_a_slow_server_is_not_waited_for_longer_than_said(self):
        server = self.server([CALLS], "--chaos-latency", "30000")
        code, checks = self.doctor(self.configure(server.url, patience="2s"), "--model", "small")
        self.assertEqual(code, 3)
        self.assertIn("no byte of a reply came for 2 s", checks[0]["detail"])

    def test_a_model_reads_an_artifact_and_what_it_quotes_is_looked_up(self):
        andes = pathlib.Path(__file__).resolve().parents[2] / "artifacts/corpus/andes"
        claim = "Andes improves average QoE by up to 4.7× compared to vLLM under bursty load"
        good = [{"id": d, "score": 4, "reason": f"Because of {KEY}.", "spans": [{"file": "logic/claims.md", "quote": claim}]}
                for d in DIMENSIONS]
        bad = json.loads(json.dumps(good))
        bad[2]["spans"][0]["quote"] = "Andes improves everything everywhere at once"
        bad[3]["score"] = 7
        server = self.server([
            {"match": {"userMessage": "Some of it could not be taken"}, "response": {"content": json.dumps({"dimensions": good}), "usage": USAGE}},
            {"match": {"userMessage": "Score the six dimensions"}, "response": {"content": "Here:\n" + json.dumps({"dimensions": bad}), "usage": USAGE}}])
        env = {**os.environ, "MOCK_KEY": KEY}
        plain = self.etude("audit", str(andes), "--json", code=None)
        for api in ("openai", "anthropic"):
            words = ["--config", self.configure(server.url, api), "audit", str(andes), "--model", "small"]
            run = self.etude(*words, "--json", "--report", str(self.tmp / "level2_report.json"), code=plain.returncode, env=env)
            said = json.loads(run.stdout)
            review = said.pop("review")
            self.assertEqual(said, json.loads(plain.stdout))  # an opinion changes no finding
            self.assertEqual([(d["id"], d["score"]) for d in review["dimensions"]], [(d, 4) for d in DIMENSIONS])
            self.assertEqual(review["dimensions"][2]["spans"][0]["quote"], claim)
            self.assertEqual(review["dimensions"][2]["spans"][0]["line"], 11)
            self.assertEqual((review["model"], review["refused"]), ("small", []))
            self.assertIn("tokens for $", review["used"])
            report = json.loads((self.tmp / "level2_report.json").read_text())
            self.assertEqual([d["score"] for d in report["dimensions"]], [4] * 6)
            self.assertEqual((report["method"], report["model"]), ("deterministic and model", "small"))
            self.assertNotIn(KEY, run.stdout + json.dumps(report))
        # The same as a zip.
        self.etude("export", str(andes), "--to", "zip", "-o", str(self.tmp / "andes.zip"))
        words[3] = str(self.tmp / "andes.zip")
        text = self.etude(*words, code=plain.returncode, env=env).stdout
        self.assertRegex(text, r'scope +4/5 .*\n +logic/claims.md:11 "Andes improves')

    def test_a_reader_that_invents_quotations_scores_nothing_and_one_that_is_silent_ends_the_audit(self):
        andes = str(pathlib.Path(__file__).resolve().parents[2] / "artifacts/corpus/andes")
        env = {**os.environ, "MOCK_KEY": KEY}
        invented = [{"id": d, "score": 5, "reason": "Splendid.", "spans": [{"file": f, "quote": "This is the best paper ever."}]}
                    for d, f in zip(DIMENSIONS, ["logic/claims.md", "../secret", "/etc/passwd", "", "PAPER.md", "logic"])]
        for answer in (json.dumps({"dimensions": invented}), "I would rather not.", '{"dimensions": {}}', "{" * 3000):
            server = self.server([{"match": {"userMessage": said}, "response": {"content": answer}}
                                  for said in ("Some of it could not be taken", "Score the six dimensions")])
            run = self.etude("--config", self.configure(server.url), "audit", andes, "--model", "small", "--json",
                             code=None, env=env)
            review = json.loads(run.stdout)["review"]
            self.assertEqual([d["score"] for d in review["dimensions"]], [None] * 6)
            self.assertTrue(review["refused"])
        run = self.etude("--config", self.configure("http://127.0.0.1:9"), "audit", andes, "--model", "small", "--report",
                         str(self.tmp / "level2_report.json"), code=3, env=env)
        self.assertIn("unreachable", run.stderr)
        self.assertFalse((self.tmp / "level2_report.json").exists())
        run = self.etude("--config", self.configure("http://127.0.0.1:9"), "audit", andes, "--model", "smal", code=2, env=env)
        self.assertIn("did you mean `small`?", run.stderr)


if __name__ == "__main__":
    unittest.main()
