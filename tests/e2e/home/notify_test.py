"""`notify:` of the configuration: who is told when a study ends, fails, waits or is paused, and what a receiver that fails
does to the study: nothing."""
import collections
import http.server
import json
import os
import signal
import threading
import unittest

from harness import PATIENCE, STUDY, until
from held import HELD_STUDY, HeldTest

KEPT = """
import json, os, sys
told = json.load(sys.stdin)
told["environment"] = dict(os.environ)
with open(sys.argv[1], "a") as out:
    out.write(json.dumps(told) + "\\n")
"""


class Hook(http.server.BaseHTTPRequestHandler):
    """Keeps what it is sent, and answers with the server's status."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.told.append((self.path, dict(self.headers), json.loads(body)))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Notify(HeldTest):
    def setUp(self):
        super().setUp()
        self.kept = self.tmp / "told.jsonl"
        self.write("keep.py", KEPT)
        self.short = STUDY.replace("min: 6, max: 6", "min: 2, max: 2").replace("timeout: 10m", "timeout: 10m, sandbox: none")

    def config(self, text):
        path = self.tmp / "config.yaml"
        path.write_text(text)
        return "--config", str(path)

    def keeper(self, more=""):
        return f"{{command: [python3, {self.dir}/keep.py, {self.kept}]{more}}}"

    def told(self):
        return [json.loads(line) for line in self.kept.read_text().splitlines()] if self.kept.exists() else []

    def hook(self, status=204):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        server.told, server.status = [], status
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def test_a_command_gets_the_facts_and_no_secret(self):
        self.study(self.short)
        config = self.config(f"notify: {self.keeper()}\nproviders: {{p: {{api: openai, base_url: 'http://127.0.0.1:1', key_env: MINE}}}}\n")
        secrets = {"MINE": "plain-looking-value-77", "GITHUB_TOKEN": "ghx-1234567890", "KEEPS": "this"}
        done = self.etude("run", "study.yaml", *config, env=os.environ | secrets)
        [told] = self.told()
        self.assertEqual(done.stderr, "")
        study = self.json("show", "s1")
        self.assertEqual((told["event"], told["study"], told["title"], told["state"], told["outcome"]),
                         ("ended", "s1", study["title"], "ended", "concluded"))
        self.assertEqual(told["verdicts"], collections.Counter(h["verdict"] for h in study["hypotheses"]))
        self.assertEqual((told["artifact"], told["report"], told["home"]), (study["artifact"], study["report"], str(self.home)))
        self.assertEqual(told["runs"], {"succeeded": study["runs"]["succeeded"]})
        self.assertEqual(told["text"], "Study s1 (Fast against slow) ended: concluded, 1 inconclusive, 1 refuted")
        environment = told["environment"]
        self.assertEqual((environment["ETUDE_EVENT"], environment["ETUDE_STUDY"], environment["ETUDE_TEXT"], environment["ETUDE_HOME"]),
                         ("ended", "s1", told["text"], str(self.home)))
        self.assertEqual(environment["KEEPS"], "this")
        self.assertFalse({"MINE", "GITHUB_TOKEN"} & set(environment))
        self.assertNotIn("plain-looking-value-77", json.dumps(told))

    def test_failed_paused_and_waiting_are_told_apart(self):
        waiting = self.held("one", HELD_STUDY + "gates: [{{on: experiments}}]\nbudget: {{runs: 4}}\n")
        self.let_go("one")
        kernel = self.begin("run", str(waiting), *self.config(f"notify: [{self.keeper()}]"))
        until(lambda: len(self.told()) == 1)
        [told] = self.told()
        self.assertEqual((told["event"], told["study"]), ("waits", "s1"))
        self.assertIn(f"waits for you at gate {told['gate']}", told["text"])
        self.etude("approve", told["gate"])
        self.ended(kernel, 4)
        told = self.told()[-1]
        self.assertEqual((told["event"], told["reason"], told["state"]), ("paused", "budget", "paused"))
        self.assertIn("is paused: budget", told["text"])
        self.study(self.short, job="raise SystemExit(3)\n")
        self.etude("run", "study.yaml", *self.config(f"notify: {self.keeper(', on: [failed]')}"), code=1)
        told = self.told()[-1]
        self.assertEqual((told["event"], told["study"], told["outcome"]), ("failed", "s2", "failed"))
        # Only what was asked for.
        before = len(self.told())
        self.study(self.short)
        self.etude("run", "study.yaml", *self.config(f"notify: {self.keeper(', on: [failed]')}"))
        self.assertEqual(len(self.told()), before)

    def test_a_webhook_gets_a_post(self):
        self.study(self.short)
        server = self.hook()
        address = f"http://127.0.0.1:{server.server_port}/secret-path"
        config = self.config("notify: [{webhook: {env: HOOK}, headers: {X-Team: lab, Authorization: {env: BEARER}}}]\n")
        done = self.etude("run", "study.yaml", *config, env=os.environ | {"HOOK": address, "BEARER": "Bearer abc-123-def"})
        self.assertEqual(done.stderr, "")
        [(path, headers, body)] = server.told
        self.assertEqual((path, headers["Content-Type"], headers["X-Team"], headers["Authorization"]),
                         ("/secret-path", "application/json", "lab", "Bearer abc-123-def"))
        self.assertEqual((body["event"], body["study"]), ("ended", "s1"))
        self.assertNotIn("abc-123-def", json.dumps(body))

    def test_receivers_that_fail_are_named_and_change_nothing(self):
        self.study(self.short)
        down, angry = self.hook(), self.hook(status=500)
        down.shutdown()
        down.server_close()
        config = self.config(f"""
