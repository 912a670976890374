"""A night in which everything happens to the provider of a study, and nobody is there: an outage of an hour, a context that
is full, a topic that is refused, a model that is retired. The program is the real one; its clocks are pushed where it
only waits for the provider (tests/fakes/pushed_clock.c)."""
import datetime
import json
import mmap
import os
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from families import family  # noqa: E402
from harness import ETUDE, verdicts  # noqa: E402
from rules import Refusal, openai_error  # noqa: E402
from script import KEY, next_reply  # noqa: E402
from server import Handler, Server  # noqa: E402
from thinking_test_case import ThinkingTest  # noqa: E402
from wire import Call, Said, count_tokens, opaque, thought  # noqa: E402

HOUR_S = 3600
PROPOSES, DRAWS = "you propose the hypotheses", "you say what the question requires"
SUMMARY = "I read half of costs.txt, which only lists costs. Next: propose that the fast arm costs less."
ASKS_FOR_SUMMARY = "It begins anew after your next reply"
REFUSAL = "I cannot help with that topic."
DOWN = Refusal(503, {"error": {"message": "The server is overloaded or not ready yet.", "type": "server_error"}})
# https://github.com/dyad-sh/dyad/issues/1672
FULL = openai_error("Your input exceeds the context window of this model. Please adjust your input and try again.",
                    "input", "context_length_exceeded")
# https://github.com/langflow-ai/langflow/issues/1337
RETIRED = openai_error("The model `gpt-6.1-sol` has been deprecated, learn more here: "
                       "https://platform.openai.com/docs/deprecations", None, "model_not_found", 404)


class PushedClock:
    """The file that tests/fakes/pushed_clock.c shares."""

    def __init__(self, path):
        path.write_bytes(bytes(16))
        with open(path, "r+b") as file:
            self.shared = mmap.mmap(file.fileno(), 16)
        library = (ETUDE.parent / "pushed_clock.so").resolve(strict=True)  # Without it the hour would be one.
        self.env = {"PUSHED_CLOCK": str(path), "LD_PRELOAD": str(library)}

    def ahead_s(self):
        return struct.unpack_from("q", self.shared)[0] / 1e9

    def push_waits_of(self, seconds):
        """Waits of so many seconds and more are skipped; 0: none is."""
        struct.pack_into("q", self.shared, 8, int(seconds * 1e9))


class Down(Handler):
    def send_response(self, code, message=None):
        super().send_response(code, message)
        if code == DOWN.status:
            self.send_header("Retry-After", "330")  # More than the five minutes that a line waits by itself.


class Night(Server):
    """Out of reach for an hour at the second reply of the role that proposes; then its prompt fills the context. It refuses
    to say what the question requires, and is retired after that. `happened` counts."""
    handler = Down

    def __init__(self, clock):
        super().__init__(family("responses"))
        self.clock = clock
        self.most = None
        self.happened = dict.fromkeys(("down", "full", "summary", "refused", "retired"), 0)

    def count(self, what):
        self.happened[what] += 1

    def trouble_with(self, body):
        spoken = self.protocol.read(body)
        proposes = PROPOSES in spoken.system
        if self.happened["refused"] and DRAWS not in spoken.system:
            self.count("retired")
            return RETIRED
        if proposes and spoken.turns == 1 and not self.happened["full"]:
            self.clock.push_waits_of(300 if self.clock.ahead_s() < HOUR_S else 0)
            if self.clock.ahead_s() < HOUR_S:
                self.count("down")
                return DOWN
        tokens = count_tokens(body["input"], body.get("instructions"), body.get("tools"))
        self.most = self.most or 5 * tokens // 2
        if tokens <= self.most:
            return None
        self.count("full")
        return FULL

    def next_reply(self, body, spoken):
        thoughts = ((thought(), opaque()),)
        if DRAWS in spoken.system:
            self.count("refused")
            return Said("", (), thoughts, REFUSAL)
        if PROPOSES not in spoken.system or SUMMARY in json.dumps(body["input"][0]):
            return next_reply(spoken, self.protocol.call_id)
        if ASKS_FOR_SUMMARY in json.dumps(body["input"][-1]):
            self.count("summary")
            return Said(SUMMARY, (), thoughts)
        arguments = json.dumps({"path": "costs.txt", "from_line": 1 + 300 * spoken.turns, "lines": 300})
        return Said("", (Call(self.protocol.call_id(), "read_file", arguments, opaque()),), thoughts)


