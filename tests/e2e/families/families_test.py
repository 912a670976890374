"""Each family of models carries a whole study with tools to its verdict, streamed and not, under the published rules of
its service. Without FAMILIES=all only six of them, streamed. With FAMILIES_TABLE=FILE
the compatibility table is written there, as Markdown.

One family alone: python3 families_test.py Families.test_claude_5_5_streamed"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from families import FAMILIES, configuration, family  # noqa: E402
from harness import verdicts  # noqa: E402
from server import Server  # noqa: E402
from table import Outcome, about, markdown  # noqa: E402
from thinking_test_case import ALL_CALLS, KEY, ThinkingTest  # noqa: E402

OUTCOMES = {}


class Families(ThinkingTest):
    def serve(self, one, context=None):
        server = Server(one, context)
        self.addCleanup(server.close)
        return server

    def run_study(self, config):
        """(the study as the program printed it last, or None; what to show of a run that went wrong)"""
        words = ("--config", config, "run", "study.yaml", "-o", self.tmp / "out", "--json")
        done = self.etude(*words, code=None, env=self.env)
        shown = f"exit status {done.returncode}\n{done.stderr}"
        try:
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            pauses = [json.dumps(line["payload"]) for line in lines if line.get("type") == "StudyPaused"]
            return lines[-1], "\n".join([*pauses, shown])
        except (IndexError, json.JSONDecodeError):
            return None, f"{shown}\n{done.stdout[-2000:]}"

    def reached(self, study, shown):
        if study is None:
            return shown.strip()
        return verdicts(study).get("H1") or f"{study['state']}: {study.get('reason')}"

    def told(self, server, reached, shown):
        """What a person wants to know of a study that went wrong."""
        parts = [f"{server.family.title}: {reached}"]
        parts += [f"refused {status}: {text}" for status, text in server.refused]
        parts += [f"lost: {one}" for one in server.lost]
        parts += server.failed
        if server.received:
            body = dict(server.received[-1])
            tail = (body.pop("messages", None) or body.pop("input", None) or [])[-1:]
            for long in ("tools", "system", "instructions"):
                body.pop(long, None)
            parts += [f"last request: {json.dumps(body)}", f"its end: {json.dumps(tail, ensure_ascii=False)[-800:]}"]
        return "\n".join([*parts, shown])

    def hold(self, one, stream):
        server = self.serve(one)
        config = self.write("config.yaml", configuration(one, server.port, stream))
        study, shown = self.run_study(config)
        reached = self.reached(study, shown)
        told = self.told(server, reached, shown)
        OUTCOMES[one.name, stream] = Outcome(reached, reached == "supported", tuple(server.refused), tuple(server.lost))
        if server.failed or reached != "supported":
            self.fail(told)
        self.check_refusals(one, server, told)
        self.check_requests(one, server, stream, told)

    def test_ollama_with_a_context_that_is_too_small(self):
        """It leaves out what does not fit, without a word: the study says so, and how to mend it."""
        server = self.serve(family("ollama"), context=2048)
        config = self.write("config.yaml", configuration(server.family, server.port, True))
        study, shown = self.run_study(config)
        told = self.told(server, self.reached(study, shown), shown)
        self.assertEqual(study["state"], "paused", told)
        self.assertIn("read 2048 tokens of a prompt of at least", shown, told)
        self.assertIn("OLLAMA_CONTEXT_LENGTH", shown, told)
        self.assertTrue(server.lost, told)

    def check_refusals(self, one, server, told):
        """Each fault that the client adapts to was made once."""
        words = [about(text, one.adapts) for _, text in server.refused]
        self.assertEqual([word for word in words if word not in one.adapts], [], told)
        self.assertEqual(len(set(words)), len(words), told)
        if one.must_keep:
            self.assertEqual(server.lost, [], told)

    def check_requests(self, one, server, stream, told):
        self.assertEqual({bool(body.get("stream")) for body in server.received}, {stream}, told)
        self.assertEqual(server.trouble, "", told)
        if "X-Title" in one.provider:
            self.assertEqual({headers.get("x-title") for headers in server.headers}, {"etude"})
        self.assertEqual(len(server.received) - len(server.refused), ALL_CALLS + bool(one.trouble), told)
        words = ["grep", "-rl", KEY, str(self.home), str(self.tmp / "out")]
        found = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(found.stdout, "", "the key is in these files")

    @classmethod
    def tearDownClass(cls):
        if "FAMILIES_TABLE" in os.environ:
            pathlib.Path(os.environ["FAMILIES_TABLE"]).write_text(markdown(OUTCOMES))


def add_test(one, stream):
    name = "test_" + "".join(c if c.isalnum() else "_" for c in one.name) + ("_streamed" if stream else "_whole")
    setattr(Families, name, lambda self: self.hold(one, stream))


USUAL = {"responses", "claude-5.5", "gemini", "mistral", "llama.cpp", "openrouter"}
for each in FAMILIES:
    if each.name in USUAL or os.environ.get("FAMILIES") == "all":
        add_test(each, True)
    if os.environ.get("FAMILIES") == "all":
        add_test(each, False)


if __name__ == "__main__":
    unittest.main()
