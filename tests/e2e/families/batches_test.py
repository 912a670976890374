"""Studies whose roles have patience: their replies come by the provider's batch API, at half the price, and outlive the
program that waits for them. OpenAI's two protocols and Anthropic's; without FAMILIES=all, all three only where nothing goes
wrong."""
import json
import os
import signal
import subprocess
import sys
import pathlib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from batch_server import BatchServer  # noqa: E402
from families import configuration, family  # noqa: E402
from harness import PATIENCE, until, verdicts  # noqa: E402
from thinking_test_case import ALL_CALLS, KEY, ThinkingTest  # noqa: E402

PROVIDERS = ("openai-chat", "responses", "claude-5.5")
ALL = os.environ.get("FAMILIES") == "all"
# Short enough to be looked at every few milliseconds, and long enough for a slow machine.
PATIENT = "2m"
INPUT, OUTPUT = 3e-6, 15e-6


class Batches(ThinkingTest):
    def serve(self, name, fate="done", patience=PATIENT):
        server = BatchServer(family(name), fate)
        self.addCleanup(server.close)
        self.config = self.write("config.yaml", configuration(server.family, server.port, True, patience))
        return server

    def ends(self, study):
        return [e["payload"]["end"] for e in self.events(study, "ModelAnswered")]

    def answered(self, study):
        """The ends of calls with a reply, all others taken as a fault."""
        ends = self.ends(study)
        self.assertEqual([e["failure"] for e in ends if e["failure"]], [])
        self.assertEqual(len(ends), ALL_CALLS)
        return ends

    def check_price(self, study, ends, share):
        for end in ends:
            used = end["tokens"]
            full = INPUT * (used["input"] + used["cache_read"] + used["cache_written"]) + OUTPUT * used["output"]
            self.assertAlmostEqual(end["usd"], full * share)
        spent = self.json("show", study)["ledger"]["usd"]
        self.assertAlmostEqual(spent["spent"], sum(end["usd"] for end in ends))
        self.assertEqual(spent["reserved"], 0)

    def start(self, *verb):
        process = subprocess.Popen(self.command("--config", self.config, *verb), cwd=self.dir, env=self.env,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def waits(self):
        """The study's wait for a batch, once it is recorded."""
        if not (self.home / "etude.db").exists():
            return None
        shown = [self.json("show", one["id"]) for one in self.json("ls")]
        return next((w for s in shown for w in s.get("waiting", []) if w["on"] == "batch"), None)

    def test_all_roles_are_answered_by_batches_at_half_the_price(self):
        for name in PROVIDERS:
            with self.subTest(name):
                server = self.serve(name)
                events, study = self.run_thinking("-o", self.tmp / name)
                self.assertEqual((server.failed, server.refused_batches, server.lost), ([], [], []))
                self.assertEqual(verdicts(study), {"H1": "supported"})
                ends = self.answered(study["id"])
                self.assertEqual({end["by_batch"] for end in ends}, {True})
                self.check_price(study["id"], ends, 0.5)
                refused = len(server.refused)
                self.assertEqual(refused, 1 if server.family.adapts else 0, server.refused)
                self.assertEqual(len(server.batches), ALL_CALLS + refused)
                self.assertEqual(len(server.received), ALL_CALLS + refused)
                self.assertEqual(sum(e["type"] == "CallBatched" for e in events), ALL_CALLS + refused)
                self.etude("check", self.tmp / name, "--strict")
                self.etude("audit", self.tmp / name)
        self.assertTrue(self.json("verify")["ok"])
        found = subprocess.run(["grep", "-rl", KEY, str(self.home), *(str(self.tmp / name) for name in PROVIDERS)],
                               capture_output=True, text=True).stdout
        self.assertEqual(found, "")

    def test_killed_while_a_batch_is_open_it_takes_that_batch_up(self):
        for name in PROVIDERS if ALL else ("responses",):
            with self.subTest(name):
                self.home = self.tmp / f"home-{name}"
                server = self.serve(name, "held")
                process = self.start("run", "study.yaml", "-o", self.tmp / name)
                waiting = until(self.waits)
                (first,) = server.batches
                self.assertEqual(waiting["line"], "hypothesis-1")
                self.assertRegex(waiting["why"], f"^waits for batch {first} of model model, until at most 2.* UTC$")
                self.assertLess(waiting["since"], waiting["until"])
                study = self.only_id()
                self.assertIn(f"waits for batch {first}", self.etude("show", study).stdout)
                process.send_signal(signal.SIGKILL)
                said = process.communicate(timeout=PATIENCE)[0]
                self.assertIn(f"hypothesis-1 waits for batch {first} of model model", said)
                self.assertGreater(self.json("show", study)["ledger"]["usd"]["reserved"], 0)
                server.fate = "done"
                self.etude("--config", self.config, "resume", study, env=self.env)
                self.assertEqual(verdicts(self.json("show", study)), {"H1": "supported"})
                ends = self.answered(study)
                self.assertEqual({end["by_batch"] for end in ends}, {True})
                self.check_price(study, ends, 0.5)
                # Each request was seen once, but for those that were refused and sent otherwise.
                bodies = [json.dumps(body, sort_keys=True) for body in server.received]
                self.assertEqual(len(set(bodies)), len(bodies))
                self.assertEqual(len(server.received), ALL_CALLS + len(server.refused))
                self.assertEqual(len(server.batches), ALL_CALLS + len(server.refused))

    def test_who_leaves_does_not_wait_for_the_batch_and_a_cancelled_study_cancels_it(self):
        server = self.serve("claude-5.5", "held")
        process = self.start("run", "study.yaml")
        until(self.waits)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=PATIENCE)[0]
        self.assertEqual(process.returncode, 130, said)
        study = self.only_id()
        self.assertEqual(self.json("show", study)["state"], "paused")
        (batch,) = server.batches.values()
        self.assertFalse(batch.cancelling)
        process = self.start("resume", study)
        looks = batch.looks
        until(lambda: batch.looks > looks)
        self.etude("--config", self.config, "cancel", study, env=self.env)
        process.communicate(timeout=PATIENCE)
        shown = self.json("show", study)
        self.assertEqual(shown["outcome"], "cancelled")
        self.assertEqual(shown["ledger"]["usd"]["reserved"], 0)
        self.assertGreater(shown["ledger"]["usd"]["spent"], 0)
        until(lambda: batch.cancelling)
        self.assertEqual(len(server.batches), 1)

    def test_what_batches_do_not_answer_is_asked_at_once_and_noted(self):
        cases = {"absent": "its batch API refused the request: HTTP 404: Not Found: this server has no batches",
                 "expired": "batch [a-zA-Z0-9_]+ (expired: This request could not be executed|ended: expired)",
                 "held": "batch [a-zA-Z0-9_]+ had no reply in time, and was cancelled"}
        for name in ("openai-chat", "claude-5.5") if ALL else ("claude-5.5",):
            for fate, words in cases.items():
                with self.subTest(name, fate=fate):
                    server = self.serve(name, fate, "200ms" if fate == "held" else PATIENT)
                    study = self.run_thinking("-o", self.tmp / f"{name}-{fate}")[1]
                    self.assertEqual(verdicts(study), {"H1": "supported"})
                    ends = self.answered(study["id"])
                    for end in ends:
                        self.assertNotIn("by_batch", end)
                        self.assertTrue(any(note.endswith("asked at once") for note in end["notes"]), end)
                        self.assertRegex(end["notes"][0], words)
                    self.check_price(study["id"], ends, 1)
                    self.assertEqual(len(server.received), ALL_CALLS + len(server.refused))
                    if fate == "absent":
                        self.assertEqual(len(server.asked), 1)
                    else:
                        self.assertEqual(len(server.batches), ALL_CALLS)


if __name__ == "__main__":
    unittest.main()