@unittest.skipIf(os.environ.get("ETUDE_SANITIZE"), "the sanitizers' own library must be loaded first")
class NightTest(ThinkingTest):
    def test_an_outage_a_full_context_a_refused_topic_and_a_retired_model_end_in_a_verdict(self):
        clock = PushedClock(self.tmp / "clock")
        first, second = Night(clock), Server(family("claude-5.5"))
        for server in (first, second):
            self.addCleanup(server.close)
        served = [f"{name}: {{{one.family.provider.replace('PORT', str(one.port))}, key_env: MOCK_KEY}}"
                  for name, one in (("first", first), ("second", second))]
        config = self.write("config.yaml", f"""
            providers: {{{', '.join(served)}}}
            models:
              first: {{provider: first, {first.family.model}, prices: {{input: 3, output: 15}}, max_output: 8000}}
              second: {{provider: second, {second.family.model}, prices: {{input: 3, output: 15}}, max_output: 8000}}
            profiles:
              mock: {{default: {{model: first, fallback: second}}}}
            """)
        self.write("costs.txt", "".join(f"arm {i % 3} at {i}: it costs {i * 7919 % 1000} points\n" for i in range(4000)))
        out = self.tmp / "out"
        study = self.lines("--config", config, "run", "study.yaml", "-o", out, env=self.env | clock.env)[-1]
        told = f"{first.happened} {first.refused} {first.failed} {second.refused} {second.failed}"
        self.assertEqual((first.failed, second.failed), ([], []), told)
        self.assertEqual((study["outcome"], verdicts(study)), ("concluded", {"H1": "supported"}), told)
        self.assertEqual(first.happened["summary"], 1, told)
        self.assertGreater(min(first.happened.values()), 0, told)
        self.assertLess(first.happened["down"], 20, told)  # It is not asked more often than that in an hour.
        self.assertEqual(self.count_events("StudyPaused", study["id"]), 0, told)
        self.check_record(study["id"])
        # The supervisors of jobs are statically linked: their clocks are not pushed, which the audit sees.
        self.assertEqual({f["rule"] for f in self.json("audit", out)["findings"]}, {"older-than-registration"})
        self.etude("check", out, "--strict")

    def check_record(self, study):
        """The log has the outage with its hour, and each time why another model was asked."""
        events = self.lines("log", study)
        ends = [(e["time"], e["payload"]["end"]) for e in events if e["type"] == "ModelAnswered"]
        waited = [(time, end) for time, end in ends if end.get("again_in_s")]
        began = datetime.datetime.fromisoformat(waited[0][0])
        answered = next(time for time, end in ends if time > waited[-1][0] and not end["failure"])
        self.assertGreaterEqual((datetime.datetime.fromisoformat(answered) - began).total_seconds(), HOUR_S)
        self.assertEqual({end["again_in_s"] for _, end in waited}, {330})
        self.assertIn("model first is out of reach and is asked again by itself", waited[0][1]["failure"])
        asked = [e["payload"] for e in events if e["type"] == "ModelAsked" and e["payload"].get("instead")]
        self.assertEqual({a["model"] for a in asked}, {"second"})
        reasons = {a["instead"] for a in asked}
        self.assertIn(f"model first refused: {REFUSAL}", reasons)
        self.assertTrue(any(reason.startswith("model first is not served: HTTP 404: The model `gpt-6.1-sol` has been "
                                              "deprecated") for reason in reasons), reasons)
        self.assertEqual(len(reasons), 2, reasons)


if __name__ == "__main__":
    unittest.main()
