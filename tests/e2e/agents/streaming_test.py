"""A model's reply is shown to watchers while it grows, and is in no log."""
import http.server
import json
import os
import pty
import re
import subprocess
import threading
import unittest

from harness import NOISY_JOB, PATIENCE, EtudeTest, until

STUDY = '''
etude: 1
title: Noisy arms
question: Which arm is the cheapest?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
resources: {timeout: 10m, sandbox: none}
agents: mock
'''
TOKENS = 60
LAG = 5  # Words that may be on their way to a listener.
SPEECH = [f"tok{n:03} " for n in range(TOKENS)]
SPEECH[20] += "\n"
SPEECH[30] = "tok030 \x1b[31m\x1b]0;owned\x07 "  # A terminal's title, if it got through.


class SlowServer(http.server.ThreadingHTTPServer):
    """Says "ready" until all who listen have heard it, then SPEECH, and then that it is done. It says no word of its
    speech before the listeners have heard one of the few before it, so they hear it while it is said or not at all."""

    def __init__(self, listeners):
        super().__init__(("127.0.0.1", 0), Speaker)
        self.listeners, self.trouble = listeners, None
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Speaker(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            until(self.all_are_ready)
            for n, word in enumerate(SPEECH):
                until(lambda: n < LAG or all(w.seen & set(range(n - LAG, n)) for w in self.server.listeners))
                self.say({"content": word})
        except AssertionError as late:
            self.server.trouble = late
            raise
        self.say({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "finish", "arguments": '{"summary":"Said."}'}}]})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def all_are_ready(self):
        self.say({"content": "ready\n"})
        return self.server.listeners and all("ready" in w.text for w in self.server.listeners)

    def say(self, delta):
        chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls" if "tool_calls" in delta else None}]}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_):
        pass


class Watcher:
    """A program's output, and which tokens have been seen in it."""

    def __init__(self, command, terminal, **kw):
        self.text, self.seen = "", set()
        mine, theirs = pty.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs,
                                        stderr=theirs if terminal else subprocess.DEVNULL, **kw)
        os.close(theirs)
        self.thread = threading.Thread(target=self.read, args=(mine,))
        self.thread.start()

    def read(self, fd):
        while True:
            try:
                some = os.read(fd, 65536)
            except OSError:  # How a terminal ends.
                some = b""
            if not some:
                break
            start = max(0, len(self.text) - 10)
            self.text += some.decode(errors="replace")
            self.seen |= {int(number) for number in re.findall(r"tok(\d{3})", self.text[start:])}
        os.close(fd)

    def wait(self):
        self.process.wait(PATIENCE)
        self.thread.join(PATIENCE)
        return self.text


class Streaming(EtudeTest):
    def test_what_a_model_says_is_seen_as_it_comes_and_is_in_no_log(self):
        self.study(STUDY, NOISY_JOB)
        listeners = []
        server = SlowServer(listeners)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        config = self.write("config.yaml", f"""
            providers:
              mock: {{api: openai, base_url: "{server.url}"}}
            models:
              small: {{provider: mock, model: m, prices: {{input: 0, output: 0}}}}
            profiles:
              mock: {{default: small}}
            """)
        there = {"cwd": self.dir, "env": {**os.environ, "TERM": "xterm", "COLUMNS": "100"}}
        run = Watcher(self.command("--config", config, "run", "study.yaml"), True, **there)
        until(lambda: "begins" in run.text)
        watch = self.command("watch", "s1")
        watchers = {"run, terminal": run, "watch, terminal": Watcher(watch, True, **there),
                    "watch --json --text": Watcher(watch + ["--json", "--text"], False, **there),
                    "watch --text": Watcher(watch + ["--text"], False, **there),
                    "watch": Watcher(watch, False, **there), "watch --json": Watcher(watch + ["--json"], False, **there)}
        until(lambda: all("hypothesis-1" in w.text or name == "run, terminal" for name, w in watchers.items()))
        at_once = ("run, terminal", "watch, terminal", "watch --json --text")
        until(lambda: "ready" in watchers["watch --text"].text)  # By lines only, so not among those that hear each word.
        listeners.extend(watchers[name] for name in at_once)
        texts = {name: watcher.wait() for name, watcher in watchers.items()}

        self.assertIsNone(server.trouble)
        for name in at_once:
            self.assertGreater(len(watchers[name].seen), TOKENS * 0.9, name)
            self.assertIn("hypothesis-1", texts[name])
        for name, text in texts.items():
            self.assertNotIn("\x1b]0;", text, name)
            self.assertNotIn("\x1b[31m", text, name)
        self.assertIn("\\x1b]0;owned\\x07", texts["watch --text"])
        lines = [line for line in texts["watch --text"].splitlines() if " | " in line and "tok" in line]
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith("  hypothesis-1 | tok000 tok001"), lines[0])
        self.assertIn("tok059", lines[1])
        # A watcher that did not ask for it gets events alone.
        self.assertNotIn("tok0", texts["watch"])
        self.assertNotIn("tok0", texts["watch --json"])
        said = [json.loads(line) for line in texts["watch --json --text"].splitlines()]
        words = [one for one in said if one.get("type") == "text"]
        self.assertTrue("".join(one["text"] for one in words).endswith("ready\n" + "".join(SPEECH)))
        self.assertEqual({one["line"] for one in words}, {"hypothesis-1"})
        self.assertFalse(any("seq" in one or "id" in one for one in words))
        events = self.etude("log", "s1", "--json").stdout
        self.assertNotIn("tok0", events)
        self.assertTrue(self.json("verify")["ok"])


if __name__ == "__main__":
    unittest.main()
