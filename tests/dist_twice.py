#!/usr/bin/env python3
"""dist_twice.py [ARCHIVE ARCHIVE]: whether `make dist` gives the same bytes in two folders; otherwise, which members differ.

Without archives it clones HEAD into two folders whose paths have different lengths, and builds both. The second build does not
use the compiler cache, which would give it the objects of the first. Exits 1 if the archives differ."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = {"a": {}, "a-longer-folder/of-another-depth": {"CCACHE_DISABLE": "1"}}


def built(folder, environment, commit):
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    subprocess.run(["git", "checkout", "-q", "--detach", commit], cwd=folder, check=True)
    subprocess.run(["make", "-s", "dist"], cwd=folder, check=True, env=os.environ | environment, stdout=sys.stderr)
    return next((folder / "build/dist").glob("*.tar.gz"))


def members(archive):
    """Path → what the archive holds of it: its metadata and its bytes."""
    with tarfile.open(archive) as tar:
        return {m.name: ({"type": m.type, "mode": oct(m.mode), "time": m.mtime, "owner": (m.uid, m.gid, m.uname, m.gname),
                          "link": m.linkname}, tar.extractfile(m).read() if m.isfile() else b"") for m in tar}


def sections(content):
    """Name → hash of each section of an ELF file; none for other files."""
    if not content.startswith(b"\x7fELF"):
        return {}
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        table = subprocess.run(["readelf", "-SW", file.name], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^\s*\[\s*\d+\] (\S+)\s+(\S+)\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", table, re.M)
    return {name: hashlib.sha256(content[int(at, 16):int(at, 16) + int(size, 16)]).hexdigest()
            for name, kind, at, size in rows if kind != "NOBITS"}


def difference(one, other):
    """What differs between two members, in words."""
    (meta, content), (other_meta, other_content) = one, other
    found = [f"{key} {meta[key]} and {other_meta[key]}" for key in meta if meta[key] != other_meta[key]]
    if content != other_content:
        at = next((i for i, (a, b) in enumerate(zip(content, other_content)) if a != b), min(len(content), len(other_content)))
        found.append(f"{len(content)} and {len(other_content)} bytes, from byte {at} on: {content[at:at + 60]!r} and "
                     f"{other_content[at:at + 60]!r}")
        parts, other_parts = sections(content), sections(other_content)
        if names := sorted(n for n in parts.keys() | other_parts.keys() if parts.get(n) != other_parts.get(n)):
            found.append(f"sections {', '.join(names)}")
    return "; ".join(found)


def compare(one, other):
    """Prints both hashes and what differs; whether nothing does."""
    hashes = [hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() for path in (one, other)]
    for digest, path in zip(hashes, (one, other)):
        print(f"{digest}  {path}")
    if hashes[0] == hashes[1]:
        return True
    left, right = members(one), members(other)
    for name in sorted(left.keys() | right.keys()):
        if name not in left or name not in right:
            print(f"{name}: only in {one if name in left else other}")
        elif words := difference(left[name], right[name]):
            print(f"{name}: {words}")
    if left == right:
        print("the members are the same, but their order or packing differs")
    return False


def main():
    if len(sys.argv) == 3:
        return 0 if compare(*sys.argv[1:]) else 1
    with tempfile.TemporaryDirectory(prefix="etude-dist-") as scratch:
        # A commit that is made meanwhile would give the second archive another time.
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        archives = [built(pathlib.Path(scratch, folder), environment, commit) for folder, environment in FOLDERS.items()]
        return 0 if compare(*archives) else 1


if __name__ == "__main__":
    sys.exit(main())
