"""Tests that mount file systems: they run again in a user namespace, where every user may mount."""
import os
import subprocess
import sys
import unittest

INSIDE = "ETUDE_TEST_MAY_MOUNT"


def main(what):
    if os.environ.get(INSIDE):
        unittest.main(module="__main__")
    in_namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    tried = subprocess.run([*in_namespace, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True)
    if tried.returncode != 0:
        print(f"skipped: {what}: no user namespace in which a disk could be mounted:", tried.stderr.strip())
        sys.exit(0)
    os.environ |= {INSIDE: "1", "PYTHONPATH": os.path.dirname(__file__)}
    os.execvp("unshare", [*in_namespace, "/usr/bin/python3", *sys.argv])
