"""A home that `etude serve` serves on TCP, and clients of it."""
import http.client
import json
import signal
import socket

from harness import PATIENCE, until
from held import HeldTest


class ServedTest(HeldTest):
    def setUp(self):
        super().setUp()
        self.server = None

    def serve(self, *args, port=0):
        self.server = self.begin("serve", "--port", str(port), "--json", *args)
        said = json.loads(self.server.stdout.readline())
        self.address, self.link = said["address"], said["link"]
        self.port = int(self.address.rsplit(":", 1)[1])
        self.token = (self.home / "token").read_text().strip()
        return self.server

    def connection(self, timeout=PATIENCE):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, token=True):
        """The answer and its body. `headers`: None removes one. The path "//" is the page."""
        sent = {"Authorization": f"Bearer {self.token}"} if token else {}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent = {k: v for k, v in (sent | (headers or {})).items() if v is not None}
        connection = self.connection()
        connection.request(method, "/" if path == "//" else "/api/v1" + path,
                           json.dumps(body) if isinstance(body, dict) else body, sent)
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        if said and "json" in answer.headers.get("Content-Type", "").replace("jsonl", ""):
            said = json.loads(said)
        return answer, said

    def raw(self, text, timeout=PATIENCE):
        """Everything that the server sends until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            s.sendall(text.encode())
            said = b""
            while True:
                piece = s.recv(65536)
                if not piece:
                    return said
                said += piece

    def get(self, path, status=200, **kw):
        answer, said = self.ask("GET", path, **kw)
        self.assertEqual(answer.status, status, said)
        return said

    def post(self, path, body, status=200, **kw):
        answer, said = self.ask("POST", path, body, **kw)
        self.assertEqual(answer.status, status, said)
        return said

    def ended_study(self, name="one"):
        """The id of a study with held jobs that has ended."""
        ident = self.post("/studies", {"path": str(self.held(name)), "jobs": 2}, 201)["id"]
        self.let_go(name)
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        return ident

    def problem(self, status, method, path, body=None, **kw):
        answer, said = self.ask(method, path, body, **kw)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"), said)
        self.assertEqual(said["status"], status)
        self.assertTrue(said["title"])
        return answer, said

    def stop(self, how=signal.SIGTERM, code=130):
        self.server.send_signal(how)
        self.ended(self.server, code)
