"""How long `etude check` and `etude audit` take, and how much memory at most, for large artifacts and for those that were made to
keep their reader busy.

    python3 tests/bench/hostile.py build/etude             the table; exit 1 if a row is beyond its bounds
    python3 tests/bench/hostile.py build/etude zip deep    only the rows whose names contain one of these words
"""
import hashlib
import json
import multiprocessing
import os
import pathlib
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests/e2e/support"))
from forgery import hash_of  # noqa: E402

CLEAN = REPOSITORY / "tests/artifacts/clean"
TREE, CLAIMS, LOG = "trace/exploration_tree.yaml", "logic/claims.md", "trace/events.jsonl"
MILLION = 1_000_000
MEGABYTE = 1 << 20
ROWS = []


def row(what, seconds=10.0, megabytes=1024, verbs=("check",)):
    """A shape: the function makes it in a copy of a small artifact; if it makes artifact.zip beside it, that is checked."""
    def add(make):
        ROWS.append((what, seconds, megabytes, verbs, make))
        return make
    return add


def put(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def record(root, events):
    """An event log of these (type, payload as JSON text), and an etude.json that names it."""
    prev, lines = "0" * 64, []
    for number, (kind, payload) in enumerate(events, 1):
        event = {"study": "s1", "v": 1, "time": number, "boot": number, "actor": "kernel", "type": kind}
        digest = hash_of(event, prev, payload)
        lines.append(f'{{"seq":{number},"study":"s1","v":1,"time":{number},"boot":{number},"actor":"kernel","type":"{kind}",'
                     f'"prev":"{prev}","hash":"{digest}","payload":{payload}}}\n')
        prev = digest
    put(root, LOG, "".join(lines))
    put(root, "etude.json", json.dumps({"etude": 1, "files": {}, "events": {"head": prev, "count": len(lines)}}))


def nodes(number):
    return "tree:\n" + "".join(
        f"  - id: N{i}\n    type: experiment\n    title: \"Step {i}\"\n    support_level: explicit\n"
        f"    source_refs: [\"log {i}\"]\n    result: \"it took {i} ms\"\n    evidence: [C01]\n" for i in range(number))


@row("an artifact of 100 files", seconds=0.03, megabytes=64)
def _(root):
    for i in range(100 - sum(1 for p in root.rglob("*") if p.is_file())):
        put(root, f"src/execution/part{i}.py", f"# Grounding: transcribed\nprint({i})\n")


@row("10,000 nodes", seconds=0.2, megabytes=256)
def _(root):
    put(root, TREE, nodes(10_000))


@row("10,000 claims", seconds=1)
def _(root):
    put(root, CLAIMS, "# Claims\n" + "".join(
        f"\n## C{i:02}: Claim {i}\n- **Statement**: It takes {i} ms.\n- **Conditions**: here\n- **Status**: supported\n"
        f"- **Falsification criteria**: It takes longer.\n- **Proof**: [E01]\n- **Dependencies**: [C01]\n"
        for i in range(1, 10_001)))


@row("an event log of one line of 200 MB without an end", seconds=3)
def _(root):
    record(root, [])
    put(root, LOG, b"x" * (200 * MEGABYTE))


@row("an event of 200 MB of text in one line", seconds=3)
def _(root):
    record(root, [("StudyOpened", '{"text":"' + "x" * (200 * MEGABYTE) + '"}')])


@row("an event of 200 MB of small numbers", seconds=3)
def _(root):
    record(root, [("StudyOpened", '{"list":[' + "1," * (100 * MEGABYTE) + "1]}")])


@row("an event of 200 MB of empty objects", seconds=3)
def _(root):
    record(root, [("StudyOpened", '{"list":[' + "{}," * (66 * MEGABYTE) + "{}]}")])


@row("an event nested 100 million deep", seconds=3)
def _(root):
    record(root, [("StudyOpened", "[" * (100 * MEGABYTE) + "]" * (100 * MEGABYTE))])


@row("an event log of a million lines", seconds=10)
def _(root):
    record(root, [])
    put(root, LOG, "{}\n" * MILLION)


@row("etude.json of 200 MB of small numbers", seconds=5)
def _(root):
    put(root, "etude.json", '{"etude":1,"files":{},"x":[' + "1," * (100 * MEGABYTE) + "1]}")


@row("etude.json that lists a million files", seconds=10)
def _(root):
    put(root, "etude.json", '{"etude":1,"files":{' + ",".join(f'"src/f{i}":"0"' for i in range(MILLION)) + "}}")


@row("folders 10,000 deep", seconds=2, verbs=("check", "audit"))
def _(root):
    (root / "data").mkdir()
    at = os.open(root / "data", os.O_RDONLY)
    for _ in range(10_000):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


@row("200,000 files in one folder", seconds=10)
def _(root):
    (root / "data").mkdir()
    at = os.open(root / "data", os.O_RDONLY)
    for i in range(200_000):
        os.close(os.open(f"{i}.txt", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)


@row("YAML nested 10,000 deep in brackets")
def _(root):
    put(root, TREE, "tree: " + "[{id: N1, children: " * 10_000 + "[]" + "}]" * 10_000)


@row("YAML nested 10,000 deep by indentation")
def _(root):
    put(root, TREE, "tree:\n" + "".join("  " * i + f"- id: N{i}\n" + "  " * i + "  children:\n" for i in range(10_000)))


@row("YAML of ten levels of ten aliases")
def _(root):
    put(root, TREE, "a0: &a0 [lol]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 11))
        + "tree: *a10\n")


@row("YAML of a million aliases of one text")
def _(root):
    put(root, TREE, "b: &b " + "x" * 10_000 + "\ntree: [" + "*b, " * MILLION + "]\n")


@row("YAML of a million anchors")
def _(root):
    put(root, TREE, "tree: [" + ", ".join(f"&a{i} x" for i in range(MILLION)) + "]\n")


@row("front matter of a million keys")
def _(root):
    put(root, "PAPER.md", "---\n" + "".join(f"k{i}: x\n" for i in range(MILLION)) + "---\n# Paper\n")


@row("a page of claims of a million lines")
def _(root):
    put(root, CLAIMS, "# Claims\n\n## C01: One\n" + "- a: [E01]\n" * MILLION)


@row("a report of a million lines with links")
def _(root):
    put(root, "report.md", "[a](b.md)\n" * MILLION)


@row("evidence of a million lines", verbs=("check", "audit"))
def _(root):
    put(root, "evidence/tables/table1.md", "# Table 1\n\n| a |\n|---|\n" + "| 0.4 |\n" * MILLION)


@row("a thousand pages of evidence of 16 MB")
def _(root):
    (root / "evidence/tables").mkdir(exist_ok=True)
    for i in range(1000):
        with open(root / f"evidence/tables/t{i}.md", "wb") as out:
            out.truncate(16 * MEGABYTE)


@row("pipes, sockets, devices and loops of links", seconds=1, verbs=("check", "audit"))
def _(root):
    for name in ("PAPER.md", "etude.json", LOG, "evidence/tables/table1.md", "src/pipe.md"):
        (root / name).unlink(missing_ok=True)
        os.mkfifo(root / name)
    with socket.socket(socket.AF_UNIX) as door:
        here = os.getcwd()
        os.chdir(root)
        door.bind("src/door")
        os.chdir(here)
    for name, number in (("src/zero.md", (1, 5)), ("src/terminal.md", (5, 0)), ("evidence/random.csv", (1, 8))):
        try:
            os.mknod(root / name, 0o666 | stat.S_IFCHR, os.makedev(*number))
        except PermissionError:
            pass  # Only root makes devices.
    (root / "logic/loop").symlink_to("..")
    (root / "logic/a.md").symlink_to("b.md")
    (root / "logic/b.md").symlink_to("a.md")
    (root / "src/zero").symlink_to("/dev/zero")
    for i in range(1000):
        (root / f"src/l{i}.md").symlink_to(f"l{i + 1}.md")


def zipped(root, write):
    place = root.parent / "artifact.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(root))
        write(archive)


@row("a zip of 100,000 entries", seconds=20)
def _(root):
    zipped(root, lambda z: [z.writestr(f"data/{i}.txt", "x") for i in range(100_000)])


@row("a zip of 600,000 entries", seconds=2)
def _(root):
    zipped(root, lambda z: [z.writestr(f"data/{i}", "") for i in range(600_000)])


@row("a zip with a name 100,000 times", seconds=5)
def _(root):
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zipped(root, lambda z: [z.writestr("data/same.txt", "x") for _ in range(100_000)])


@row("a zip of folders 10,000 deep", seconds=5)
def _(root):
    zipped(root, lambda z: z.writestr("d/" * 10_000 + "x", "x"))


@row("a zip of 2 MB that holds 2 GB in one file", seconds=30)
def _(root):
    def bomb(archive):
        with archive.open("evidence/zeros.csv", "w", force_zip64=True) as out:
            piece = bytes(16 * MEGABYTE)
            for _ in range(128):
                out.write(piece)
    zipped(root, bomb)


@row("a zip that would be 64 GB", seconds=60)
def _(root):
    """One member of 16 GB, named by four entries of the directory; each is read to the limit of 8 GB at most."""
    place = root.parent / "artifact.zip"
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece, data = bytes(64 * MEGABYTE), []
    for _ in range(256):
        data.append(packed.compress(piece))
    data.append(packed.flush())
    data = b"".join(data)
    size = 256 * len(piece)
    with open(place, "wb") as out:
        central = b""
        extra = struct.pack("<HHQQ", 1, 16, size, len(data))
        for i in range(4):
            name = f"data/{i}.bin".encode()
            offset = out.tell()
            out.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 0, 8, 0, 33, 0, 0xFFFFFFFF, 0xFFFFFFFF, len(name), len(extra))
                      + name + extra)
            out.write(data)
            central += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, 0, 8, 0, 33, 0, 0xFFFFFFFF, 0xFFFFFFFF, len(name),
                                   len(extra), 0, 0, 0, 0, offset) + name + extra
        start = out.tell()
        out.write(central)
        out.write(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 4, 4, len(central), start, 0))