notify:
  - {{command: "echo no mail here >&2; exit 7"}}
  - {{command: [no-such-program-at-all, x]}}
  - {{webhook: "http://127.0.0.1:{down.server_port}/x"}}
  - {{webhook: "http://127.0.0.1:{angry.server_port}/x"}}
  - {{webhook: {{env: NOT_SET_ANYWHERE}}}}
  - {{command: "sleep 300", timeout: 300ms}}
  - {self.keeper()}
""")
        done = self.etude("run", "study.yaml", *config)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 6, done.stderr)
        for line, why in zip(lines, ("exit 7: no mail here", "no-such-program-at-all was not told that study s1 ended: there is no such program",
                                     f"127.0.0.1:{down.server_port}", "status 500", "$NOT_SET_ANYWHERE is not set", "no answer within")):
            self.assertIn("notify: ", line)
            self.assertIn(why, line)
        self.assertEqual([told["event"] for told in self.told()], ["ended"])
        self.assertIn("outcome   concluded", done.stdout)

    def test_a_slow_receiver_delays_no_study(self):
        gate, go = self.tmp / "asked", self.tmp / "go"
        slow = f"touch {gate}; while [ -e {gate} -a ! -e {go} ]; do sleep 0.05; done"
        config = self.config(f"notify: [{{command: '{slow}', on: [paused], timeout: 10m}}, {self.keeper(', on: [ended]')}]")
        server = self.begin("serve", "--port", "0", "--json", *config)
        server.stdout.readline()
        kernel = self.begin("run", str(self.held("one")), "-j", "2")
        self.until_started(self.id_of("one"))
        self.etude("pause", "s1")
        until(gate.exists)
        # The receiver is busy with the pause; the study goes on to its end meanwhile.
        again = self.begin("resume", "s1")
        self.let_go("one")
        self.ended(again)
        kernel.communicate(timeout=PATIENCE)
        self.assertEqual(self.json("show", "s1")["outcome"], "concluded")
        self.assertEqual(self.told(), [])
        go.touch()
        until(lambda: [told["event"] for told in self.told()] == ["ended"])
        server.send_signal(signal.SIGTERM)
        self.ended(server, 130)

    def test_a_person_need_not_wait_for_a_slow_receiver(self):
        self.study(self.short)
        asked = self.tmp / "asked"
        slow = f"touch {asked}; while [ -e {asked} ]; do sleep 0.05; done"
        kernel = self.begin("run", "study.yaml", *self.config(f"notify: {{command: '{slow}', timeout: 5m}}"))
        # Its verdicts are shown before it waits.
        lines = []
        until(lambda: lines.append(kernel.stdout.readline()) or lines[-1].startswith("audit "))
        until(asked.exists)
        kernel.send_signal(signal.SIGINT)
        kernel.communicate(timeout=PATIENCE)
        self.assertEqual(kernel.returncode, -signal.SIGINT)
        self.assertEqual(self.json("show", "s1")["outcome"], "concluded")
        asked.unlink()  # The receiver goes on by itself until then.

    def test_it_is_told_without_a_terminal_too(self):
        self.study(self.short)
        said = self.json("run", "study.yaml", "--detach", *self.config(f"notify: [{{command: exit 9}}, {self.keeper()}]"))
        until(lambda: self.told())
        self.assertEqual(self.told()[0]["event"], "ended")
        log = (self.home / "detached/s1.log").read_text()
        self.assertIn("notify: command exit 9 was not told that study s1 ended: exit 9", log)
        self.assertEqual(said["study"], "s1")


if __name__ == "__main__":
    unittest.main()
