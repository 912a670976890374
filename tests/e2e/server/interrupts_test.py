"""Interrupts: who leaves, who stays, and what is started by nobody."""
import signal
import unittest

from harness import until, until_signal_is_taken
from held import GATED_STUDY
from client_test_case import ClientTest


class Interrupts(ClientTest):
    def test_an_interrupted_client_pauses_its_own_study_only(self):
        owner, first, client, second = self.both_running()
        client.send_signal(signal.SIGINT)
        until(lambda: self.json("show", second)["state"] == "paused")
        self.assertIsNone(client.poll(), "it leaves the job that runs")
        self.assertEqual(self.json("show", first)["state"], "running")
        self.let_go("two")
        self.ended(client, 130)
        self.assertEqual(self.json("show", second)["reason"], "interrupted")
        self.assertEqual(len(self.started(second)), 1)
        # The owner does not go before its own study ends, and takes the other up again for a client.
        resumed = self.begin("resume", second)
        self.ended(resumed)
        self.check_concluded(second, "two")
        self.assertIsNone(owner.poll())
        self.let_go("one")
        self.ended(owner)
        self.check_concluded(first, "one")
        self.check_starts()

    def test_a_client_that_leaves_takes_nothing_along(self):
        owner, first, client, second = self.both_running()
        client.send_signal(signal.SIGTERM)
        self.ended(client, 130)
        self.assertEqual(self.json("show", second)["state"], "running")
        self.let_go("two")
        until(lambda: self.json("show", second)["state"] == "ended")
        self.check_concluded(second, "two")
        self.let_go("one")
        self.ended(owner)
        self.check_concluded(first, "one")

    def test_interrupted_the_owner_leaves_the_clients_study_to_the_client(self):
        owner, first, client, second = self.both_running()
        owner.send_signal(signal.SIGINT)
        until(lambda: self.json("show", first)["state"] == "paused")
        self.let_go("one")
        self.ended(owner, 130)
        self.assertEqual(self.json("show", first)["reason"], "interrupted")
        self.let_go("two")
        self.ended(client)
        self.check_concluded(second, "two")
        self.lines("resume")
        self.check_concluded(first, "one")
        self.check_starts()

    def test_interrupted_before_its_owner_left_a_client_starts_nothing_new(self):
        owner, first, client, second = self.both_running()
        client.send_signal(signal.SIGINT)
        until(lambda: self.json("show", second)["state"] == "paused")
        self.let_go("one")
        self.ended(owner)
        until(lambda: (self.home / "lock").read_text().strip() == str(client.pid))
        self.let_go("two")
        self.ended(client, 130)
        study = self.json("show", second)
        self.assertEqual((study["state"], study["reason"]), ("paused", "interrupted"))
        self.assertEqual(len(self.started(second)), 1)
        self.lines("resume")
        self.check_concluded(second, "two")
        self.check_starts()

    def test_interrupted_as_its_owner_died_a_client_that_takes_its_place_starts_nothing_new(self):
        owner, first, client, second = self.both_running()
        # The owner dies between the client's word and its answer.
        owner.send_signal(signal.SIGSTOP)
        client.send_signal(signal.SIGINT)
        until_signal_is_taken(client, signal.SIGINT)
        owner.kill()
        owner.wait()
        until(lambda: self.json("show", second)["state"] == "paused")
        self.let_go("two")
        self.ended(client, 130)
        self.assertEqual(self.json("show", second)["reason"], "interrupted")
        self.assertEqual(len(self.started(second)), 1)
        self.let_go("one")
        self.lines("resume")
        self.check_concluded(first, "one")
        self.check_concluded(second, "two")
        self.check_starts()

    def test_a_client_of_two_studies_goes_on_with_the_one_that_has_not_ended(self):
        owner, first, client, second = self.both_running()
        for kernel in (client, owner):
            kernel.kill()
            kernel.wait()
        # Before its gate it takes no processor from the others, of which the machine may have two.
        owner = self.begin("run", self.held("three", GATED_STUDY), "-j", "1")
        third = self.id_of("three")
        client = self.begin("resume")
        until(lambda: "resumed" in client.stdout.readline())
        self.let_go("one")
        until(lambda: self.json("show", first)["state"] == "ended", tell=lambda: (
            owner.poll(), client.poll(), self.json("show", first), self.lines("runs", first), self.lines("runs", second)))
        owner.kill()
        owner.wait()
        self.let_go("two")
        out = self.ended(client)
        # What the owner had in hand was nothing that a crash had stopped.
        self.assertEqual(out.count("outcome   concluded"), 2, out)
        self.check_concluded(first, "one")
        self.check_concluded(second, "two")
        self.assertEqual(self.json("show", third)["state"], "running")
        self.let_go("three")
        self.approve_gate_of(third)
        self.lines("resume")
        self.assertEqual(self.json("show", third)["outcome"], "concluded")
        self.check_starts()


if __name__ == "__main__":
    unittest.main()
