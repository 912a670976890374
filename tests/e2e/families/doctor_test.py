"""What `etude doctor` says to configurations that are wrong for their server: what to write instead."""
import dataclasses
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from families import configuration, family  # noqa: E402
from harness import EtudeTest  # noqa: E402
from script import KEY  # noqa: E402
from server import Events, Server  # noqa: E402


class Mute(Server):
    """It ends each stream before it began."""

    def said(self, body):
        return Events() if body.get("stream") else super().said(body)


class Doctor(EtudeTest):
    def asked(self, one, wrong=("", ""), kind=Server, **changed):
        """The check of the model, of a server of the family and a configuration in which `wrong` is replaced."""
        server = kind(dataclasses.replace(one, **changed) if changed else one)
        self.addCleanup(server.close)
        config = configuration(one, server.port, True)
        self.assertIn(wrong[0], config)
        file = self.write("config.yaml", config.replace(*wrong, 1))
        env = {**os.environ, **{name: KEY for name in re.findall(r"key_env: (\w+)", config)}}
        run = self.etude("--config", file, "doctor", "--json", "--model", "model", code=None, env=env)
        self.assertNotIn(KEY, run.stdout + run.stderr)
        (check,) = [c for c in json.loads(run.stdout)["checks"] if c["name"] == "model"]
        return check

    def test_a_right_configuration_is_ok_and_says_what_was_learnt(self):
        check = self.asked(family("responses"))
        self.assertEqual(check["status"], "ok", check)
        self.assertIn("it refuses `temperature`, which is left out (its words: HTTP 400: Unsupported parameter",
                      check["detail"])

    def test_another_protocol_is_proposed(self):
        check = self.asked(family("responses"), ("api: responses", "api: openai"))
        self.assertEqual((check["status"], check["remedy"]), ("missing", "it answers with another protocol or address: write `api: responses`"))
        check = self.asked(family("vllm"), ("api: openai", "api: anthropic"))
        self.assertEqual((check["status"], check["remedy"]), ("missing", "it answers with another protocol or address: write `api: openai`"))

    def test_another_address_is_proposed(self):
        check = self.asked(family("vllm"), ("/v1", ""))
        self.assertEqual(check["status"], "missing", check)
        self.assertRegex(check["remedy"], r"^it answers with another protocol or address: write `base_url: http://127.0.0.1:\d+/v1`$")

    def test_another_header_for_the_key_is_proposed(self):
        check = self.asked(family("azure"), ("key_style: api-key, ", ""))
        self.assertEqual(check["status"], "missing", check)
        self.assertEqual(check["remedy"], "it takes the key in another header: write `key_style: api-key`")

    def test_whole_replies_are_proposed_where_streams_break_off(self):
        check = self.asked(family("vllm"), kind=Mute)
        self.assertEqual((check["status"], check["remedy"]),
                         ("missing", "it breaks streams off, but sends whole replies: write `stream: false`"))
        self.assertIn("cut off: the stream was empty", check["detail"])

    def test_a_server_that_cuts_prompts_is_named_with_the_remedy(self):
        check = self.asked(family("ollama"), context=4096)
        self.assertEqual(check["status"], "missing", check)
        self.assertRegex(check["detail"], r"it read 4096 tokens of a prompt of at least \d+: it cuts prompts that do not fit")
        self.assertIn("OLLAMA_CONTEXT_LENGTH", check["remedy"])


if __name__ == "__main__":
    import unittest
    unittest.main()
