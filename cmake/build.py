#!/usr/bin/env python3
"""Builds and reports the progress every five seconds. Compiler output is passed through unchanged.

  build.py BUILD [options of cmake --build]"""
import os
import re
import selectors
import subprocess
import sys
import time

EVERY_S = 5


def main():
    started = told = time.monotonic()
    words = ["cmake", "--build", *sys.argv[1:]]
    build = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
                             env=os.environ | {"NINJA_STATUS": "[%f/%t] "})
    ready = selectors.DefaultSelector()
    ready.register(build.stdout, selectors.EVENT_READ)
    done, rest = "", b""
    while True:
        if ready.select(max(0, told + EVERY_S - time.monotonic())):
            chunk = os.read(build.stdout.fileno(), 65536)
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                step = re.match(rb"\[(\d+)/(\d+)\] ", line)
                if step:
                    done = f"{step[1].decode()} of {step[2].decode()} steps, "
                elif line != b"ninja: no work to do.":
                    print(line.decode(errors="replace"), flush=True)
        if time.monotonic() >= told + EVERY_S:
            told = time.monotonic()
            print(f"building: {done}{told - started:.0f} s", flush=True)
    sys.exit(build.wait())


if __name__ == "__main__":
    main()
