"""A real Slurm on loopback: munged, slurmctld and two slurmd, without systemd, cgroups or root's configuration.

    with Cluster() as cluster:              # own folder, key, ports and SLURM_CONF
        subprocess.run(["sinfo"], env=cluster.environment())

By hand: `python3 slurm_cluster.py FOLDER` starts one, prints its SLURM_CONF, and ends it at end of input. Jobs of a
cluster without cgroups are not held to their memory or GPUs by Slurm."""
import ctypes
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "scontrol")
OF_ACCOUNTING = ("mariadbd", "mariadb-install-db", "slurmdbd", "sacct", "sacctmgr")
PATIENCE = 60
NODE = "ETUDE_TEST_NODE"

CONF = """
ClusterName=etude
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
GresTypes=gpu
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=1
JobAcctGatherType=jobacct_gather/none
{accounting}
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout={node_timeout}
SlurmctldTimeout=30
MessageTimeout=5
KillWait=5
MinJobAge={remembers}
OverTimeLimit=0
PropagateResourceLimits=NONE
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} RealMemory=8000 Feature=first Gres=gpu:toy:2 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} RealMemory=6000 Feature=second Gres=gpu:toy:2 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE PriorityTier=1 State=UP
PartitionName=urgent Nodes=n1,n2 MaxTime=INFINITE PriorityTier=10 PreemptMode=OFF State=UP
PartitionName=short Nodes=n1,n2 MaxTime=1 PriorityTier=1 State=UP
"""

DBD_CONF = """
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser={user}
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser={user}
StorageLoc=slurm
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
"""


def missing(programs=PROGRAMS):
    """The reason why no cluster can run here; empty if one can."""
    lacking = [name for name in programs if not shutil.which(name, path=search_path())]
    return f"no Slurm here: {', '.join(lacking)}" if lacking else ""


