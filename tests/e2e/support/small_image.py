"""Images of Apptainer for tests: a root with busybox and one program, and a SIF file with it, written by its specification."""
import pathlib
import shutil
import struct
import subprocess

BUSYBOX, MKSQUASHFS = pathlib.Path("/usr/bin/busybox"), shutil.which("mksquashfs")

SCALE = """#!/bin/sh
case $1 in a) echo $((5 * SCALE));; *) echo $((9 * SCALE));; esac
"""


def make_root(root):
    """A folder as `apptainer build --sandbox` leaves it. Its program `scale` prints a cost of the tools `a` and `b`."""
    for folder in ("bin", "etc", "opt/bin", "proc", "sys", "dev", "tmp", ".singularity.d/env"):
        (root / folder).mkdir(parents=True)
    shutil.copy(BUSYBOX, root / "bin/busybox")
    for tool in ("sh", "cat", "test", "echo"):
        (root / "bin" / tool).symlink_to("busybox")
    (root / "etc/os-release").write_text('PRETTY_NAME="A small system 7"\n')
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    (root / ".singularity.d/env/90-environment.sh").write_text("export PATH=/opt/bin:/bin SCALE=3\n")
    (root / ".singularity.d/labels.json").write_text('{"org.label-schema.version": "1.4"}')
    (root / "opt/bin/scale").write_text(SCALE)
    (root / "opt/bin/scale").chmod(0o755)


def sif(squashfs):
    """A SIF file with the file system as its primary partition, after a definition file."""
    first, deffile = 32768, b"Bootstrap: scratch\n"
    head = struct.pack("<32s10s3s3s16s8q", b"#!/usr/bin/env run-singularity\n", b"SIF_MAGIC", b"01", b"02", bytes(16),
                       0, 0, 46, 2, 4096, 2 * 585, first, 4096 + len(squashfs))

    def descriptor(kind, number, offset, size, extra=b""):
        return struct.pack("<i?III7q128s384s", kind, True, number, 0xf0000001, 0, offset, size, size, 0, 0, 0, 0, b"",
                           extra)

    table = descriptor(0x4001, 1, first, len(deffile)) + \
        descriptor(0x4004, 2, first + 4096, len(squashfs), struct.pack("<ii3s", 1, 2, b"02"))
    return (head.ljust(4096, b"\0") + table).ljust(first, b"\0") + deffile.ljust(4096, b"\0") + squashfs


def make_image(root, path):
    """A SIF file with what is in the folder. Returns its path."""
    squashfs = path.with_suffix(".squashfs")
    subprocess.run([MKSQUASHFS, root, squashfs, "-noappend", "-quiet", "-no-progress"], check=True, capture_output=True)
    path.write_bytes(sif(squashfs.read_bytes()))
    return path
