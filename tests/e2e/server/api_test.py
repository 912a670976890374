"""The HTTP API that a home's owner serves on HOME/kernel.sock."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import signal
import socket
import stat
import unittest

from harness import PATIENCE, until, verdicts
from held import HeldTest, admit


class UnixHTTPConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=PATIENCE):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        # By way of the open folder: the path may be longer than an address holds.
        folder = os.open(self.path.parent, os.O_PATH)
        try:
            self.sock.connect(f"/proc/self/fd/{folder}/{self.path.name}")
        finally:
            os.close(folder)


class ApiTest(HeldTest):
    """A home with an owner, whose one study is held after its first job began."""

    def setUp(self):
        super().setUp()
        self.owner = self.begin("run", self.held("one"), "-j", "1")
        self.ident = self.id_of("one")
        self.until_started(self.ident)

    def connection(self):
        return UnixHTTPConnection(self.home / "kernel.sock")

    def ask(self, method, path, body=None, headers=None):
        """The answer and what it says: an object where it is JSON, else bytes."""
        connection = self.connection()
        if isinstance(body, dict):
            body = json.dumps(body)
        connection.request(method, "/api/v1" + path, body, headers or {})
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        return answer, json.loads(said) if "json" in answer.headers["Content-Type"].replace("jsonl", "") else said

    def get(self, path, status=200):
        answer, said = self.ask("GET", path)
        self.assertEqual(answer.status, status, said)
        return said

    def post(self, path, body, status=200):
        answer, said = self.ask("POST", path, body)
        self.assertEqual(answer.status, status, said)
        return said

    def problem(self, method, path, status, body=None):
        """What is said of a refusal, which has one form everywhere."""
        answer, said = self.ask(method, path, body)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"), said)
        self.assertEqual(said["status"], status)
        self.assertTrue(said["title"])
        return said

    def ended_beside_another(self):
        """The study has ended; another kernel, whose study is held, serves."""
        other = self.begin("run", self.held("beside"), "-j", "1")
        self.id_of("beside")
        self.let_go("one")
        self.ended(self.owner)
        until(lambda: self.process() == other.pid)

    def process(self):
        """Of the kernel that answers, if one does."""
        try:
            return self.ask("GET", "/health")[1]["process"]
        except OSError:
            return None

    def stream(self, path, last=None):
        connection = self.connection()
        headers = {"Connection": "close"} | ({} if last is None else {"Last-Event-ID": str(last)})
        connection.request("GET", "/api/v1" + path, headers=headers)
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/event-stream"))
        self.addCleanup(connection.close)
        return answer

    def events(self, answer, number=None):
        """(id, type, event), that many, or as long as they come."""
        found, fields = [], {}
        while number is None or len(found) < number:
            line = answer.readline().decode()
            if not line:
                break
            name, _, value = line.rstrip("\n").partition(": ")
            if line != "\n":
                fields[name] = value
            elif "data" in fields:
                found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
                fields = {}
        return found


class Reading(ApiTest):
    def test_what_studies_left_behind_is_found_by_words_that_are_no_syntax(self):
        study = self.get("/studies/" + self.ident)
        word = study["title"].split()[0]
        for words in (word, f"%22{word}", f"{word}%20AND%20(", f"NEAR({word})"):
            items = self.get(f"/recall?q={words}&where=kind=study&where=study%3D{self.ident}")["items"]
            self.assertEqual([(one["address"], one["kind"], one["title"]) for one in items],
                             [(self.ident, "study", study["title"])], words)
        self.assertEqual(self.get("/recall?q=nobodysaidthat"), {"items": [], "cursor": None, "total": 0})
        self.assertEqual(len(self.get("/recall?limit=1")["items"]), 1)
        self.assertEqual(self.get("/recall?q=" + word + "&where=study=s99")["items"], [])
        self.assertIn("there is no such kind", str(self.problem("GET", "/recall?where=kind=studies", 400)))
        self.problem("GET", "/recall?limit=0", 400)
        self.problem("GET", "/recall?limit=many", 400)

    def test_health_says_which_kernel_answers(self):
        health = self.get("/health")
        self.assertEqual((health["ok"], health["process"], health["home"]), (True, self.owner.pid, str(self.home)))
        loop = health["loop"]
        self.assertGreater(loop["of"], 0)
        self.assertTrue(0 <= loop["median_ms"] <= loop["p99_ms"] <= loop["worst_ms"], loop)

    def test_only_the_owner_of_the_files_may_ask(self):
        mode = lambda path: stat.S_IMODE(path.lstat().st_mode)
        self.assertEqual(mode(self.home), 0o700)
        self.assertEqual(mode(self.home / "kernel.sock"), 0o600)
        self.assertTrue(stat.S_ISSOCK((self.home / "kernel.sock").stat().st_mode))
        self.let_go("one")
        self.ended(self.owner)
        self.assertFalse((self.home / "kernel.sock").exists())

    def test_a_home_with_a_long_path_has_its_socket_too(self):
        self.home = self.tmp / ("a-long-name-" * 12) / "home"
        self.home.parent.mkdir()
        owner = self.begin("run", self.held("far"), "-j", "1")
        ident = self.id_of("far")
        client = self.begin("run", self.held("off"), "-j", "1")
        second = self.id_of("off")
        self.assertEqual(self.get("/health")["process"], owner.pid)
        self.let_go("far", "off")
        self.ended(owner)
        self.ended(client)
        for study in (ident, second):
            self.assertEqual(self.json("show", study)["outcome"], "concluded")

    def test_studies_come_page_by_page(self):
        for name in ("two", "three"):
            self.post("/studies", {"path": str(self.held(name))}, 201)
        page = self.get("/studies?limit=2")
        self.assertEqual([s["title"] for s in page["items"]], ["Study one", "Study two"])
        self.assertNotIn("hypotheses", page["items"][0])
        page = self.get(f"/studies?limit=2&cursor={page['cursor']}")
        self.assertEqual([s["title"] for s in page["items"]], ["Study three"])
        self.assertIsNone(page["cursor"])
        self.assertEqual(len(self.get("/studies")["items"]), 3)
        self.problem("GET", "/studies?limit=many", 400)
        self.problem("GET", "/studies?cursor=-1", 400)

    def test_a_study_and_its_members_are_those_of_the_command_line(self):
        path = f"/studies/{self.ident}"
        shown, study = self.json("show", self.ident), self.get(path)
        while shown["head"] != study["head"]:  # The study went on between the two.
            shown, study = self.json("show", self.ident), self.get(path)
        self.assertEqual(study, {key: shown[key] for key in study})
        self.assertEqual([h["id"] for h in self.get(path + "/hypotheses")], ["H1", "H2"])
        self.assertEqual(self.get(path + "/ledger"), study["ledger"])
        self.assertEqual(self.get(path + "/gates"), [])
        self.assertEqual(self.get(path + "/graph"), self.json("graph", self.ident, "--format", "json"))
        self.assertEqual(self.get(path + "/claims"), [])
        self.assertEqual(self.get(path + "/experiments"), [])
        self.problem("GET", path + "/artifact", 404)
        self.problem("GET", path + "/report", 404)
        self.ended_beside_another()
        artifact = self.get(path + "/artifact")
        self.assertEqual(artifact["path"], str(self.tmp / "one/study-ara"))
        self.assertIn("etude.json", artifact["files"])
        self.assertIn(b"<html", self.get(path + "/report"))
        self.assertEqual([c["id"] for c in self.get(path + "/claims")], ["C01", "C02"])
        experiment, = self.get(path + "/experiments")
        self.assertEqual((experiment["id"], experiment["analysed"]), ("E01", True))
        predicted = self.get(path + "/predictions")
        self.assertEqual(predicted, self.json("show", self.ident)["predictions"])
        self.assertEqual([(one["experiment"], one["took_s"] > 0) for one in predicted], [("E01", True)])
        audit = self.post("/artifacts/audit", {"path": artifact["path"], "strict": True, "head": self.get(path)["head"]})
        self.assertEqual((audit["ok"], audit["findings"]), (True, []))
        self.assertFalse(self.post("/artifacts/audit", {"path": artifact["path"], "head": "0" * 64})["ok"])
        check = self.post("/artifacts/check", {"path": artifact["path"], "strict": True})
        self.assertEqual((check["ok"], check["errors"], check["warnings"]), (True, 0, 0))

    def test_runs_come_page_by_page_and_say_nothing_before_the_analysis(self):
        path = f"/studies/{self.ident}/runs"
        self.ended_beside_another()
        everything = self.get(path)["items"]
        self.assertEqual(everything, self.lines("runs", self.ident))
        seen, cursor = [], 0
        while cursor is not None:
            page = self.get(f"{path}?limit=5&cursor={cursor}")
            self.assertLessEqual(len(page["items"]), 5)
            seen += page["items"]
            cursor = page["cursor"]
        self.assertEqual(seen, everything)
        run = next(r for r in everything if r["evidence"])
        self.assertEqual(self.get(f"/runs/{run['id']}"), run)
        self.assertIn(b'"cost"', self.get(f"/runs/{run['id']}/metrics"))
        self.assertIn(b"seed", self.get(f"/runs/{run['id']}/log?stream=stdout"))
        answer, part = self.ask("GET", f"/runs/{run['id']}/log", headers={"Range": "bytes=0-2"})
        self.assertEqual((answer.status, part), (206, b"arm"))
        self.problem("GET", f"/runs/{run['id']}/log?stream=stdin", 400)
        self.problem("GET", path + "?limit=x", 400)

    def test_nothing_of_registered_runs_is_told_before_their_analysis(self):
        # Three smoke runs and one registered run may end.
        answer = self.stream(f"/studies/{self.ident}/events")
        admit(self.tmp / "one.hold", 4)
        ended = next(e for e in iter(lambda: self.events(answer, 1)[0], None)
                     if e[1] == "RunEnded" and e[2]["payload"].get("withheld"))
        run = f"{self.ident}-r{ended[2]['payload']['run']}"
        self.assertEqual(set(ended[2]["payload"]["measurement"]["values"].values()), {None})
        study = self.get(f"/studies/{self.ident}")
        self.assertEqual((study["state"], study["hypotheses"][0]["verdict"]), ("running", None))
        shown = self.get(f"/runs/{run}")
        self.assertEqual((shown["withheld"], set(shown["metrics"].values())), (True, {None}))
        self.problem("GET", f"/runs/{run}/metrics", 403)
        self.problem("GET", f"/runs/{run}/log", 403)

        def looks():
            return [node["title"] for node in self.get(f"/studies/{self.ident}/graph")["nodes"] if "looked" in node["title"]]

        self.assertEqual(looks(), [])
        for _ in range(2):
            self.assertIn(b'"cost"', self.ask("GET", f"/runs/{run}/metrics?look=true")[1])
            self.assertIn(b"seed", self.ask("GET", f"/runs/{run}/log?look=true")[1])
        self.assertEqual(looks(), [f"A person looked at {what} of {run} before E01 was analysed." for what in ("the values", "the log")])
        self.assertIn("withheld", self.etude("metrics", run, code=2).stderr)
        self.assertIn("cost", self.etude("metrics", run, "--look").stdout)
        self.assertIn("seed", self.etude("run-log", run, "--look").stdout)
        self.assertEqual(len(looks()), 2)
        held = next(r for r in until(lambda: [r for r in self.get(f"/studies/{self.ident}/runs")["items"] if r["state"] == "running"]))
        # A copy of the page is made by a process that records nothing, so it does not have the log.
        copy = self.json("export", self.ident, "--to", "page", "-o", str(self.tmp / "copy"))
        first = (pathlib.Path(copy["path"]) / "study.js").read_text().splitlines()[0]
        answers = json.loads(json.loads(first.removeprefix("etude_shared = JSON.parse(").removesuffix(");")))["answers"]
        self.assertEqual(answers[f"/runs/{held['id']}/log?stream=stdout"]["status"], 403)
        self.assertEqual(len(looks()), 2)
        self.etude("run-log", held["id"])
        self.assertIn(f"A person looked at the log of {held['id']} before E01 was analysed.", looks())

    def test_a_log_is_followed_until_its_run_ends(self):
        run = until(lambda: [r for r in self.get(f"/studies/{self.ident}/runs")["items"] if r["state"] == "running"])[0]["id"]
        self.problem("GET", f"/runs/{run}/log?stream=both&follow=true", 400)
        connection = self.connection()
        connection.request("GET", f"/api/v1/runs/{run}/log?stream=stdout&follow=true")
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        with concurrent.futures.ThreadPoolExecutor() as readers:
            reading = readers.submit(answer.read)
            self.assertFalse(reading.done())
            admit(self.tmp / "one.hold", 1)
            self.assertEqual(reading.result(PATIENCE), self.ask("GET", f"/runs/{run}/log")[1])
        connection.close()
        # Of a run that has ended it is the log, from where the client wants it.
        answer, rest = self.ask("GET", f"/runs/{run}/log?follow=1", headers={"Range": "bytes=3-"})
        self.assertEqual((answer.status, rest), (200, self.ask("GET", f"/runs/{run}/log")[1][3:]))


class Commanding(ApiTest):
    def test_a_study_is_started_by_its_path_and_by_its_text(self):
        by_path = self.post("/studies", {"path": str(self.held("two")), "jobs": 1}, 201)["id"]
        file = self.held("three")
        text, folder = file.read_text(), file.parent
        file.unlink()
        by_text = self.post("/studies", {"text": text, "folder": str(folder), "output": str(self.tmp / "out")}, 201)["id"]
        self.assertEqual([s["id"] for s in self.listed()], [self.ident, by_path, by_text])
        self.let_go("two", "three")
        for ident, output in ((by_path, self.tmp / "two/study-ara"), (by_text, self.tmp / "out")):
            study = until(lambda: (s := self.get(f"/studies/{ident}"))["state"] == "ended" and s)
            self.assertEqual((study["outcome"], study["artifact"]), ("concluded", str(output)))
            self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        self.assertEqual(self.get(f"/studies/{self.ident}")["state"], "running")

    def test_a_client_that_opens_a_study_gets_its_document(self):
        opened = self.post("/studies", {"path": str(self.held("two")), "jobs": 1}, 201)
        self.assertEqual((opened["title"], opened["state"], opened["forked_from"]), ("Study two", "running", None))
        self.assertEqual([h["id"] for h in opened["hypotheses"]], ["H1", "H2"])
        self.until_started(opened["id"])
        first = next(e for e in self.lines("log", opened["id"]) if e["type"] == "StudyOpened")
        forked = self.post(f"/studies/{opened['id']}/fork", {"at": first["seq"]}, 201)
        self.assertEqual(forked, self.get("/studies/" + forked["id"]))
        self.assertEqual((forked["state"], forked["reason"], forked["forked_from"]["from"]), ("paused", "fork", opened["id"]))
        self.problem("POST", f"/studies/{opened['id']}/fork", 422, {"at": "last"})
        self.problem("POST", f"/studies/{opened['id']}/fork", 409, {"at": 99999})
        self.problem("POST", "/studies/s99/fork", 404, {"at": 1})
        self.let_go("two")

    def test_a_bad_study_file_is_refused_with_its_line(self):
        file = self.held("two")
        file.write_text(file.read_text().replace("min: 3", "min: -3"))
        line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "min:" in text)
        said = self.problem("POST", "/studies", 422, {"path": str(file)})
        self.assertEqual((said["file"], said["line"]), (str(file), line))
        said = self.problem("POST", "/studies", 422, {"text": file.read_text(), "folder": str(file.parent)})
        self.assertEqual(said["line"], line)
        self.problem("POST", "/studies", 422, {"path": str(self.tmp / "missing.yaml")})
        self.assertEqual(len(self.listed()), 1)

    def test_bad_bodies_are_refused(self):
        for body in ("{", "[1]", "text"):
            self.problem("POST", "/studies", 400, body)
        for path, body, pointer in (("/studies", {"path": 7}, "/path"), ("/studies", {"path": "study.yaml"}, "/path"),
                                    ("/studies", {"path": str(self.held("two")), "jobs": 0}, "/jobs"),
                                    (f"/studies/{self.ident}/steer", {"text": ["a"]}, "/text"),
                                    (f"/studies/{self.ident}/resume", {"budget": {"runs": -1}}, "/budget/runs"),
                                    (f"/studies/{self.ident}/resume", {"budget": {"beans": 1}}, "/budget/beans")):
            self.assertEqual(self.problem("POST", path, 422, body)["pointer"], pointer)
        self.problem("POST", f"/studies/{self.ident}/pause", 400, "{")
        self.assertEqual(len(self.listed()), 1)

    def test_what_is_not_there_is_not_found(self):
        for method, path in (("GET", "/studies/s99"), ("GET", "/studies/s99/runs"), ("GET", "/studies/s99/events"),
                             ("POST", "/studies/s99/pause"), ("POST", "/studies/s99/cancel"), ("GET", "/runs/s1-r999"),
                             ("GET", "/runs/nonsense"), ("POST", "/runs/s1-r999/cancel"), ("GET", "/nothing")):
            with self.subTest(method=method, path=path):
                self.problem(method, path, 404, "{}" if method == "POST" else None)
        for method, path, allowed in (("DELETE", f"/studies/{self.ident}", "GET, HEAD"), ("POST", "/health", "GET, HEAD"),
                                      ("PUT", "/studies", "GET, HEAD, POST"), ("GET", f"/studies/{self.ident}/pause", "POST")):
            with self.subTest(method=method, path=path):
                self.problem(method, path, 405, "{}" if method in ("POST", "PUT") else None)
                self.assertEqual(self.ask(method, path)[0].headers["Allow"], allowed)
        self.assertEqual(self.get(f"/studies/{self.ident}")["state"], "running")

    def test_what_cannot_be_done_now_is_refused(self):
        self.ended_beside_another()
        for verb in ("pause", "resume", "cancel", "steer"):
            with self.subTest(verb=verb):
                self.problem("POST", f"/studies/{self.ident}/{verb}", 409, {"text": "faster"})

    def test_a_body_that_is_too_large_is_refused_and_the_connection_lives(self):
        connection = self.connection()
        connection.request("POST", "/api/v1/studies", b"x" * (17 << 20))
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (413, "application/problem+json"))
        answer.read()
        connection.close()
        # In chunks, without a length; the connection is used again.
        connection = self.connection()
        for size, status in ((17 << 20, 413), (40 << 20, 413), (1 << 10, 400)):
            body = (b"x" * (1 << 16) for _ in range(size >> 16)) if size > 1 << 16 else iter([b"x" * size])
            connection.request("POST", "/api/v1/studies", body, {"Content-Type": "application/json"}, encode_chunked=True)
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (status, "application/problem+json"))
            answer.read()
        connection.close()
        self.assertTrue(self.get("/health")["ok"])

    def test_pause_resume_steer_and_cancel_answer_with_the_study(self):
        path = f"/studies/{self.ident}"
        self.problem("POST", path + "/steer", 422, {})
        study = self.post(path + "/steer", {"text": "mind the small inputs"})
        self.assertIn("mind the small inputs", json.dumps(study["steering"]))
        study = self.post(path + "/pause", {})
        self.assertEqual((study["state"], study["reason"]), ("paused", "person"))
        study = self.post(path + "/resume", {"jobs": 2, "budget": {"runs": 50}})
        self.assertEqual((study["state"], study["jobs"], study["ledger"]["runs"]["limit"]), ("running", 2, 50))
        self.post(path + "/cancel", {"why": "enough"})
        self.ended(self.owner, 130)
        self.assertEqual(self.json("show", self.ident)["outcome"], "cancelled")

    def test_one_run_is_cancelled_and_the_study_goes_on(self):
        run, _, _ = self.started()[0]
        self.post(f"/runs/{run}/cancel", {})
        until(lambda: self.get(f"/runs/{run}")["state"] == "cancelled")
        self.assertNotEqual(self.get(f"/studies/{self.ident}")["outcome"], "cancelled")


class Following(ApiTest):
    def test_every_event_comes_once_in_order_and_the_stream_ends_with_the_owner(self):
        answers = [self.stream(f"/studies/{self.ident}/events"), self.stream("/events")]
        with concurrent.futures.ThreadPoolExecutor() as readers:
            reading = [readers.submit(self.events, answer) for answer in answers]
            self.let_go("one")
            everything = [(e["seq"], e["type"]) for e in self.until_all()]
        for answer, read in zip(answers, reading):
            events = read.result()
            self.assertEqual([(seq, kind) for seq, kind, _ in events], everything)
            withheld = [e["payload"] for _, kind, e in events if kind == "RunEnded" and e["payload"].get("withheld")]
            self.assertEqual(len(withheld), 6)
            for payload in withheld:
                self.assertEqual(set(payload["measurement"]["values"].values()), {None})
            self.assertTrue(answer.isclosed())

    def until_all(self):
        self.ended(self.owner)
        return self.lines("log", self.ident)

    def test_a_stream_goes_on_where_the_last_one_broke_off(self):
        with self.stream(f"/studies/{self.ident}/events") as answer:
            first = self.events(answer, 3)
        rest = self.stream(f"/studies/{self.ident}/events", last=first[-1][0])
        self.let_go("one")
        events = first + self.events(rest)
        self.assertEqual([seq for seq, _, _ in events], [e["seq"] for e in self.until_all()])

    def test_a_stream_goes_on_with_the_next_owner(self):
        client = self.begin("run", self.held("two"), "-j", "1")
        second = self.id_of("two")
        self.until_started(second)
        answer = self.stream(f"/studies/{second}/events")
        first = self.events(answer, 2)
        self.owner.send_signal(signal.SIGKILL)
        try:
            first += self.events(answer)
        except (http.client.IncompleteRead, ConnectionError):
            pass
        until(lambda: self.process() == client.pid)
        rest = self.stream(f"/studies/{second}/events", last=first[-1][0])
        self.let_go("two")
        events = first + self.events(rest)
        self.ended(client)
        self.assertEqual([seq for seq, _, _ in events], [e["seq"] for e in self.lines("log", second)])

    def test_each_stream_tells_of_its_study_and_one_of_all(self):
        one, everything = self.stream(f"/studies/{self.ident}/events"), self.stream("/events")
        second = self.post("/studies", {"path": str(self.held("two"))}, 201)["id"]
        self.let_go("one")
        self.assertEqual({e["study"] for _, _, e in self.events(one)}, {self.ident})
        self.assertEqual({e["study"] for _, _, e in self.events(everything)}, {self.ident, second})

    def test_nonsense_for_a_last_event_is_refused(self):
        for last in ("soon", "-1", "1x"):
            answer, _ = self.ask("GET", "/events", headers={"Last-Event-ID": last})
            self.assertEqual(answer.status, 400, last)


if __name__ == "__main__":
    unittest.main()
