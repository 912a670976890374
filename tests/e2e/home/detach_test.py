"""`etude run --detach` and `etude resume --detach`: the kernel goes on without the terminal that started it."""
import json
import os
import signal
import subprocess
import unittest

from harness import PATIENCE, until
from held import HeldTest


class Detach(HeldTest):
    def setUp(self):
        super().setUp()
        self.processes = []

    def tearDown(self):
        for process in self.processes:
            try:
                os.kill(process, signal.SIGTERM)
            except ProcessLookupError:
                pass
        super().tearDown()

    def detach(self, *args, verb="run"):
        said = self.json(verb, *args, "--detach", timeout=PATIENCE)
        self.processes.append(said["process"])
        return said

    def gone(self, process):
        """A process that was somebody else's child may stay as a zombie."""
        try:
            with open(f"/proc/{process}/stat") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True

    def test_it_goes_on_when_the_terminal_is_gone(self):
        # A session with a terminal, whose end sends SIGHUP to all that are left in it.
        leader, follower = os.openpty()
        first = subprocess.Popen(self.command("run", str(self.held("one")), "-j", "2", "--detach", "--yes"), cwd=self.dir,
                                 stdin=follower, stdout=subprocess.PIPE, stderr=follower, start_new_session=True, text=True)
        said, _ = first.communicate(timeout=PATIENCE)
        self.assertEqual(first.returncode, 0, said)
        os.close(follower)
        os.close(leader)
        self.assertIn("study s1: Study one", said)
        self.assertIn("etude watch s1", said)
        process = int(said.split("running   in process ")[1].split(",")[0])
        self.processes.append(process)
        self.assertNotEqual(os.getsid(process), os.getsid(0))
        for stream in (0, 1, 2):
            self.assertFalse(os.readlink(f"/proc/{process}/fd/{stream}").startswith("/dev/pts/"))
        self.until_started("s1", 2)
        os.kill(process, signal.SIGHUP)
        self.let_go("one")
        until(lambda: self.listed()[0]["state"] == "ended")
        until(lambda: self.gone(process))
        self.assertEqual(self.json("show", "s1")["outcome"], "concluded")
        log = (self.home / "detached/s1.log").read_text()
        self.assertIn("outcome   concluded", log)
        self.assertIn("audit     passed", log)
        self.assertEqual(sorted(os.listdir(self.home / "detached")), ["s1.log"])

    def test_other_terminals_steer_it(self):
        said = self.detach(str(self.held("one")), "-j", "1")
        self.assertEqual((said["study"], said["title"], said["log"]), ("s1", "Study one", str(self.home / "detached/s1.log")))
        self.until_started("s1")
        watching = self.begin("watch", "s1")
        self.etude("pause", "s1")
        self.let_go("one")
        self.ended(watching, 130)
        until(lambda: self.gone(said["process"]))
        self.assertEqual(self.json("show", "s1")["reason"], "person")
        self.etude("resume", "s1")
        self.assertEqual(self.json("show", "s1")["outcome"], "concluded")

    def test_sigint_pauses_it_in_order(self):
        said = self.detach(str(self.held("one")), "-j", "1")
        self.until_started("s1")
        os.kill(said["process"], signal.SIGINT)
        until(lambda: self.listed()[0]["state"] == "paused")
        self.let_go("one")
        until(lambda: self.gone(said["process"]))
        self.assertEqual(self.json("show", "s1")["reason"], "interrupted")
        last = json.loads((self.home / "detached/s1.log").read_text().splitlines()[-1])
        self.assertEqual((last["state"], last["reason"]), ("paused", "interrupted"))

    def test_another_kernel_has_the_home(self):
        first = self.begin("run", str(self.held("one")), "-j", "1")
        self.until_started(self.id_of("one"))
        said = self.detach(str(self.held("two")), "-j", "1")
        self.until_started("s2")
        # When that leaves, this one takes its place.
        first.send_signal(signal.SIGTERM)
        self.ended(first, 130)
        self.let_go("two")
        until(lambda: self.json("show", "s2")["state"] == "ended")
        until(lambda: self.gone(said["process"]))
        self.let_go("one")
        self.etude("resume", "s1")

    def test_paused_studies_go_on_without_a_terminal(self):
        kernels = []
        for name in ("one", "two"):
            kernels.append(self.begin("run", self.held(name), "-j", "1"))
            self.until_started(self.id_of(name))
        for kernel in kernels[::-1]:
            kernel.send_signal(signal.SIGINT)
        until(lambda: [study["state"] for study in self.listed()] == ["paused", "paused"])
        self.let_go("one", "two")
        for kernel in kernels:
            self.ended(kernel, 130)
        self.assertIn("ninety", self.etude("resume", "ninety", "--detach", code=2).stderr)
        for name in ("one", "two"):
            (self.tmp / f"{name}.hold").touch()
        # What an interrupt stopped, all of it in one process.
        said = self.detach(verb="resume")
        self.assertEqual(said["studies"], ["s1", "s2"])
        until(lambda: [study["state"] for study in self.listed()] == ["running", "running"])
        self.assertNotEqual(os.getsid(said["process"]), os.getsid(0))
        self.etude("pause", "s2")
        self.let_go("one", "two")
        until(lambda: self.gone(said["process"]))
        self.assertEqual([study["state"] for study in self.listed()], ["ended", "paused"])
        # And one by its id.
        text = self.etude("resume", "s2", "--detach").stdout
        self.assertIn("study s2: Study two\nrunning   in process ", text)
        self.processes.append(int(text.split("in process ")[1].split(",")[0]))
        until(lambda: self.listed()[1]["state"] == "ended")
        until(lambda: self.gone(self.processes[-1]))
        self.assertIn("outcome   concluded", (self.home / "detached/s2.log").read_text())

    def test_errors_before_the_start_are_shown(self):
        bad = self.held("one")
        bad.write_text(bad.read_text().replace("min: 3", "min: -3"))
        done = self.etude("run", bad, "--detach", code=2)
        self.assertIn("study.yaml:", done.stderr)
        self.assertEqual(self.listed(), [])
        # Found only by the kernel, in the other process.
        asks = self.held("two")
        asks.write_text(asks.read_text().replace("timeout: 20m", "timeout: 20m, gpus: 4096"))
        alone = self.etude("run", asks, code=None)
        done = self.etude("run", asks, "--detach", code=alone.returncode)
        self.assertEqual((alone.returncode, done.stderr), (3, alone.stderr))
        self.assertEqual(done.stdout, "")
        self.assertEqual(os.listdir(self.home / "detached"), [])
        lost = self.tmp / "file"
        lost.write_text("no folder\n")
        done = subprocess.run([*self.command()[:1], "--home", str(lost), "run", str(self.held("three")), "--detach"],
                              capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(str(lost), done.stderr)


if __name__ == "__main__":
    unittest.main()
