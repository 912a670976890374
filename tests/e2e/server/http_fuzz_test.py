"""Requests that nobody would send: each gets one well-formed answer, no 500, and the kernel goes on. ETUDE_REQUESTS says
how many, ETUDE_SEED which."""
import collections
import json
import os
import random
import re
import socket
import time
import unittest

from harness import PATIENCE, until
from served import ServedTest

REQUESTS = int(os.environ.get("ETUDE_REQUESTS", "2000"))
SEED = int(os.environ.get("ETUDE_SEED", "1"))

SEGMENTS = ["s1", "s1-r1", "s1-g1", "none", "..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%00", "s1%00", "%ff%fe", "%", "%zz", "s1'--", "*",
            "s99999999999999999999", "s-1", "-1", "0", "S1", "s1;", "a" * 3000, "%F0%9F%92%A9", "s1%0d%0aX-Injected:%201"]
VALUES = ["", "0", "-1", "1", "1e9", "99999999999999999999", "NaN", "x", "%00", "%ff", "a=b", "=", "a" * 3000, "state=running", "%27%22%3B--", "*", "%2A%22", "null", "true",
          "running,", ",,,", "%0d%0a", "newest", "1,2,3," * 200]
NAMES = ["limit", "cursor", "state", "where", "order", "numbers", "q", "at", "experiment", "tail", "offset", "from", "follow", "token", "code", "%00", "x[]", ""]
HEADERS = [("Accept-Encoding", "gzip;q=banana, br;q=-1"), ("Accept-Encoding", "x" * 2000), ("If-None-Match", '"'), ("If-None-Match", '*, W/"x", ' * 100),
           ("Last-Event-ID", "-1"), ("Last-Event-ID", "9" * 40), ("Last-Event-ID", "\x01"), ("Range", "bytes=5-1"), ("Range", "bytes=0-0,1-1,2-2,-5"),
           ("Range", "lines=0-"), ("Content-Type", "application/json; charset=utf-16"), ("Content-Type", "multipart/form-data; boundary=" + "x" * 300),
           ("Transfer-Encoding", "gzip, chunked"), ("Expect", "100-continue"), ("Cookie", "etude=; etude=x; ;;==;" * 20), ("Authorization", "Bearer"),
           ("Authorization", "Basic eDp5"), ("Origin", "null"), ("Origin", "http://localhost:1"), ("Host", "evil.example"), ("Host", "localhost:99999999"),
           ("X" * 500, "y"), ("X-\xff", "\xff\xfe"), ("Upgrade", "websocket"), ("Content-Encoding", "gzip")]
THINGS = [None, True, -1, 0, 1.5, 1e308, 2**70, "", "x", "\0", "\ud800", "../../etc/passwd", "/dev/zero", "/proc/self/mem", "/nowhere/at/all", "é" * 2000, [], {}, [[]], {"": None},
          ["x"] * 300, {"x": {"x": {"x": {}}}}]
MEMBERS = ["path", "text", "jobs", "budget", "decision", "why", "arguments", "from", "at", "steer", "set", "name", "agents", "claim", "seeds", "sample", "seed", "message", "surprise", ""]

# The head of an answer that may have no end.
STREAM = re.compile(rb"^(HTTP/1\.1 100 .*\r\n\r\n)?HTTP/1\.1 20[06] (.+\r\n)*?(Content-Type: text/event-stream|Transfer-Encoding: chunked)\r\n(.+\r\n)*\r\n")


