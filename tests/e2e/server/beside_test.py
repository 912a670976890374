"""`etude serve` beside a kernel that owns the home: its page is that kernel's, until it takes its place."""
import json
import signal
import threading
import unittest

from harness import until
from served import ServedTest


class BesideTest(ServedTest):
    def run_and_server(self):
        """A run with a held job, and a server beside it."""
        run = self.begin("run", self.held("one"), "-j", "1")
        study = self.id_of("one")
        self.until_started(study)
        self.serve()
        return run, study

    def becomes_owner(self):
        # Until then, the kernel that leaves answers, or nobody does.
        until(lambda: self.ask("GET", "/health")[1].get("process") == self.server.pid)

    def concluded(self, study):
        until(lambda: self.get(f"/studies/{study}")["state"] == "ended")
        self.assertEqual(self.get(f"/studies/{study}")["outcome"], "concluded")

    def listen(self, path):
        """The events of a stream as they come, and its thread, which ends with it."""
        events = []

        def read():
            connection = self.connection()
            connection.request("GET", "/api/v1" + path, headers={"Authorization": f"Bearer {self.token}"})
            for line in connection.getresponse():
                if line.startswith(b"data: "):
                    events.append(json.loads(line[6:]))
            connection.close()

        thread = threading.Thread(target=read)
        thread.start()
        return events, thread

    def test_it_shows_what_another_kernel_does_and_takes_its_place(self):
        run, study = self.run_and_server()
        self.assertEqual(self.get("/health")["process"], run.pid)
        self.problem(401, "GET", "/health", token=False)
        link = self.etude("serve", "--link").stdout.strip()
        self.assertTrue(link.startswith(self.address + "/#code="), link)
        answer, said = self.ask("POST", "/session", {"code": link.split("#code=")[1]}, token=False)
        self.assertEqual(answer.status, 200, said)
        self.problem(404, "GET", "/studies/s99")
        self.problem(404, "GET", "/studies/s99/events")
        self.assertEqual(self.get(f"/studies/{study}")["state"], "running")
        events, stream = self.listen("/events?after=now")
        # What is asked for here is done by the kernel that owns the home; a study, too.
        self.post(f"/studies/{study}/steer", {"text": "mind the 100 % + more"})
        until(lambda: any(e["type"] == "StudySteered" and e["study"] == study for e in events))
        self.assertTrue(self.get("/recall?q=listed%20hypotheses")["items"])
        other = self.post("/studies", {"path": str(self.held("two")), "jobs": 1}, 201)["id"]
        until(lambda: any(e["type"] == "RunStarted" and e["study"] == other for e in events))
        self.assertEqual({s["owner"] for s in self.listed()}, {run.pid})
        self.assertEqual(self.ask("GET", f"/runs/{study}-r1/log", headers={"Range": "bytes=0-2"})[1], b"arm")
        # The run ends with its own study; the server goes on with the other one, whose job still runs.
        started = self.started(other)
        self.let_go("one")
        self.ended(run)
        self.becomes_owner()
        stream.join()
        self.assertTrue(any(e["type"] == "StudyEnded" and e["study"] == study for e in events))
        self.assertEqual([e["seq"] for e in events], sorted({e["seq"] for e in events}))
        until(lambda: {s["owner"] for s in self.listed() if s["id"] == other} == {self.server.pid})
        self.assertEqual(self.started(other), started)
        self.let_go("two")
        self.concluded(other)
        third = self.post("/studies", {"path": str(self.held("three"))}, 201)["id"]
        self.let_go("three")
        self.concluded(third)
        self.assertTrue(self.etude("serve", "--link").stdout.startswith(self.address + "/#code="))
        self.stop()
        self.assertIn("no kernel serves it", self.etude("serve", "--link", code=3).stderr)

    def test_what_a_person_interrupts_stays_so_and_a_server_that_leaves_takes_nothing_along(self):
        run, study = self.run_and_server()
        self.stop(signal.SIGINT)
        self.assertIsNone(run.poll())
        self.serve()
        run.send_signal(signal.SIGINT)
        until(lambda: self.get(f"/studies/{study}")["state"] == "paused")
        self.let_go("one")
        self.ended(run, 130)
        self.becomes_owner()
        paused = self.get(f"/studies/{study}")
        self.assertEqual((paused["state"], paused["reason"]), ("paused", "interrupted"))
        self.post(f"/studies/{study}/resume", {})
        self.concluded(study)
        self.stop()

    def test_a_server_that_only_shows_opens_no_other_folder_for_a_kernel_that_would(self):
        secret = self.tmp / "elsewhere"
        secret.mkdir()
        (secret / "PAPER.md").write_text("secret")
        run = self.begin("run", self.held("one"), "-j", "1")
        self.until_started(self.id_of("one"))
        self.serve("--read-only")
        for path in (f"/artifacts/contents?artifact={secret}", f"/artifacts/file?artifact={secret}&path=PAPER.md"):
            response, said = self.ask("GET", path)
            self.assertEqual(response.status, 403, said)
        self.let_go("one")
        self.ended(run)
        self.becomes_owner()
        self.stop()


if __name__ == "__main__":
    unittest.main()
