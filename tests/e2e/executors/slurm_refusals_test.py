"""Studies that a real Slurm cannot run are refused before anything starts, with the reason."""
import pathlib
import subprocess
import unittest

from harness import until
from slurm_case import JOB, STUDY, SlurmCase


def waiting_job():
    return """
import os, time
open(os.environ["ETUDE_CHECKPOINT"] + "/waits", "w").close()
while not os.path.exists(os.environ["ETUDE_CHECKPOINT"] + "/go"):
    time.sleep(0.02)
"""


class Refused(SlurmCase):
    def refused(self, *words, env=None, study=STUDY):
        self.study(study, JOB)
        done = self.etude("run", "study.yaml", code=3, env=env or self.cluster.environment())
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.json("ls"), [])

    def hidden_tool(self):
        """A program that nodes do not have, and the study that needs it."""
        if not self.cluster.hidden:
            self.skipTest("no user namespace to hide a folder from nodes")
        tool = self.cluster.hidden / "bin" / "measure"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text("#!/bin/sh\necho \"{\\\"name\\\": \\\"cost\\\", \\\"value\\\": $2}\" >> $ETUDE_METRICS\n")
        tool.chmod(0o755)
        return tool, STUDY.replace("python3 -S job.py", str(tool))


class Kinds(Refused):
    """Only one of two kinds of nodes has what a study needs."""
    cluster_options = {"hides": ("n2",)}

    def test_one_node_of_each_kind_that_can_have_the_runs_is_asked(self):
        tool, study = self.hidden_tool()
        self.refused("node n2: ", f"it does not have {tool}, which runs need", "choose other nodes by `constraint`", study=study)
        # Slurm sees a moment later that the job which asked has ended.
        until(lambda: not {"PENDING", "RUNNING"} & set(self.cluster.jobs().values()))
        # What n2 cannot have, it need not be ready for: it has less memory, and then another feature.
        for settings, text in (({}, study.replace("timeout: 10m", "timeout: 10m, memory: 7G")), ({"constraint": "first"}, study)):
            self.configure(**settings)
            self.study(text, JOB)
            before = set(self.cluster.jobs())
            runs = self.lines("runs", self.run_study()["id"])
            self.assertEqual({run["node"] for run in runs}, {"n1"})
            self.assertEqual(len(set(self.cluster.jobs()) - before), len(runs) + 1)


class BadInput(Refused):
    cluster_options = {"hides": ("n1", "n2")}

    def with_program(self, name, text):
        """An environment whose PATH has this script first."""
        folder = self.tmp / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("#!/bin/sh\n" + text)
        (folder / name).chmod(0o755)
        env = self.cluster.environment()
        return {**env, "PATH": f"{folder}:{env['PATH']}"}

    def test_a_partition_that_does_not_exist(self):
        self.configure(partition="nowhere")
        self.refused("Slurm has no partition `nowhere`", "it has: main, short, urgent")

    def test_a_node_that_does_not_exist(self):
        self.refused("node n9: ", "Slurm refuses jobs: ", "nvalid node name",
                     study=STUDY.replace("{arm} {seed}", "{arm} {seed} {machine}")
                     .replace("factors:\n", "factors:\n  machine: {levels: [n1, n9]}\n")
                     .replace("timeout: 10m", "timeout: 10m, node: machine"))

    def test_no_shared_folder(self):
        self.config.write_text("executors: {use: slurm}\n")
        self.refused("names no shared folder", "executors: {slurm: {shared: FOLDER}}")
        self.configure(shared=str(self.tmp / "absent"))
        self.refused(f"there is no folder {self.tmp}/absent")

    def test_options_that_slurm_refuses(self):
        self.configure(constraint="no-such-feature")
        self.refused("Slurm would refuse every job", "nvalid feature specification")

    def test_a_slurm_that_answers_nonsense(self):
        self.refused("sinfo answered what cannot be read: `hello`", env=self.with_program("sinfo", "echo hello\n"))

    def test_a_node_without_the_interpreter_of_the_study(self):
        tool, study = self.hidden_tool()
        self.refused(f"it does not have {tool}, which runs need", "install it there under the same path", study=study)

    def test_a_shared_folder_that_nodes_do_not_see(self):
        if not self.cluster.hidden:
            self.skipTest("no user namespace to hide a folder from nodes")
        shared = self.cluster.hidden / "shared"
        shared.mkdir()
        self.configure(shared=str(shared))
        self.refused(f"it does not see the shared folder {shared}", "name a folder that every node sees")
        self.assertEqual([path for path in shared.rglob("*") if "probes" in str(path) and path.is_file()], [])

    def test_a_shared_folder_that_is_full(self):
        small = ["bwrap", "--dev-bind", "/", "/", "--size", "65536", "--tmpfs", self.shared]
        if subprocess.run([*small, "true"], capture_output=True).returncode != 0:
            self.skipTest("no user namespace to make a small disk")
        self.study(STUDY, JOB)
        done = subprocess.run([*small, *self.command("run", "study.yaml")], cwd=self.dir, env=self.cluster.environment(),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("the shared folder cannot be written: No space left on device: free some space there", done.stderr)
        self.assertEqual(self.json("ls"), [])

    def test_no_programs_of_slurm(self):
        env = {**self.cluster.environment(), "PATH": "/nowhere"}
        if pathlib.Path("/usr/bin/sbatch").exists():
            self.skipTest("Slurm's programs are where every system has its programs")
        self.refused("there is no sbatch on PATH", env=env)

    def test_jobs_of_one_executor_are_not_taken_over_by_another(self):
        self.study(STUDY, waiting_job())
        kernel = self.popen("run", "study.yaml", "-j", "1")
        until(lambda: list(self.shared.glob("etude-*/runs/*/*/waits")))
        # A client cannot choose another executor than that of the running kernel.
        other = self.etude("run", "study.yaml", "-o", self.tmp / "other", "--executor", "local", code=3)
        self.assertIn(f"executor local: the kernel that owns this home (process {kernel.pid}) runs jobs by `slurm`: "
                      "say --executor slurm, or end that kernel first", other.stderr)
        self.etude("resume", "s1", "--executor", "local", code=3)
        self.assertEqual(len(self.json("ls")), 1)
        kernel.kill()
        kernel.communicate()
        done = self.etude("resume", "--executor", "local", code=3)
        self.assertIn("jobs of it are on a Slurm cluster: say --executor slurm", done.stderr)
        done = self.etude("gc", "--delete", "--executor", "local", code=3)
        self.assertIn("jobs of it are on a Slurm cluster: say --executor slurm", done.stderr)
        for path in self.shared.glob("etude-*/runs/*/*/waits"):
            (path.parent / "go").touch()
        self.etude("cancel", self.only_id())


if __name__ == "__main__":
    unittest.main()
