"""Who answered a call, at which service tier, from which fingerprint and with which effort, and what each role's model
cost: in the journal, in `show`, in the artifact and in `doctor`."""
import json
import os
import unittest

from harness import verdicts
from scripted_model import ScriptedModel
from thinking_test_case import FAST, KEY, ThinkingTest

PROPOSE = "you propose the hypotheses"
FIRST = {"model": "gpt-x-2026-01-01", "tier": "flex", "fingerprint": "fp_1"}
OTHER = {"model": "gpt-y", "tier": "flex", "fingerprint": "fp_2"}


class Stating(ScriptedModel):
    """Half of each prompt comes from its cache. The second reply to the role that proposes is another model's."""

    def reply(self, request):
        reply = super().reply(request)
        turn = sum(m["role"] == "assistant" for m in request["messages"])
        origin = OTHER if PROPOSE in request["messages"][0]["content"] and turn == 1 else FIRST
        reply.update(model=origin["model"], service_tier=origin["tier"], system_fingerprint=origin["fingerprint"])
        reply["usage"]["prompt_tokens_details"] = {"cached_tokens": reply["usage"]["prompt_tokens"] // 2}
        return reply


class Silent(ScriptedModel):
    """States no model."""

    def reply(self, request):
        return {key: value for key, value in super().reply(request).items() if key != "model"}


class Modest(ScriptedModel):
    """States 5 tokens for each call."""

    def reply(self, request):
        return {**super().reply(request), "usage": {"prompt_tokens": 4, "completion_tokens": 1, "total_tokens": 5}}


class Origins(ThinkingTest):
    def serve(self, kind):
        server = kind({PROPOSE: [("propose_hypothesis", FAST), ("note", {"text": "One is enough."}),
                                 ("finish", {"summary": "The fast arm."})]})
        self.addCleanup(server.close)
        return server

    def run_with(self, kind, prices, out):
        self.config = self.write("config.yaml", f"""
            providers:
              mock: {{api: openai, base_url: "{self.serve(kind).url}", key_env: MOCK_KEY}}
            models:
              thinker: {{provider: mock, model: gpt-x, effort: high{prices}, stream: false}}
            profiles:
              mock: {{default: thinker}}
            """)
        study = self.run_thinking("-o", out)[1]
        self.assertEqual(verdicts(study), {"H1": "supported"})
        return study

    def doctor(self, name, *options):
        env = {**os.environ, "MOCK_KEY": KEY}
        run = self.etude("--config", self.config, "doctor", "--json", *options, code=None, env=env)
        return [check["detail"] for check in json.loads(run.stdout)["checks"] if check["name"] == name]

    def spent(self):
        return self.doctor("spent")

    def test_what_replies_state_is_in_journal_show_artifact_and_doctor(self):
        out = self.tmp / "out"
        study = self.run_with(Stating, ", prices: {input: 3, output: 15, cache_read: 0.3}", out)
        asked = [e["payload"] for e in self.events(study["id"], "ModelAsked")]
        self.assertEqual([a["as"] for a in asked], [{"model": "gpt-x", "effort": "high"}] * len(asked))
        origins = [e["payload"]["end"]["origin"] for e in self.events(study["id"], "ModelAnswered")]
        self.assertEqual(len(origins), len(asked))
        self.assertEqual((origins.count(FIRST), origins.count(OTHER)), (len(asked) - 1, 1))

        models = study["ledger"]["models"]
        self.assertEqual(sum(use["calls"] for use in models), len(asked))
        self.assertAlmostEqual(sum(use["usd"] for use in models), study["ledger"]["usd"]["spent"])
        self.assertEqual(sum(use["tokens_in"] + use["tokens_out"] for use in models), study["ledger"]["tokens"]["spent"])
        proposed = next(use for use in models if use["role"] == "hypothesis")
        self.assertEqual([(a["answered_by"], a["tier"], a["fingerprint"], a["effort"], a["calls"]) for a in proposed["answers"]],
                         [("gpt-x-2026-01-01", "flex", "fp_1", "high", 2), ("gpt-y", "flex", "fp_2", "high", 1)])
        words = f"asked for gpt-x, gpt-y answered in 1 of {len(asked)} calls"
        self.assertEqual(study["ledger"]["other_models"], [words])
        shown = self.etude("show", study["id"], "--all").stdout
        self.assertRegex(shown, r"models +hypothesis, thinker: 3 calls, \d+ tokens in \(50 % from the cache\), \d+ out, \$0\.")
        self.assertIn("answered by gpt-x-2026-01-01, tier flex, fingerprint fp_1, effort high: 2 calls\n", shown)
        self.assertIn(words, shown)

        report = (out / "report.md").read_text()
        self.assertRegex(report, r"\| hypothesis \| thinker \| 3 \| \d+ \| 50 % \| \d+ \| 0\.\d+ \|")
        self.assertIn("| hypothesis | gpt-x | high | gpt-y | flex | fp_2 | 1 |", report)
        self.assertIn("A" + words[1:] + ".", report)
        self.assertIn("A" + words[1:] + ".", (out / "report.html").read_text())
        self.assertEqual(json.loads((out / "etude.json").read_text())["study"]["ledger"]["models"], models)
        self.etude("check", out, "--strict")
        self.etude("audit", out)

        self.assertEqual(len(self.spent()), len(models))
        self.assertRegex(self.spent()[0], r"^hypothesis, thinker: 3 calls, \d+ tokens in \(50 % from the cache\), .* in 1 study$")

        self.assertRegex(self.doctor("model", "--model", "thinker")[0], r"\d+ \(\d+ from the cache\) \+ \d+ tokens for \$")

        # A replay asks nobody, and says who answered then.
        again = self.lines("run", "study.yaml", "--agents", "replay:" + study["id"], "-o", self.tmp / "again")[-1]
        self.assertEqual(again["ledger"]["models"][0]["answers"][0]["answered_by"], "gpt-x-2026-01-01")
        self.assertNotIn("other_models", again["ledger"])

    def test_where_nothing_is_stated_and_no_price_is_known_both_are_said(self):
        study = self.run_with(Silent, "", self.tmp / "out")
        proposed = next(use for use in study["ledger"]["models"] if use["role"] == "hypothesis")
        self.assertEqual((proposed["usd"], proposed["calls"]), (None, 3))
        self.assertEqual([a["answered_by"] for a in proposed["answers"]], [None])
        self.assertNotIn("other_models", study["ledger"])
        report = (self.tmp / "out" / "report.md").read_text()
        self.assertIn("| not stated | not stated | not stated | 3 |", report)
        self.assertIn(" 0 USD, without the calls whose price is not known.", report)
        self.assertRegex(self.spent()[0], r", price not known in 1 study$")
        self.etude("audit", self.tmp / "out")

    def test_a_provider_that_states_too_few_tokens_is_found_and_the_larger_count_charged(self):
        out = self.tmp / "out"
        study = self.run_with(Modest, ", prices: {input: 3, output: 15}", out)
        ends = [e["payload"]["end"] for e in self.events(study["id"], "ModelAnswered")]
        self.assertEqual({end["understated"]["stated"] for end in ends}, {5})
        least, charged = sum(end["understated"]["least"] for end in ends), study["ledger"]["tokens"]["spent"]
        self.assertGreater(charged, 8 * least)  # Texts at 2 bytes a token, against 16.
        self.assertEqual(sum(sum(end["tokens"].values()) for end in ends), charged)
        words = (f"The provider of model thinker states {5 * len(ends)} tokens for {len(ends)} of {len(ends)} calls, whose "
                 f"texts have at least {least}: the {charged} tokens that were set aside for them are charged")
        self.assertEqual(study["ledger"]["understated"], [words])
        self.assertIn(words, " ".join(self.etude("show", study["id"]).stdout.split()))
        for page in ("report.md", "report.html", "PAPER.md"):
            self.assertIn(words + ".", " ".join((out / page).read_text().split()))
        self.assertEqual(json.loads((out / "etude.json").read_text())["study"]["ledger"]["understated"], [words])
        self.etude("check", out, "--strict")
        self.assertEqual(self.json("audit", out)["findings"], [])
        shown = self.etude("watch", study["id"]).stdout
        self.assertEqual(shown.count("the provider reports 5 tokens for texts of at least "), 1, shown)


if __name__ == "__main__":
    unittest.main()
