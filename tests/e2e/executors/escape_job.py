"""Tries one way to leave the sandbox, named by its first argument. Prints what it reached as JSON lines."""
import ctypes
import errno
import glob
import json
import os
import signal
import socket
import stat
import sys
import time

TRICK, WORLD, PORT, VICTIM, DEVICE = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
OUT, METRICS = os.environ["ETUDE_OUTPUT"], os.environ["ETUDE_METRICS"]
HOME = WORLD + "/home"
libc = ctypes.CDLL(None, use_errno=True)
got = []


def attempt(what, action):
    """Reports the value that the function returns, which was reached."""
    try:
        found = action()
    except OSError as e:
        print(json.dumps({"tried": what, "refused": errno.errorcode.get(e.errno, str(e))}))
        return None
    if found not in (None, False, [], "", b""):
        got.append(what)
        print(json.dumps({"tried": what, "got": str(found)[:200]}))
    return found


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "libc")
    return True


def read(path):
    with open(path, "rb") as file:
        return file.read(1 << 20)


def write(path, text="escaped"):
    with open(path, "w") as file:
        file.write(text)
    return path


def metric(value):
    with open(METRICS, "a") as out:
        out.write(json.dumps({"name": "got", "value": value}) + "\n")


def read_key():
    for path in (WORLD + "/person/.ssh/id_ed25519", os.path.expanduser("~/.ssh/id_ed25519"), "/root/.ssh/id_ed25519"):
        attempt("read " + path, lambda: read(path))


def read_store():
    for name in ("etude.db", "lock", "token", "kernel.sock"):
        attempt("see " + name, lambda: os.stat(f"{HOME}/{name}"))
    attempt("read the store", lambda: read(HOME + "/etude.db")[:16])
    attempt("list the home", lambda: os.listdir(HOME))


def other_runs():
    attempt("list runs", lambda: glob.glob(HOME + "/runs/*/*/job"))
    attempt("list workspaces", lambda: glob.glob(HOME + "/workspaces/*"))
    attempt("leave the run folder", lambda: glob.glob("/etude/work/../../runs/*"))


def environments():
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        attempt("read " + path.split("/")[-1], lambda: [w for w in read(path).split(b"\0") if b"canary-env" in w])


def own_environment():
    attempt("own environment", lambda: [v for v in os.environ.values() if "canary" in v])


def unix_sockets():
    word = WORLD.rsplit("-", 1)[-1]
    for path in (WORLD + "/live.sock", f"/run/etude-{word}.sock", HOME + "/kernel.sock", "\0etude-" + word):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(60)
        attempt("connect to " + path.strip("\0"), lambda: client.connect(path) or client.send(b"escaped"))


def network():
    client = socket.socket()
    client.settimeout(60)
    attempt("connect to loopback", lambda: client.connect(("127.0.0.1", PORT)) or client.send(b"escaped"))
    attempt("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9)))


def write_outside():
    places = ["/etc/etude-escape", "/usr/etude-escape", "/etude-escape", "/root/etude-escape", "/dev/etude-escape",
              WORLD + "/etude-escape", HOME + "/etude-escape", "/proc/sys/kernel/core_pattern", "/etude/params.json"]
    for path in places:
        attempt("write " + path, lambda: write(path))
    attempt("chmod /dev/null", lambda: os.chmod("/dev/null", 0o600) or True)


def remount():
    MS_REMOUNT, MS_BIND = 32, 4096
    for place in (b"/", b"/usr", b"/proc", b"/etude/work/evaluate.py"):
        attempt("remount " + place.decode(),
                lambda: checked(libc.mount(None, place, None, MS_REMOUNT | MS_BIND, None)))
        attempt("unmount " + place.decode(), lambda: checked(libc.umount2(place, 2)))
    attempt("mount tmpfs", lambda: checked(libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)))
    attempt("user namespace", lambda: checked(libc.unshare(0x10000000 | 0x20000)))
    attempt("chroot", lambda: os.chroot("/tmp") or True)


def make_node():
    for kind, device in ((stat.S_IFBLK, DEVICE), (stat.S_IFCHR, os.makedev(1, 1))):
        path = f"/tmp/node{device}"
        attempt("mknod", lambda: os.mknod(path, 0o600 | kind, device) or read(path)[:16] or True)


