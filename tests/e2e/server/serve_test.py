"""`etude serve`: the API on TCP, and who is let in."""
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import unittest

from harness import PATIENCE, until
from served import ServedTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEERS = ROOT / "tests/peers"
DOCS = ROOT / "docs/http.md"


class LettingIn(ServedTest):
    def test_the_token_is_the_owners_alone_and_opens_the_api(self):
        self.serve()
        self.assertEqual(stat.S_IMODE((self.home / "token").stat().st_mode), 0o600)
        self.assertEqual(len(self.token), 64)
        health = self.get("/health")
        self.assertGreaterEqual(health["machine"]["cpus"], 1)
        self.assertEqual((health["process"], health["page"]), (self.server.pid, self.address))
        for header in (None, "Bearer ", "Bearer x", "Basic " + self.token, "Bearer " + self.token[:-1],
                       "Bearer " + self.token + "0"):
            answer, _ = self.problem(401, "GET", "/health", headers={"Authorization": header})
            self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
        # What is there is told to nobody outside.
        self.problem(401, "GET", "/nothing", token=False)
        self.problem(401, "POST", "/studies", "x" * 100000, token=False)
        self.assertNotIn(self.token, self.server_words())

    def server_words(self):
        self.stop()
        return "".join(p.read_text(errors="replace") for p in self.home.glob("*.log"))

    def test_another_token_shuts_out_the_old_one_and_every_session(self):
        self.serve()
        cookie = self.sign_in()
        self.get("/session", token=False, headers={"Cookie": cookie})
        self.etude("serve", "--new-token")
        self.problem(401, "GET", "/health")
        self.problem(401, "GET", "/session", token=False, headers={"Cookie": cookie})
        self.token = (self.home / "token").read_text().strip()
        self.get("/health")

    def sign_in(self, link=None):
        answer, said = self.ask("POST", "/session", {"code": (link or self.link).split("#code=")[1]}, token=False)
        self.assertEqual(answer.status, 200, said)
        words = [w.strip() for w in answer.headers["Set-Cookie"].split(";")]
        self.assertTrue({"HttpOnly", "SameSite=Strict", "Path=/"} <= set(words), words)
        return words[0]

    def test_a_link_opens_the_page_once(self):
        self.serve()
        cookie = self.sign_in()
        self.assertEqual(self.get("/session", token=False, headers={"Cookie": cookie})["read_only"], False)
        self.problem(401, "POST", "/session", {"code": self.link.split("#code=")[1]}, token=False)
        self.problem(401, "POST", "/session", {"code": ""}, token=False)
        self.problem(401, "POST", "/session", {"token": "0" * 64}, token=False)
        self.problem(422, "POST", "/session", {"code": 7}, token=False)
        another = self.etude("serve", "--link").stdout.strip()
        self.assertTrue(another.startswith(self.address + "/#code="))
        self.sign_in(another)
        name, value = cookie.split("=", 1)
        forged = str(int(value.split(".")[0]) + 9999) + value[value.index("."):]
        self.problem(401, "GET", "/session", token=False, headers={"Cookie": f"{name}={forged}"})
        self.problem(401, "GET", "/session", token=False, headers={"Cookie": f"{name}={value[:-1]}"})

    def test_a_session_outlives_the_server(self):
        self.serve()
        cookie = self.sign_in()
        self.stop()
        self.serve(port=self.port)
        self.get("/session", token=False, headers={"Cookie": cookie})

    def test_other_names_and_other_origins_are_refused(self):
        self.serve()
        here = f"127.0.0.1:{self.port}"
        for host in ("evil.example", f"evil.example:{self.port}", "localhost.evil.example", "10.0.0.1", "",
                     f"127.0.0.1.evil.example:{self.port}"):
            self.problem(403, "GET", "/health", headers={"Host": host})
            self.assertEqual(self.raw(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").split()[1], b"403")
        for host in (here, f"localhost:{self.port}", "localhost:9000", f"[::1]:{self.port}", f"LOCALHOST:{self.port}"):
            self.get("/health", headers={"Host": host})
        for origin in ("http://evil.example", "null", f"https://{here}", "http://127.0.0.1:1", f"http://localhost:{self.port}"):
            self.problem(403, "GET", "/health", headers={"Origin": origin})
            self.problem(403, "POST", "/session", {"token": self.token}, headers={"Origin": origin})
        self.get("/health", headers={"Origin": self.address})
        for site in ("cross-site", "same-site"):
            self.problem(403, "GET", "/health", headers={"Sec-Fetch-Site": site})
        self.get("/health", headers={"Sec-Fetch-Site": "same-origin"})

    def test_pages_of_an_allowed_origin_use_the_api_with_the_token(self):
        for bad in ("*", "https://lab.example/", "https://Lab.example"):
            refused = self.etude("serve", "--port", "0", "--allow-origin", bad, code=2).stderr
            self.assertEqual(refused.count("\n"), 1, refused)
            self.assertIn(f"--allow-origin {bad}: ", refused)
        lab, dev = "https://lab.example", "http://127.0.0.1:5173"
        self.serve("--read-only", "--allow-origin", lab, "--allow-origin", dev)
        asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
        for origin in (lab, dev):
            answer, said = self.ask("OPTIONS", "/artifacts/check", headers={"Origin": origin} | asks, token=False)
            self.assertEqual((answer.status, said), (204, b""))
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], origin)
            self.assertIn("POST", answer.headers["Access-Control-Allow-Methods"])
            for name in ("Authorization", "Content-Type", "Last-Event-ID"):
                self.assertIn(name, answer.headers["Access-Control-Allow-Headers"])
            self.assertIsNone(answer.headers["Access-Control-Allow-Credentials"])
        answer, _ = self.ask("GET", "/studies", headers={"Origin": lab, "Sec-Fetch-Site": "cross-site"})
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"], answer.headers["Vary"]), (200, lab, "Origin"))
        again, _ = self.ask("GET", "/studies", headers={"Origin": lab, "If-None-Match": answer.headers["ETag"]})
        self.assertEqual((again.status, again.headers["Access-Control-Allow-Origin"]), (304, lab))
        # Refusals can be read, too; and what an answer is for others must not be taken for theirs.
        answer, _ = self.problem(401, "GET", "/studies", headers={"Origin": lab}, token=False)
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"], lab)
        self.problem(403, "POST", "/studies", {"path": "x"}, headers={"Origin": lab})
        answer, _ = self.ask("GET", "/studies")
        self.assertEqual((answer.headers["Access-Control-Allow-Origin"], answer.headers["Vary"]), (None, "Origin"))
        cookie = self.sign_in()
        self.problem(401, "GET", "/studies", headers={"Origin": dev, "Cookie": cookie}, token=False)
        answer, _ = self.problem(403, "GET", "/studies", headers={"Origin": "https://lab.example.evil.org"})
        self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])
        answer, _ = self.ask("OPTIONS", "/studies", headers={"Origin": "https://evil.example"} | asks, token=False)
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (403, None))

    def test_a_server_that_only_shows(self):
        self.serve("--read-only")
        self.assertTrue(self.get("/session")["read_only"])
        self.problem(403, "POST", "/studies", {"path": str(self.held("one"))})
        self.problem(403, "POST", "/link", {})
        self.assertEqual(self.listed(), [])
        self.problem(422, "POST", "/artifacts/check", {"path": "x"})
        self.problem(403, "GET", f"/artifacts/contents?artifact={ROOT}/tests/artifacts/corpus/resnet")

    def test_what_a_token_must_be(self):
        self.serve()
        self.stop()
        (self.home / "token").chmod(0o644)
        self.assertIn("others may read it", self.etude("serve", "--port", "0", code=3).stderr)
        (self.home / "token").chmod(0o600)
        (self.home / "token").write_text("short\n")
        self.assertIn("holds no token", self.etude("serve", "--port", "0", code=3).stderr)


