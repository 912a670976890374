"""Three in ten requests fail, in every way that servers fail, and the kernel is killed in the middle: the verdict is the
same, and no reply that was served is asked for again, but for the one in flight at the kill."""
import pathlib
import random
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from families import configuration, family  # noqa: E402
from harness import PATIENCE, until, verdicts  # noqa: E402
from server import Handler, Server  # noqa: E402
from thinking_test_case import ALL_CALLS, ThinkingTest  # noqa: E402

SHARE = 0.3
FAULTS = ("unavailable", "busy", "gone", "cut", "garbled")


class FaultyServer(Server):
    """`served`: replies that were sent whole. `faults`: how many of each kind."""

    def __init__(self, one, seed):
        super().__init__(one)
        self.chance = random.Random(seed)
        self.served, self.faults = 0, {}
        self.http.RequestHandlerClass = type("Faulty", (FaultyHandler,), {"owner": self})

    def fault(self):
        with self.lock:
            if self.chance.random() >= SHARE:
                return ""
            fault = self.chance.choice(FAULTS)
            self.faults[fault] = self.faults.get(fault, 0) + 1
            return fault


class FaultyHandler(Handler):
    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.owner.fault()
        try:
            if fault:
                return self.fail(fault)
            self.answer(*self.reply_to(data))
            with self.owner.lock:
                self.owner.served += 1
        except ConnectionError:
            self.close_connection = True

    def fail(self, fault):
        if fault == "unavailable":
            return self.whole(503, b'{"error": {"message": "overloaded", "type": "server_error"}}')
        if fault == "busy":
            self.send_response(429)
            self.send_header("Retry-After", "0.2")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if fault == "garbled":
            return self.whole(200, b"<html>upstream error</html>")
        self.close_connection = True
        if fault == "cut":  # In the middle of a reply, which may be paid.
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"id": "1", "choices": [')


class FaultsTest(ThinkingTest):
    def start(self, name, seed, stream):
        server = FaultyServer(family(name), seed)
        self.addCleanup(server.close)
        self.config = self.write("config.yaml", configuration(server.family, server.port, stream))
        return server

    def check(self, server, study, lost=0):
        told = f"{server.faults} {study}"
        self.assertEqual(verdicts(study), {"H1": "supported"}, told)
        self.assertEqual(server.failed, [], told)
        ends = [e["payload"]["end"] for e in self.events(study["id"], "ModelAnswered")]
        answered = [end for end in ends if not end["failure"]]
        self.assertEqual(len(answered), ALL_CALLS, told)
        self.assertLessEqual(server.served - len(server.refused), ALL_CALLS + lost, told)
        self.assertGreaterEqual(sum(server.faults.values()), 2, told)
        self.assertEqual(study["ledger"]["tokens"]["reserved"], 0)
        if not lost:
            # Where a kept connection is gone before a byte came, libcurl sends the request on a new one by itself.
            sent = server.served - len(server.refused) + sum(server.faults.values())
            attempts = sum(end["attempts"] for end in ends)
            self.assertLessEqual(attempts, sent, told)
            self.assertGreaterEqual(attempts, sent - server.faults.get("gone", 0), told)

    def test_the_verdict_is_the_same_and_nothing_is_asked_twice(self):
        for seed, (name, stream) in enumerate([("llama.cpp", True), ("responses", False), ("claude-4.6", True)], 1):
            with self.subTest(name):
                server = self.start(name, seed, stream)
                _, study = self.run_thinking("-o", self.tmp / name)
                self.check(server, study)

    def test_killed_in_the_middle_it_goes_on_with_at_most_the_request_in_flight(self):
        server = self.start("gemini", 4, True)
        kills = 0
        for most in (3, 8):
            verb = ["resume"] if self.home.exists() else ["run", "study.yaml"]
            process = subprocess.Popen(self.command("--config", self.config, *verb), cwd=self.dir, env=self.env,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until(lambda: server.served >= most, PATIENCE)
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        self.etude("--config", self.config, "resume", env=self.env)
        self.check(server, self.json("show", self.only_id()), lost=kills)


if __name__ == "__main__":
    unittest.main()