def kill_everyone():
    metric(0)
    if read("/proc/1/comm") != b"etude-init\n":
        return got.append("there is no namespace: not tried")
    attempt("kill the victim", lambda: os.kill(VICTIM, signal.SIGKILL) or True)
    try:
        os.kill(-1, signal.SIGKILL)
    except OSError as e:
        print(e)


def trace():
    PTRACE_ATTACH = 16
    for pid in (VICTIM, 1, os.getppid()):
        attempt("ptrace", lambda: checked(libc.ptrace(PTRACE_ATTACH, pid, None, None)))
        attempt("read memory", lambda: read(f"/proc/{pid}/mem"))


def daemons():
    word = WORLD.rsplit("-", 1)[-1]
    begun, begin = os.pipe()
    # The only end that the daemons have, and which closes when they become what they want to be.
    os.dup2(begin, 100, inheritable=False)
    os.close(begin)
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 100)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                os.execvp("python3", ["python3", "-c", "import time; time.sleep(86400)", "escaped-" + word])
            os._exit(0)
    os.close(100)
    os.read(begun, 1)


def bomb():
    for _ in range(13):  # 8,192 processes, for a limited time, so that the machine survives if the sandbox fails.
        os.fork()
    time.sleep(300)


def fill_disk():
    with open(OUT + "/big", "wb") as file:
        for _ in range(4000):
            file.write(b"x" * (1 << 20))


def loud():
    block = (b"%015d\n" % 7) * (1 << 16)
    for _ in range(10 * 1024):
        os.write(1, block)
    sys.stdout.flush()


def many_files():
    for i in range(50_000):
        os.close(os.open(f"{OUT}/{i:05}.txt", os.O_CREAT | os.O_WRONLY))


def links():
    secret = WORLD + "/person/.ssh/id_ed25519"
    os.symlink(secret, OUT + "/link.txt")
    os.symlink("../../..", OUT + "/folder")
    os.mkfifo(OUT + "/pipe")
    attempt("hard link to the key", lambda: os.link(secret, OUT + "/hard.txt") or "linked")
    attempt("hard link to the system", lambda: os.link("/etc/passwd", OUT + "/passwd") or "linked")
    attempt("hard link to the parameters", lambda: os.link(os.environ["ETUDE_PARAMS"], OUT + "/params") or "linked")


def metrics_in_place_of(make):
    def replace():
        if os.path.lexists(METRICS):  # In the sandbox it is there.
            os.remove(METRICS)
        make()
        return "replaced"
    return lambda: attempt("replace the metrics file", replace)


def protected():
    attempt("write", lambda: write("evaluate.py"))
    attempt("append", lambda: open("evaluate.py", "a").write("#"))
    attempt("chmod", lambda: os.chmod("evaluate.py", 0o777) or True)
    attempt("rename over", lambda: os.rename(write("mine.py"), "evaluate.py") or True)
    attempt("delete", lambda: os.remove("evaluate.py") or True)
    attempt("rename its folder", lambda: os.rename("lib", "old") or True)
    attempt("delete in a folder", lambda: os.remove("lib/deep/grade.py") or True)


SECRET = WORLD + "/person/.ssh/id_ed25519"
TRICKS = {
    "nothing": lambda: None, "read-key": read_key, "read-store": read_store, "other-runs": other_runs,
    "environments": environments, "own-environment": own_environment, "unix-sockets": unix_sockets, "network": network,
    "write-outside": write_outside, "remount": remount, "mknod": make_node, "kill-everyone": kill_everyone,
    "ptrace": trace, "daemons": daemons, "fork-bomb": bomb, "fill-disk": fill_disk, "loud": loud,
    "many-files": many_files, "links": links, "protected": protected,
    "metrics-symlink": metrics_in_place_of(lambda: os.symlink(SECRET, METRICS)),
    "metrics-hard-link": metrics_in_place_of(lambda: os.link(SECRET, METRICS)),
    "metrics-fifo": metrics_in_place_of(lambda: os.mkfifo(METRICS)),
    "metrics-folder": metrics_in_place_of(lambda: os.mkdir(METRICS)),
    "metrics-device": metrics_in_place_of(lambda: os.mknod(METRICS, 0o600 | stat.S_IFCHR, os.makedev(1, 5))),
}
TRICKS[TRICK]()
if TRICK != "kill-everyone" and not got:
    metric(0)
elif got and not TRICK.startswith("metrics"):
    metric(len(got))
print(json.dumps({"trick": TRICK, "all": got}))
