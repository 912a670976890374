"""One kernel owns a home; other programs are its clients, and one takes its place when it leaves."""
import contextlib
import json
import signal
import socket
import unittest

from harness import until
from held import GATED_STUDY, HELD_STUDY
from client_test_case import ClientTest


class Clients(ClientTest):
    def test_two_runs_at_once_both_reach_their_verdicts_and_artifacts(self):
        files = [self.held("one"), self.held("two")]
        kernels = [self.begin("run", file, "-j", "1", "--json") for file in files]
        ids = [self.id_of("one"), self.id_of("two")]
        for ident in ids:
            self.until_started(ident)
        owners = {study["owner"] for study in self.listed()}
        self.assertEqual(len(owners), 1)
        self.assertIn(owners.pop(), [kernel.pid for kernel in kernels])
        self.let_go("one", "two")
        for kernel, ident, name in zip(kernels, ids, ("one", "two")):
            printed = [json.loads(line) for line in self.ended(kernel).splitlines()]
            # Each tells of its own study only, and of all of it.
            self.assertEqual({event["study"] for event in printed[:-1]}, {ident})
            self.assertEqual([e["type"] for e in printed[:-1]], [e["type"] for e in self.lines("log", ident)])
            shown = self.json("show", ident)
            self.assertEqual(printed[-1], {key: shown[key] for key in printed[-1]})
            self.check_concluded(ident, name)
        self.check_starts()
        self.assertTrue(self.json("verify")["ok"])

    def test_plain_output_of_a_client_is_that_of_an_owner(self):
        owner, first, client, second = self.both_running()
        self.let_go("one", "two")
        outs = [self.ended(owner), self.ended(client)]
        for out, ident, name in zip(outs, (first, second), ("one", "two")):
            self.assertTrue(out.startswith(f"study {ident}: Study {name}"), out)
            self.assertIn("supported", out)
            self.assertIn("refuted", out)
            self.assertIn(self.json("show", ident)["head"], out)
            self.assertIn(str(self.tmp / name / "study-ara"), out)
        # How far it got is said as often as it can be told apart; everything else once.
        words = [sorted({line.split()[0] for line in out.splitlines() if line.strip() and " runs ended" not in line})
                 for out in outs]
        self.assertEqual(len(words[0]), len(words[1]), words)

    def test_killed_the_owner_is_succeeded_by_the_client_that_waits(self):
        owner, first, client, second = self.both_running()
        running = self.started()
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        until(lambda: self.json("show", second)["owner"] == client.pid)
        self.assertEqual(self.started(), running)
        self.let_go("two")
        out = self.ended(client)
        self.assertIn("resumed", out)
        self.check_concluded(second, "two")
        # The other study lies as its owner left it: its job still runs.
        study = self.json("show", first)
        self.assertEqual((study["state"], study["owner"]), ("running", None))
        self.assertEqual(len(self.started(first)), 1)
        self.let_go("one")
        resumed = self.lines("resume")[-1]
        self.assertEqual(resumed["id"], first)
        self.check_concluded(first, "one")
        self.check_starts()
        self.assertTrue(self.json("verify")["ok"])

    def test_of_three_the_owner_ends_first_and_the_others_go_on(self):
        owner, first, client, second = self.both_running()
        # Before its gate it takes no processor from the others, of which the machine may have two.
        third_kernel = self.begin("run", self.held("three", GATED_STUDY), "-j", "1")
        third = self.id_of("three")
        self.let_go("one")
        self.ended(owner)
        self.check_concluded(first, "one")
        self.let_go("three")
        self.approve_gate_of(third)
        self.ended(third_kernel)
        self.check_concluded(third, "three")
        until(lambda: self.json("show", second)["owner"] == client.pid)
        self.let_go("two")
        self.ended(client)
        self.check_concluded(second, "two")
        self.check_starts()
        self.assertEqual([s["owner"] for s in self.listed()], [None] * 3)

    def test_paused_from_another_terminal_what_runs_ends_and_resume_goes_on(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        self.etude("pause", ident)
        study = self.json("show", ident)
        self.assertEqual((study["state"], study["reason"]), ("paused", "person"))
        self.assertIsNone(kernel.poll(), "it leaves the job that runs")
        running = self.started()
        self.let_go("one")
        self.ended(kernel, 130)
        self.assertEqual(self.started(), running)
        self.assertEqual({r["state"] for r in self.lines("runs", ident)} & {"running", "starting"}, set())
        self.assertIn("nothing to resume", self.etude("resume").stdout)  # It is not for a crash that it stopped.
        self.lines("resume", ident)
        self.check_concluded(ident, "one")
        self.check_starts()

    def test_cancelled_from_another_terminal_what_runs_is_killed(self):
        kernel = self.begin("run", self.held("one"), "-j", "2")
        ident = self.id_of("one")
        self.until_started(ident)
        self.assertTrue(self.job_processes())
        self.etude("cancel", ident, "--why", "a better idea")
        self.ended(kernel, 130)
        self.check_cancelled(ident)
        self.assertIn("a better idea", self.etude("log", ident).stdout)
        self.assertIn("has ended", self.etude("cancel", ident, code=2).stderr)

    def test_a_study_that_nobody_works_on_is_cancelled_with_its_live_job(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        kernel.kill()
        kernel.wait()
        self.assertTrue(self.job_processes())
        self.etude("cancel", ident)
        self.check_cancelled(ident)
        self.assertEqual(len(self.started()), 1)

    def test_paused_where_nobody_works_on_it_a_study_waits_for_its_name(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        kernel.kill()
        kernel.wait()
        self.etude("pause", ident)
        self.assertEqual(self.json("show", ident)["reason"], "person")
        self.assertIn("nothing to resume", self.etude("resume").stdout)
        self.let_go("one")
        self.lines("resume", ident)
        self.check_concluded(ident, "one")
        self.check_starts()

    def test_what_a_person_says_is_recorded_with_and_without_an_owner(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        self.etude("steer", ident, "look at the large inputs")
        kernel.kill()
        kernel.wait()
        self.etude("steer", ident, "and at the small ones")
        said = [e for e in self.lines("log", ident) if "inputs" in json.dumps(e["payload"]) or
                "small ones" in json.dumps(e["payload"])]
        self.assertEqual([e["actor"] for e in said if e["type"] != "StudyOpened"], ["person", "person"], said)
        self.let_go("one")
        self.lines("resume")
        self.check_concluded(ident, "one")

    def test_a_word_on_a_study_that_the_owner_has_not_in_hand_reaches_it(self):
        first_owner = self.begin("run", self.held("one"), "-j", "1")
        first = self.id_of("one")
        self.until_started(first)
        until(lambda: self.count_events("RunStarted", first))
        first_owner.kill()
        first_owner.wait()
        owner = self.begin("run", self.held("two"), "-j", "1")
        second = self.id_of("two")
        self.until_started(second)
        # Words are kept until it is resumed, and start nothing.
        self.etude("steer", first, "mind the small inputs")
        self.etude("steer", first, "and the large ones")
        self.assertEqual(self.json("show", first)["steering"], ["mind the small inputs", "and the large ones"])
        self.let_go("one")
        until(lambda: not [p for p in self.job_processes() if p == self.started(first)[0][2]])
        self.assertIn("running", {r["state"] for r in self.lines("runs", first)})
        self.assertEqual(len(self.started(first)), 1)
        self.assertNotIn("StudyResumed", {e["type"] for e in self.lines("log", first)})
        self.etude("pause", first)
        self.assertEqual(self.json("show", first)["state"], "paused")
        self.assertEqual(len(self.started(first)), 1)
        self.etude("cancel", first)
        self.assertEqual(self.json("show", first)["outcome"], "cancelled")
        self.check_artifact(self.json("show", first))
        self.let_go("two")
        self.ended(owner)
        self.check_concluded(second, "two")
        self.assertEqual(len(self.started(first)), 1)

    def test_resume_leaves_alone_what_the_owner_works_on(self):
        owner = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        self.assertIn("nothing to resume", self.etude("resume").stdout)
        self.assertIsNone(owner.poll())
        self.let_go("one")
        self.ended(owner)
        self.check_concluded(ident, "one")

    def test_a_refusal_names_its_study_once(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.let_go("one")
        self.ended(kernel)
        for args in (("pause", ident), ("steer", ident, "a hint"), ("cancel", ident)):
            errors = self.etude(*args, code=2).stderr
            self.assertIn("has ended", errors)
            self.assertEqual(errors.count(ident), 1, errors)

    def test_a_follower_that_does_not_read_holds_up_nobody(self):
        text = HELD_STUDY.replace("min: 3, max: 3", "min: 150, max: 150")
        owner = self.begin("run", self.held("one", text), "-j", "2")
        ident = self.id_of("one")
        self.until_started(ident)
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                stalled = stack.enter_context(socket.socket(socket.AF_UNIX))
                stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                stalled.connect(str(self.home / "kernel.sock"))
                stalled.sendall(f"GET /api/v1/studies/{ident}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            self.let_go("one")
            until(lambda: len([r for r in self.lines("runs", ident) if r["state"] == "succeeded"]) > 200)
            owner.send_signal(signal.SIGTERM)
            self.ended(owner, 130)
        self.lines("resume")

    def test_watch_and_log_follow_to_the_end(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        watch = self.begin("watch", ident)
        watched = self.begin("watch", ident, "--json")
        log = self.begin("log", ident, "--follow", "--json")
        leaver = self.begin("watch", ident)
        self.assertTrue(leaver.stdout.readline())
        leaver.send_signal(signal.SIGINT)
        self.ended(leaver, 130)
        self.assertEqual(self.json("show", ident)["state"], "running", "a reader pauses nothing")
        self.let_go("one")
        self.ended(kernel)
        self.assertIn("supported", self.ended(watch))
        events = self.lines("log", ident)
        self.assertEqual(json.loads(self.ended(watched).splitlines()[-1])["outcome"], "concluded")
        followed = [json.loads(line) for line in self.ended(log).splitlines()]
        self.assertEqual([e["seq"] for e in followed], [e["seq"] for e in events])

    def test_watch_says_when_nobody_works_on_the_study(self):
        kernel = self.begin("run", self.held("one"), "-j", "1")
        ident = self.id_of("one")
        self.until_started(ident)
        watch = self.begin("watch", ident)
        self.assertTrue(watch.stdout.readline())
        kernel.kill()
        kernel.wait()
        self.ended(watch, 3)
        self.assertIn(f"etude resume {ident}", self.etude("watch", ident, code=3).stderr)

    def test_a_clients_bad_request_is_refused_by_name_and_starts_nothing(self):
        owner, first, client, second = self.both_running()
        file = self.held("three")
        file.write_text(file.read_text().replace("replicates", "replicate"))
        refused = self.etude("run", file, code=2)
        self.assertIn(f"{file}:", refused.stderr)
        self.assertIn("s99", self.etude("pause", "s99", code=2).stderr)
        self.assertIn("s99", self.etude("cancel", "s99", code=2).stderr)
        self.assertIn("s1-g9", self.etude("approve", "s1-g9", code=2).stderr)
        self.assertIn("no gate waits", self.etude("gates").stdout)
        self.assertEqual(len(self.listed()), 2)


if __name__ == "__main__":
    unittest.main()