@row("a zip whose files are pipes, devices and links that lead out", seconds=2)
def _(root):
    def write(archive):
        for name, mode in (("src/pipe", stat.S_IFIFO), ("src/device", stat.S_IFCHR), ("src/out", stat.S_IFLNK)):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (mode | 0o777) << 16
            archive.writestr(info, "/etc/passwd")
    zipped(root, write)


def measured(command):
    """Exit code, processor seconds (others may use the machine), seconds, megabytes at most, and the last words said."""
    start = time.monotonic()
    process = subprocess.Popen(["timeout", "600", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = b""
    while piece := process.stdout.read1(1 << 16):
        said = (said + piece)[-4096:]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (process.returncode, usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024,
            said.decode(errors="replace").rstrip()[-200:])


def main():
    etude, words = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    slower = float(os.environ.get("ETUDE_SLOWER", "1"))  # How much slower than in the table the machine may be.
    beyond = []
    print(f"{'shape':62} {'verb':6} {'exit':>4} {'cpu s':>8} {'allowed':>7} {'wall s':>8} {'MB':>6} {'allowed':>7}")
    for what, seconds, megabytes, verbs, make in ROWS:
        if words and not any(word in what for word in words):
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="etude-hostile-"))
        try:
            shutil.copytree(CLEAN, folder / "ara")
            # In a process of its own: the peak of this one's memory would count for what it starts.
            maker = multiprocessing.get_context("fork").Process(target=make, args=(folder / "ara",))
            maker.start()
            maker.join()
            assert maker.exitcode == 0, what
            artifact = folder / "artifact.zip" if (folder / "artifact.zip").exists() else folder / "ara"
            for verb in verbs:
                tries = [measured([etude, verb, str(artifact)]) for _ in range(9 if seconds < 0.5 else 1)]
                code, took, wall, most, said = sorted(tries, key=lambda t: t[1])[len(tries) // 2]
                print(f"{what:62} {verb:6} {code:4} {took:8.3f} {seconds:7.2f} {wall:8.3f} {most:6.0f} {megabytes:7}", flush=True)
                if took > seconds * slower or most > megabytes or code not in (0, 1, 2):
                    beyond.append(f"{what}, {verb}: exit {code}, {took:.2f} s, {most:.0f} MB: {said}")
        finally:
            subprocess.run(["rm", "-rf", str(folder)], check=False)  # It removes folders that are deeper than a path may be.
    for line in beyond:
        print("beyond its bounds:", line)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
