"""What Slurm does to a job is its end, and a controller or accounting that does not answer is waited for: with a real Slurm.

ETUDE_SLURM_LONG: also what takes minutes, and what only accounting knows."""
import shutil
import signal
import unittest

from harness import until
from slurm_case import LONG, STUDY, Waiting, needs_accounting


class Ends(Waiting):
    """What Slurm does to a job while it waits."""

    def test_a_job_that_slurm_preempts_runs_again(self):
        kernel = self.begin()
        until(self.waiting)
        job, _ = self.newest()
        for node in ("n1", "n2"):
            self.cluster.run("sbatch", "-p", "urgent", "-w", node, "--exclusive", "--wrap", "sleep 1")
        first = self.first_ends()
        self.assertEqual(first["state"], "lost")
        self.assertIn(f"it was preempted (Slurm job {job} on", first["reason"])

    def test_a_job_that_a_person_ends_in_slurm_is_cancelled(self):
        kernel = self.begin()
        until(self.waiting)
        job, _ = self.newest()
        self.cluster.run("scancel", job)
        first = self.first_ends()
        self.assertEqual(first["state"], "cancelled")
        self.assertIn("its Slurm job was cancelled, not by etude", first["reason"])

    def test_what_a_living_job_needs_is_not_collected(self):
        kernel = self.begin()
        until(self.waiting)
        kernel.kill()
        kernel.wait()
        self.etude("gc", "--delete")
        root = next(self.shared.glob("etude-*"))
        self.assertEqual([len(list((root / kind).iterdir())) for kind in ("workspaces", "programs")], [1, 1])
        runs = self.finish(self.popen("resume", "-j", "4"))
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})

    def test_a_folder_that_an_ended_run_left_cancels_no_job_submitted_with_it(self):
        kernel = self.begin("-j", "2")
        until(lambda: len(self.waiting()) == 2)
        self.assertEqual(len(set(self.cluster.run("squeue", "-h", "-r", "-t", "R", "-o", "%F").split())), 1, "one array")
        folder = self.waiting()[0]
        launch = folder.name.removeprefix("checkpoint-")
        kept = self.tmp / "kept"
        shutil.copytree(self.home / "runs/s1" / launch, kept)
        (folder / "go").touch()
        until(lambda: not (self.home / "runs/s1" / launch).exists())
        kernel.kill()
        kernel.wait()
        # As if the kernel had been killed before it removed the folder.
        shutil.copytree(kept, self.home / "runs/s1" / launch)
        kernel = self.popen("resume", "-j", "4")
        until(lambda: not (self.home / "runs/s1" / launch).exists())
        runs = self.finish(kernel)
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})
        self.assertEqual({run["attempt"] for run in runs}, {1})

    def test_a_node_that_is_drained_ends_its_job_and_gets_no_other(self):
        kernel = self.begin()
        until(self.waiting)
        job, node = self.newest()
        self.cluster.run("scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=test")
        self.addCleanup(self.cluster.run, "scontrol", "update", f"NodeName={node}", "State=RESUME")
        runs = self.finish(kernel)
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})
        lines = self.cluster.run("squeue", "-h", "-r", "-t", "all", "-o", "%i %N").splitlines()
        had_nodes = [line.split() for line in lines if len(line.split()) == 2]
        later = {where for number, where in had_nodes if int(number.split("_")[0]) > int(job.split("_")[0])}
        self.assertEqual(later, {"n1", "n2"} - {node})

    def test_a_study_waits_for_nodes_that_are_all_drained(self):
        self.cluster.run("scontrol", "update", "NodeName=n1,n2", "State=DRAIN", "Reason=test")
        self.addCleanup(self.cluster.run, "scontrol", "update", "NodeName=n1,n2", "State=RESUME", check=False)
        kernel = self.begin()
        until(lambda: [job for job, state in self.cluster.jobs().items() if state == "PENDING"])
        self.assertIsNone(kernel.poll())
        self.cluster.run("scontrol", "update", "NodeName=n1,n2", "State=RESUME")
        until(self.waiting)
        self.assertEqual({run["state"] for run in self.finish(kernel)}, {"succeeded"})


class KilledController(Waiting):
    """Its nodes keep the numbers that it forgets, so it has a cluster of its own."""

    def test_a_controller_that_is_killed_forgets_jobs_which_run_again_and_are_not_cancelled(self):
        kernel = self.begin("-j", "2")
        until(lambda: len(self.waiting()) == 2)
        self.cluster.stop("slurmctld", signal.SIGKILL)
        self.cluster.start_controller()
        # Nodes say which jobs they have; by themselves they would do so minutes later.
        self.cluster.run("scontrol", "reconfigure")
        runs = self.finish(kernel)
        self.assertEqual({run["state"] for run in runs} - {"succeeded", "lost"}, set(), runs)
        self.assertEqual(self.json("show", "s1")["outcome"], "concluded")

    def test_jobs_wait_for_a_controller_that_is_gone_and_ends_are_seen_meanwhile(self):
        kernel = self.begin()
        until(self.waiting)
        self.cluster.stop("slurmctld", signal.SIGKILL)
        self.release()
        first = self.first_ends()
        self.assertEqual(first["state"], "succeeded", first)
        until(lambda: "jobs wait: Slurm does not answer: " in (self.tmp / "said").read_text())
        self.cluster.start_controller()

        self.finish(kernel)
        self.assertIn("jobs continue", (self.tmp / "said").read_text())
        self.assertEqual([(run["id"], run["state"], run["reason"]) for run in self.lines("runs", "s1")
                          if run["state"] != "succeeded"], [])


