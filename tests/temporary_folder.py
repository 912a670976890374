#!/usr/bin/env python3
"""Prints where tests put their files: in memory, if there is room and programs may run from there, else on the disk.

Tests make and remove thousands of small files. In memory the suite takes a fifth less time. A TMPDIR that is set stays."""
import os
import subprocess
import tempfile

ROOM = 4 << 30


def has_room(folder):
    try:
        of_folder, memory = os.statvfs(folder), open("/proc/meminfo").read()
    except OSError:
        return False
    free = int(memory.split("MemAvailable:")[1].split()[0]) << 10
    return min(of_folder.f_bavail * of_folder.f_frsize, free) > ROOM


def runs_programs(folder):
    try:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            program = os.path.join(own, "program")
            with open(program, "w") as out:
                out.write("#!/bin/sh\n")
            os.chmod(program, 0o700)
            return subprocess.run([program]).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    in_memory = "/dev/shm"
    fits = "TMPDIR" not in os.environ and has_room(in_memory) and runs_programs(in_memory)
    print(in_memory if fits else tempfile.gettempdir())