class Refusing(ServedTest):
    def test_every_refusal_has_one_form(self):
        self.serve()
        path = str(self.held("one"))
        ident = self.post("/studies", {"path": path, "jobs": 1}, 201)["id"]
        self.until_started(ident)
        self.problem(404, "GET", "/studies/s9")
        self.problem(404, "GET", "/nothing")
        answer, _ = self.problem(405, "DELETE", f"/studies/{ident}")
        self.assertEqual(answer.headers["Allow"], "GET, HEAD")
        self.problem(405, "OPTIONS", f"/studies/{ident}")
        self.problem(415, "POST", f"/studies/{ident}/pause", "a=1", headers={"Content-Type": "text/plain"})
        self.problem(415, "POST", f"/studies/{ident}/pause", "{}", headers={"Content-Type": None})
        self.problem(400, "POST", f"/studies/{ident}/pause", "{")
        _, said = self.problem(422, "POST", f"/studies/{ident}/resume", {"budget": {"runs": "x"}})
        self.assertEqual(said["pointer"], "/budget/runs")
        self.problem(400, "GET", "/studies?limit=x")
        bad = self.held("two")
        bad.write_text(bad.read_text().replace("min: 3", "min: -3"))
        _, said = self.problem(422, "POST", "/studies", {"path": str(bad)})
        self.assertTrue(said["line"])
        self.post(f"/studies/{ident}/cancel", {})
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        self.problem(409, "POST", f"/studies/{ident}/pause", {})

    def test_where_no_body_is_announced_none_is_waited_for(self):
        self.serve()
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 1}, 201)["id"]
        self.until_started(ident)
        head = f"Host: localhost\r\nAuthorization: Bearer {self.token}\r\nConnection: close\r\n"
        said = self.raw(f"POST /api/v1/studies/{ident}/pause HTTP/1.1\r\n{head}\r\n")
        self.assertIn(b" 200 ", said.splitlines()[0])
        self.assertIn(b" 405 ", self.raw(f"PUT /api/v1/studies HTTP/1.1\r\n{head}\r\n").splitlines()[0])
        for wrong, status in (("Transfer-Encoding: gzip, chunked", 501), ("Content-Length: many", 400), ("Content-Length: -1", 400)):
            said = self.raw(f"POST /api/v1/studies/{ident}/resume HTTP/1.1\r\n{head}Content-Type: application/json\r\n{wrong}\r\n\r\n")
            self.assertIn(f" {status} ".encode(), said.splitlines()[0], wrong)
            self.assertIn(b"application/problem+json", said)
        # What was asked for of a log is no reason to cut a refusal into pieces.
        for method, path in (("GET", f"/runs/{ident}-r999/log"), ("POST", "/artifacts/check")):
            answer, said = self.ask(method, path, {} if method == "POST" else None, headers={"Range": "bytes=0-0,2-3"})
            self.assertEqual((answer.headers["Content-Type"], said["status"]), ("application/problem+json", answer.status))
        answer, said = self.ask("GET", "/health", headers={"Range": "bytes=0-1"})
        self.assertEqual((answer.status, said["ok"]), (200, True))
        curl = ["curl", "-sS", "--max-time", "10", "--unix-socket", str(self.home / "kernel.sock"), "-X", "POST"]
        done = subprocess.run([*curl, f"http://etude/api/v1/studies/{ident}/resume"], capture_output=True, text=True)
        self.assertEqual((done.returncode, json.loads(done.stdout)["id"]), (0, ident), done.stderr)
        done = subprocess.run([*curl, "-H", "Transfer-Encoding: br", f"http://etude/api/v1/studies/{ident}/resume"], capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)["status"], 501, done.stderr)

    def test_a_body_that_is_too_large_is_drained_and_refused(self):
        self.serve()
        answer, said = self.ask("POST", "/studies", b"x" * (17 << 20))
        self.assertEqual((answer.status, said["status"]), (413, 413))
        chunks = (b" " * (1 << 16) for _ in range(17 << 4))
        answer, said = self.ask("POST", "/studies", chunks, headers={"Content-Type": "application/json"})
        self.assertEqual((answer.status, said["status"]), (413, 413))
        self.assertTrue(self.get("/health")["ok"])

    def test_what_follows_a_refused_body_is_no_request(self):
        self.serve()
        inner = f"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as s:
            s.sendall(f"POST /api/v1/studies HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(inner)}\r\n\r\n{inner}".encode())
            said = b""
            try:
                while piece := s.recv(65536):
                    said += piece
            except ConnectionResetError:
                pass
        self.assertEqual(said.count(b"HTTP/1.1 "), 1, said)
        self.assertIn(b"401", said.splitlines()[0])