class Fuzz(ServedTest):
    def test_nothing_that_is_asked_breaks_it(self):
        self.serve()
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 1}, 201)["id"]
        self.until_started(ident)
        self.chance = random.Random(SEED)
        self.routes = [(path, method.upper(), what) for path, methods in self.get("/openapi.json")["paths"].items()
                       for method, what in methods.items() if path not in ("/studies/{id}/cancel", "/runs/{id}/cancel")]
        self.assertGreater(len(self.routes), 30)
        seen = collections.Counter()
        for number in range(REQUESTS):
            request = self.request()
            status, kind, said = self.answered(request)
            self.assertTrue(200 <= status < 500 or (status == 501 and b"gzip, chunked" in request) or status == 503,
                            f"request {number} of seed {SEED}, {request[:600]!r}: {status} {said[:600]!r}")
            if status >= 400 and said:
                self.assertEqual(kind, "application/problem+json", (request[:600], said[:300]))
                self.assertEqual(json.loads(said)["status"], status)
            seen[status] += 1
        # It got past the door, and was refused in many ways.
        self.assertGreater(seen[200], REQUESTS / 20, seen)
        self.assertTrue({200, 400, 401, 403, 404, 405, 415, 422} <= set(seen), seen)
        self.assertEqual(self.get("/health")["process"], self.server.pid)
        for study in self.get("/studies?limit=1000")["items"]:
            if study["state"] != "ended":
                self.post(f"/studies/{study['id']}/cancel", {})
        until(lambda: all(study["state"] == "ended" for study in self.get("/studies?limit=1000")["items"]))
        self.stop()
        self.etude("verify")

    def request(self):
        pick = self.chance
        path, method, what = pick.choice(self.routes)
        path = "/".join(pick.choice(SEGMENTS[:2] + SEGMENTS) if part.startswith("{") and pick.random() < 0.5 else part.replace("{id}", "s1")
                        for part in path.split("/"))
        if pick.random() < 0.1:
            path = path.replace("/", pick.choice(["//", "/./", "/%2f", "/../"]), 1)
        if pick.random() < 0.4:
            path += "?" + "&".join(f"{pick.choice(NAMES)}={pick.choice(VALUES)}" for _ in range(pick.randint(1, 4)))
        if pick.random() < 0.1:
            method = pick.choice(["DELETE", "PUT", "PATCH", "OPTIONS", "HEAD", "POST", "GET", "TRACE", "BREW", "get"])
        headers = [("Host", "localhost"), ("Authorization", f"Bearer {self.token}"), ("Connection", "close")]
        body = b""
        if method == "POST":
            body = self.body(what)
            headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        for name, value in pick.sample(HEADERS, pick.choice([0, 0, 0, 1, 2])):
            headers = [kept for kept in headers if kept[0] != name] + [(name, value)]
        lines = [f"{method} /api/v1{path} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body

    def body(self, what):
        pick = self.chance
        schema = what.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        names = list(schema.get("properties", {})) + [pick.choice(MEMBERS)]
        said = {name: pick.choice(THINGS) for name in pick.sample(names, pick.randint(0, min(3, len(names))))}
        whole = pick.choice([said, said, said, said, pick.choice(THINGS), [said]])
        text = json.dumps(whole).encode()
        if pick.random() < 0.2:
            at = pick.randrange(len(text))
            text = text[:at] + pick.choice([b"", b"\xff", b"\0", b"[" * 5000, b'{"a":' * 2000, b"}"]) + text[at + pick.randint(0, 3):]
        return text

    def answered(self, request):
        """Status, type and body; of a stream, how it begins."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as s:
            said, began = b"", time.monotonic()
            try:
                s.sendall(request)
                while piece := s.recv(1 << 16):
                    said += piece
                    if time.monotonic() > began + PATIENCE:
                        raise TimeoutError
                    if STREAM.search(said):
                        break
            except (ConnectionResetError, BrokenPipeError):
                pass
            except TimeoutError:
                self.fail(f"no end of the answer to {request[:600]!r}: {said[:300]!r}")
        while said.startswith(b"HTTP/1.1 100"):
            said = said.partition(b"\r\n\r\n")[2]
        head, _, body = said.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.assertRegex(lines[0], r"^HTTP/1\.1 \d{3} ", (request[:600], said[:300]))
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        self.assertNotIn("x-injected", fields)
        return int(lines[0].split()[1]), fields.get("content-type", "").split(";")[0], body


if __name__ == "__main__":
    unittest.main()