def search_path():
    return os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin:/sbin:/bin"


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def is_open(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def descendants(pid):
    parents = {}
    for one in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents.setdefault(int(pathlib.Path("/proc", one, "stat").read_text().rsplit(")", 1)[1].split()[1]), []).append(int(one))
        except OSError:
            pass
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found[1:]


class Cluster:
    def __init__(self, folder=None, cpus=8, node_timeout=30, hides=(), accounting=False, remembers=60):
        """`hides`: nodes that do not see what is in the folder `hidden`, which is none where that cannot be had.
        `accounting`: slurmdbd keeps it in a MariaDB of the cluster's own, which needs OF_ACCOUNTING, too.
        `remembers`: seconds after which the controller may forget an ended job, which it does once a minute."""
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="etude-slurm-"))
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o755)  # munged refuses a folder that others may write to.
        self.cpus, self.node_timeout, self.accounting, self.remembers = cpus, node_timeout, accounting, remembers
        self.conf = self.folder / "slurm.conf"
        self.hides, self.hidden = hides, self.folder / "hidden" if hides else None
        if hides:
            self.hidden.mkdir()
            if subprocess.run([*self.behind(), "true"], capture_output=True).returncode != 0:
                self.hidden = None
        self.processes = {}

    def environment(self):
        return {**os.environ, "SLURM_CONF": str(self.conf), "PATH": search_path()}

    def run(self, *words, check=True):
        done = subprocess.run(list(map(str, words)), env=self.environment(), capture_output=True, text=True, timeout=PATIENCE)
        if check and done.returncode != 0:
            raise RuntimeError(f"{words}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def begin(self):
        host = socket.gethostname().split(".")[0]
        (self.folder / "state").mkdir(exist_ok=True)
        ports = free_ports(4)
        storage = (f"slurmdbd\nAccountingStorageHost=127.0.0.1\nAccountingStoragePort={ports[3]}\n"
                   f"AccountingStoragePass={self.folder}/munge.socket" if self.accounting else "none")
        self.conf.write_text(CONF.format(folder=self.folder, host=host, user=getpass.getuser(), ports=ports,
                                         cpus=self.cpus, node_timeout=self.node_timeout, remembers=self.remembers,
                                         accounting="AccountingStorageType=accounting_storage/" + storage))
        # GPUs by name only: these files stand for their nodes.
        (self.folder / "gres.conf").write_text("NodeName=n1,n2 Name=gpu Type=toy File=/dev/full,/dev/zero\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(256))
        key.chmod(0o400)
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                   f"--pid-file={self.folder}/munge.pid", f"--log-file={self.folder}/munge.log",
                   f"--seed-file={self.folder}/munge.seed", "--num-threads=2")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        if self.accounting:
            self.begin_accounting(host, ports[3])
        self.start_controller()
        for node in ("n1", "n2"):
            self.start_node(node)
        self.wait(lambda: self.run("sinfo", "-h", "-o", "%T", "-p", "main", check=False).split() == ["idle"], "nodes")

    def behind(self):
        """What is written before a node's program."""
        return ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", str(self.hidden), "--"] if self.hidden else []

    def start(self, name, *words, key=None, behind=(), **more):
        log = open(self.folder / f"{key or name}.out", "ab")
        with log:
            self.processes[key or name] = subprocess.Popen(
                [*behind, shutil.which(name, path=search_path()), *words], env={**self.environment(), **more}, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True, cwd="/",
                # It ends with a test that is killed, too: prctl(PR_SET_PDEATHSIG, SIGKILL).
                preexec_fn=lambda: ctypes.CDLL(None).prctl(1, 9))

    def begin_accounting(self, host, port):
        data, user = self.folder / "data", getpass.getuser()
        conf = self.folder / "slurmdbd.conf"
        conf.write_text(DBD_CONF.format(folder=self.folder, host=host, user=user, port=port))
        conf.chmod(0o600)
        # Nobody else may log in: the database's user is that of the socket's other end.
        self.run("mariadb-install-db", "--no-defaults", f"--datadir={data}", f"--user={user}", "--skip-test-db",
                 "--auth-root-authentication-method=socket", f"--auth-root-socket-user={user}")
        self.start("mariadbd", "--no-defaults", f"--datadir={data}", f"--user={user}", "--skip-networking",
                   f"--socket={self.folder}/mariadb.socket", f"--pid-file={self.folder}/mariadb.pid")
        self.wait((self.folder / "mariadb.socket").exists, "mariadbd")
        self.accounting = port
        self.start_accounting()
        self.run("sacctmgr", "--immediate", "add", "cluster", "etude")

    def start_accounting(self):
        self.start("slurmdbd", "-D", MYSQL_UNIX_PORT=f"{self.folder}/mariadb.socket")
        self.wait(lambda: is_open(self.accounting), "slurmdbd")

    def start_controller(self):
        self.start("slurmctld", "-D", "-f", str(self.conf))
        self.wait(lambda: "is UP" in self.run("scontrol", "ping", check=False), "slurmctld")

    def start_node(self, node):
        self.start("slurmd", "-D", "-N", node, "-f", str(self.conf), key=node,
                   behind=self.behind() if node in self.hides else (), **{NODE: node})

    def kill_node(self, node):
        """All processes of the node at once, as if its power failed."""
        self.stop(node)
        for pid in self.steps(node):
            for one in [pid, *descendants(pid)]:
                os.kill(one, signal.SIGKILL)

    def send(self, name, number):
        self.processes[name].send_signal(number)

    def stop(self, name, number=signal.SIGKILL):
        process = self.processes.pop(name)
        process.send_signal(number)
        process.wait(timeout=PATIENCE)

    def wait(self, what, name):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if what():
                return
            time.sleep(0.05)
        logs = "".join(path.read_text(errors="replace")[-2000:] for path in self.folder.glob("*.log"))
        raise RuntimeError(f"{name} does not come up: {logs}")

    def jobs(self):
        """State by job, for those that Slurm still knows."""
        lines = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%i %T").splitlines()
        return dict(line.split() for line in lines)

    def end(self):
        if "slurmctld" in self.processes:
            self.run("scancel", "--user", getpass.getuser(), check=False)
        # Steps have processes of their own, which end with their jobs.
        deadline = time.monotonic() + 10
        while self.steps() and time.monotonic() < deadline:
            time.sleep(0.05)
        for name in list(self.processes):
            self.processes[name].send_signal(signal.SIGCONT)
            self.stop(name)
        for pid in self.steps():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def steps(self, node=""):
        """The processes of slurmstepd of this cluster, or of one of its nodes: their environment names both."""
        found, marks = [], {f"SLURM_CONF={self.conf}".encode()} | ({f"{NODE}={node}".encode()} if node else set())
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if pathlib.Path("/proc", pid, "comm").read_text().startswith("slurmstepd"):
                    if marks <= set(pathlib.Path("/proc", pid, "environ").read_bytes().split(b"\0")):
                        found.append(int(pid))
            except OSError:
                pass
        return found


if __name__ == "__main__":
    why = missing()
    if why:
        sys.exit(why)
    with Cluster(*sys.argv[1:2]) as by_hand:
        print(f"export SLURM_CONF={by_hand.conf}", flush=True)
        sys.stdin.read()