class StoppedController(Waiting):
    def test_jobs_wait_for_a_controller_that_answers_late_and_none_starts_twice(self):
        # The jobs count their starts. A job of a launch that was given up is one in Slurm, too, and starts nothing.
        ledger = self.dir / "starts"
        count = 'with open(sys.argv[3], "a") as out:\n    out.write(os.environ["ETUDE_RUN"] + "\\n")\n'
        self.study(STUDY.replace("min: 6, max: 6", "min: 3, max: 3").replace("{arm} {seed}", f"{{arm}} {{seed}} {ledger}")
                   .replace("timeout: 10m", "timeout: 10m, sandbox: none"), self.WAITING + count)
        kernel = self.popen("run", "study.yaml", "-j", "1")
        until(self.waiting)
        # It takes connections and answers none of them, until it goes on and does what it was asked meanwhile.
        self.cluster.send("slurmctld", signal.SIGSTOP)
        self.addCleanup(self.cluster.send, "slurmctld", signal.SIGCONT)
        self.release()
        first = self.first_ends()
        self.assertEqual(first["state"], "succeeded", first)
        until(lambda: "jobs wait: Slurm does not answer: " in (self.tmp / "said").read_text())
        self.cluster.send("slurmctld", signal.SIGCONT)

        runs = self.finish(kernel)
        self.assertIn("jobs continue", (self.tmp / "said").read_text())
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})
        starts = ledger.read_text().split()
        self.assertEqual(len(starts), len(set(starts)))
        self.assertEqual(len(starts), len(runs))


@unittest.skipUnless(LONG, "takes minutes: `make soak` runs it")
class SlowEnds(Waiting):
    """Ends that take Slurm longer than a test of `make test` may."""
    cluster_options = {"cpus": 4, "node_timeout": 6}

    def test_a_job_whose_node_fails_runs_again(self):
        kernel = self.begin()
        until(self.waiting)
        job, node = self.newest()
        self.cluster.kill_node(node)
        self.addCleanup(self.cluster.start_node, node)
        first = self.first_ends()
        self.assertEqual(first["state"], "lost")
        self.assertIn(f"its node failed (Slurm job {job} on {node}", first["reason"])
        self.assertEqual({run["state"] for run in self.finish(kernel)}, {"succeeded", "lost"})

    def test_a_job_that_reaches_slurms_time_limit_has_timed_out(self):
        self.configure(time="1m")
        kernel = self.begin()
        until(self.waiting)
        job, _ = self.newest()
        first = self.first_ends()
        self.assertEqual(first["state"], "timed_out")
        self.assertIn(f"Slurm's time limit ended it (Slurm job {job} on", first["reason"])


@needs_accounting
class Accounting(Waiting):
    """slurmctld forgets ended jobs at once, so that only slurmdbd knows how they ended."""
    cluster_options = {"cpus": 4, "accounting": True, "remembers": 2}

    def forgotten(self, *jobs):
        until(lambda: not set(jobs) & set(self.cluster.jobs()), patience=180)

    def without_kernel(self, *args):
        """Kills the kernel when `-j` jobs wait; the numbers of all jobs that Slurm knows then."""
        kernel = self.begin(*args)
        until(lambda: len(self.waiting()) == int(args[1]))
        kernel.kill()
        kernel.wait()
        return self.cluster.run("squeue", "-h", "-r", "-t", "R", "-o", "%i").split()

    def test_accounting_says_how_a_job_ended_that_slurm_has_forgotten(self):
        [job] = self.without_kernel("-j", "1")
        self.cluster.run("scancel", job)
        self.forgotten(job)
        kernel = self.popen("resume", "-j", "1")
        first = self.first_ends()
        self.assertEqual(first["state"], "cancelled", first)
        self.assertIn(f"its Slurm job was cancelled, not by etude (Slurm job {job} on", first["reason"])
        self.finish(kernel)

    def test_accounting_that_is_gone_is_waited_for_and_its_return_is_noticed(self):
        [job] = self.without_kernel("-j", "1")
        # slurmctld keeps the end for slurmdbd, and forgets the job itself.
        self.cluster.stop("slurmdbd")
        self.cluster.run("scancel", job)
        self.forgotten(job)
        kernel = self.popen("resume", "-j", "1")
        until(lambda: "jobs wait: Slurm's accounting does not answer: " in (self.tmp / "said").read_text())
        self.assertIn(self.lines("runs", "s1")[0]["state"], ("starting", "running"))
        self.cluster.start_accounting()
        first = self.first_ends()
        self.assertEqual(first["state"], "cancelled", first)
        self.assertIn("its Slurm job was cancelled, not by etude", first["reason"])
        self.finish(kernel)
        self.assertIn("jobs continue", (self.tmp / "said").read_text())

    def test_waiting_tasks_that_a_person_cancels_together_are_cancelled(self):
        # One processor is left.
        for node, cpus in (("n1", 3), ("n2", 4)):
            self.cluster.run("sbatch", "-w", node, "-c", cpus, "--output=/dev/null", "--wrap", "sleep 1000")
        kernel = self.begin("-j", "2")
        until(self.waiting)
        jobs = until(lambda: [job for job, state in self.cluster.jobs().items() if "_" in job and state == "PENDING"])
        kernel.kill()
        kernel.wait()
        self.cluster.run("scancel", jobs[0].split("_")[0])
        self.forgotten(*jobs)
        self.popen("resume", "-j", "2")

        def both_ended():
            runs = self.lines("runs", "s1")[:2]
            return all(run["state"] not in ("queued", "starting", "running") for run in runs) and runs

        for run in until(both_ended):
            self.assertEqual(run["state"], "cancelled", run)
            self.assertIn("its Slurm job was cancelled, not by etude", run["reason"])


if __name__ == "__main__":
    unittest.main()