class Answering(ServedTest):
    def test_what_is_known_is_not_sent_again_and_texts_are_packed(self):
        self.serve()
        for path in ("/studies", "//"):
            answer, said = self.ask("GET", path)
            again, nothing = self.ask("GET", path, headers={"If-None-Match": answer.headers["ETag"]})
            self.assertEqual((again.status, again.headers["Content-Length"]), (304, None))
            other, _ = self.ask("GET", path, headers={"If-None-Match": '"another"'})
            self.assertEqual(other.status, 200)
        # As browsers ask: Brotli would pack better, and takes seconds for what is long.
        for asked, packed in (("gzip", "gzip"), ("gzip, deflate, br", "gzip"), ("br", None), ("identity", None)):
            answer, _ = self.ask("GET", "//", headers={"Accept-Encoding": asked})
            self.assertEqual(answer.headers["Content-Encoding"], packed, asked)

    def test_every_answer_tells_the_browser_what_it_may_do(self):
        self.serve()
        for path, token in (("/health", True), ("/health", False), ("/nothing", True), ("//", False)):
            answer, _ = self.ask("GET", path, token=token)
            policy = answer.headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
            self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])

    def test_tls_with_files_and_nothing_for_others_without(self):
        self.assertIn("--insecure", self.etude("serve", "--host", "0.0.0.0", "--port", "0", code=2).stderr)
        self.assertIn("both", self.etude("serve", "--cert", "x", "--port", "0", code=2).stderr)
        self.etude("serve", "--cert", "/nowhere", "--key", "/nowhere", "--port", "0", code=2)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.tmp / "key.pem",
                        "-out", self.tmp / "cert.pem"], check=True, capture_output=True)
        self.serve("--host", "0.0.0.0", "--cert", str(self.tmp / "cert.pem"), "--key", str(self.tmp / "key.pem"))
        self.assertTrue(self.address.startswith("https://"))
        asked = ["curl", "-s", "--cacert", str(self.tmp / "cert.pem"), "-H", f"Authorization: Bearer {self.token}"]
        got = subprocess.run(asked + [f"https://localhost:{self.port}/api/v1/health"], capture_output=True, text=True)
        self.assertTrue(json.loads(got.stdout)["ok"], got)
        plain = subprocess.run(["curl", "-s", f"http://localhost:{self.port}/"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotEqual(plain.returncode, 0)


class Describing(ServedTest):
    def test_the_description_is_valid_and_every_route_in_it_answers(self):
        self.serve()
        document = self.get("/openapi.json")
        self.assertEqual(self.wrong_with(document), "")
        self.assertEqual(document["openapi"], "3.1.0")
        asked = 0
        for path, methods in document["paths"].items():
            for method in methods:
                with self.subTest(method=method, path=path):
                    # Nothing of the kind is there, and the route says so itself.
                    place = path.replace("{id}", "none")
                    if path.endswith("/events") and "{" not in path:
                        continue
                    answer, said = self.ask(method.upper(), place, {} if method == "post" else None)
                    self.assertNotEqual(answer.status, 405)
                    self.assertEqual(answer.status == 401, place == "/session" and method == "post")
                    if answer.status == 404:
                        self.assertNotEqual(said["title"], "this path does not exist")
                    asked += 1
        self.assertGreater(asked, 30)
        broken = json.loads(json.dumps(document))
        del broken["info"]["title"]
        self.assertNotEqual(self.wrong_with(broken), "")

    def wrong_with(self, document):
        """What an independent reader of OpenAPI says."""
        script = f"""
            const parser = require({json.dumps(str(PEERS / "node_modules/@apidevtools/swagger-parser"))});
            parser.validate(JSON.parse(require("fs").readFileSync(0, "utf8"))).catch((e) => console.log(e.message));
        """
        done = subprocess.run(["node", "-e", script], input=json.dumps(document), capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_lines_of_the_documentation_do_what_it_says(self):
        self.serve(port=0)
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 1}, 201)["id"]
        self.assertEqual(ident, "s1")
        lines = [line for block in re.findall(r"```sh\n(.*?)```", DOCS.read_text(), re.S) for line in block.splitlines()
                 if line.startswith("curl")]
        self.assertGreater(len(lines), 4)
        for line in lines:
            with self.subTest(line=line):
                command = line.replace("127.0.0.1:7717", f"127.0.0.1:{self.port}").replace("curl ", "curl -sf --max-time 3 ", 1)
                done = subprocess.run(["bash", "-c", command], env=os.environ | {"ETUDE_HOME": str(self.home)},
                                      capture_output=True, text=True, timeout=PATIENCE)
                # A stream only ends with our patience.
                self.assertEqual(done.returncode, 28 if line.endswith("/events") else 0, done)
                self.assertIn("s1", done.stdout)


class Owning(ServedTest):
    def test_whoever_comes_second_is_told_who_serves(self):
        self.serve()
        said = self.etude("serve", "--port", "0", code=3).stderr
        self.assertIn(str(self.server.pid), said)
        self.assertIn(self.address, said)
        other = self.tmp / "other"
        done = subprocess.run([self.command()[0], "--home", str(other), "serve", "--port", str(self.port)],
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--port", done.stderr)

    def test_a_study_that_runs_is_the_kernels_own_and_outlives_a_terminal(self):
        self.serve()
        client = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        self.assertIn(ident, self.get("/health")["studies"])
        client.send_signal(signal.SIGTERM)
        self.ended(client, 130)
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")

    def test_an_interrupt_waits_for_what_runs_and_a_restart_goes_on(self):
        self.serve()
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 1}, 201)["id"]
        self.until_started(ident)
        self.server.send_signal(signal.SIGINT)
        until(lambda: self.get(f"/studies/{ident}")["state"] == "paused")
        self.problem(503, "POST", "/studies", {"path": str(self.held("two"))})
        self.assertIsNone(self.server.poll())
        self.let_go("one")
        self.ended(self.server, 130)
        self.assertEqual(len(self.started()), 1)
        self.serve()
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        self.assertEqual(self.get(f"/studies/{ident}")["outcome"], "concluded")
        self.assertEqual(self.get("/studies")["items"][0]["runs"]["lost"], 0)

    def test_a_stream_goes_on_without_gap_after_the_server_was_killed(self):
        self.serve()
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 1}, 201)["id"]
        self.until_started(ident)
        first = self.seqs(self.follow(), 4)
        self.server.kill()
        self.server.wait()
        self.serve(port=self.port)
        rest = self.follow(first[-1])
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        everything = [e["seq"] for e in self.lines("log", ident)]
        seen = first + self.seqs(rest, len(everything) - 4)
        self.assertEqual(seen, everything)
        self.stop()
        self.assertEqual(self.seqs(rest, 1), [])  # It ended, and was not cut.
        starts = [run for run, _, _ in self.started(ident)]
        self.assertEqual(len(starts), len(set(starts)))

    def follow(self, last=None):
        connection = self.connection()
        self.addCleanup(connection.close)
        headers = {"Authorization": f"Bearer {self.token}"} | ({"Last-Event-ID": str(last)} if last else {})
        connection.request("GET", "/api/v1/events", headers=headers)
        return connection.getresponse()

    def seqs(self, answer, number):
        found = []
        while len(found) < number:
            line = answer.readline().decode()
            if not line:
                break
            if line.startswith("id: "):
                found.append(int(line[4:]))
        return found


if __name__ == "__main__":
    unittest.main()
