"""What a model says is seen while it says it, by whoever watches, and is in no log."""
import http.server
import json
import os
import pty
import re
import statistics
import subprocess
import threading
import time
import unittest

from harness import NOISY_JOB, EtudeTest

STUDY = '''
etude: 1
title: Noisy arms
question: Which arm is the cheapest?
run: python3 job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
resources: {timeout: 60s, sandbox: none}
agents: mock
'''
TOKENS = 60
SPEECH = [f"tok{n:03} " for n in range(TOKENS)]
SPEECH[20] += "\n"
SPEECH[30] = "tok030 \x1b[31m\x1b]0;owned\x07 "  # A terminal's title, if it got through.


class SlowServer(http.server.ThreadingHTTPServer):
    """Says SPEECH, a piece every 40 ms, once `begin` is set, and then that it is done."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Speaker)
        self.begin, self.sent = threading.Event(), {}
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Speaker(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.begin.wait(60)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for n, word in enumerate(SPEECH):
            self.server.sent[n] = time.monotonic()
            self.say({"content": word})
            time.sleep(0.04)
        self.say({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "finish", "arguments": '{"summary":"Said."}'}}]})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def say(self, delta):
        chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls" if "tool_calls" in delta else None}]}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_):
        pass


class Watcher:
    """A program's output, with when each token was first seen in it."""

    def __init__(self, command, terminal, **kw):
        self.text, self.seen = "", {}
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
            now = time.monotonic()
            start = max(0, len(self.text) - 10)
            self.text += some.decode(errors="replace")
            for number in re.findall(r"tok(\d{3})", self.text[start:]):
                self.seen.setdefault(int(number), now)
        os.close(fd)

    def wait(self):
        self.process.wait(60)
        self.thread.join(10)
        return self.text


class Streaming(EtudeTest):
    def wait_for(self, what):
        for _ in range(600):
            if what():
                return
            time.sleep(0.05)
        self.fail("nothing happened")

    def test_what_a_model_says_is_seen_as_it_comes_and_is_in_no_log(self):
        self.study(STUDY, NOISY_JOB)
        server = SlowServer()
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
        self.wait_for(lambda: "begins" in run.text)
        watch = self.command("watch", "s1")
        watchers = {"run, terminal": run, "watch, terminal": Watcher(watch, True, **there),
                    "watch --json --text": Watcher(watch + ["--json", "--text"], False, **there),
                    "watch --text": Watcher(watch + ["--text"], False, **there),
                    "watch": Watcher(watch, False, **there), "watch --json": Watcher(watch + ["--json"], False, **there)}
        self.wait_for(lambda: all("hypothesis-1" in w.text or name == "run, terminal" for name, w in watchers.items()))
        time.sleep(1)  # They have read the log; the streams are open soon after.
        server.begin.set()
        texts = {name: watcher.wait() for name, watcher in watchers.items()}

        for name in ("run, terminal", "watch, terminal", "watch --json --text"):
            seen = watchers[name].seen
            late = sorted(1000 * (seen[n] - server.sent[n]) for n in seen)
            self.assertGreater(len(late), TOKENS * 0.9, name)
            p95 = late[int(0.95 * (len(late) - 1))]
            print(f"{name}: {len(late)} tokens, {statistics.median(late):.1f} ms, 95 of 100 under {p95:.1f} ms")
            self.assertLess(statistics.median(late), 500, name)
            self.assertIn("hypothesis-1", texts[name])
        for name, text in texts.items():
            self.assertNotIn("\x1b]0;", text, name)
            self.assertNotIn("\x1b[31m", text, name)
        self.assertIn("\\x1b]0;owned\\x07", texts["watch --text"])
        lines = [line for line in texts["watch --text"].splitlines() if " | " in line]
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith("  hypothesis-1 | tok000 tok001"), lines[0])
        self.assertIn("tok059", lines[1])
        # Whoever did not ask for it gets events alone.
        self.assertNotIn("tok0", texts["watch"])
        self.assertNotIn("tok0", texts["watch --json"])
        said = [json.loads(line) for line in texts["watch --json --text"].splitlines()]
        words = [one for one in said if one.get("type") == "text"]
        self.assertEqual("".join(one["text"] for one in words), "".join(SPEECH))
        self.assertEqual({one["line"] for one in words}, {"hypothesis-1"})
        self.assertFalse(any("seq" in one or "id" in one for one in words))
        events = self.etude("log", "s1", "--json").stdout
        self.assertNotIn("tok0", events)
        self.assertTrue(self.json("verify")["ok"])


if __name__ == "__main__":
    unittest.main()
