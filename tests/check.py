#!/usr/bin/env python3
"""The short loop: builds what changed and runs the tests of the folders that changed.

  check.py BUILD             since the last commit that `origin` has, or else since HEAD: formatting, rooms, build, tests
  check.py BUILD --only NAME builds and runs one test: a ctest name (kernel_verdicts, e2e_lifecycle_test, cases_cli), or
                             NAME:"part of a test case's name" for a Catch2 program

The tests of a changed file are the program whose folder below tests/ mirrors the file's folder best. If a header changed,
the programs of the rooms that may include it run as well. A changed script of tests/e2e runs itself."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import layers  # noqa: E402

# What end-to-end tests start or preload.
FOR_END_TO_END = ["etude", "etude-supervisor", "nvml_fake", "nvml_fake_old", "pushed_clock"]


def git(*words):
    out = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return out.stdout.split() if out.returncode == 0 else []


def changed_files():
    base = git("merge-base", "HEAD", "@{upstream}") or ["HEAD"]
    return sorted(set(git("diff", "--name-only", "--diff-filter=d", base[0]) + git("ls-files", "-o", "--exclude-standard")))


def programs():
    """The folders of the Catch2 programs."""
    return sorted(layers.test_programs(layers.read_rooms()), key=len, reverse=True)


def program_of(folder, known):
    """The program that mirrors a folder, or the nearest folder above it that has one."""
    while folder:
        if folder in known:
            return folder
        folder = folder.rpartition("/")[0]
    return None


def mirror(folder):
    return folder[5:] if folder.startswith("apps/") else folder


def tests_for(files, known):
    rooms = layers.read_rooms()
    tests = set()
    for name in files:
        folder = name.rpartition("/")[0]
        if name.startswith("tests/e2e/") and name.endswith("_test.py"):
            tests.add("e2e_" + pathlib.Path(name).stem)
        elif name.startswith("tests/cases/"):
            tests.add("cases_cli")
        elif name.startswith("tests/") and name.endswith((".cc", ".h")):
            tests.add(program_of(folder[6:], known))
        elif name.endswith((".cc", ".h")):
            near = {folder}
            if name.endswith(".h"):
                near |= {room for room, uses in rooms.items() if folder in uses}
            for room in near:
                tests.add(program_of(mirror(room), known) or ("kernel/studies" if room.startswith("kernel/") else None))
    return sorted(t.replace("/", "_") for t in tests if t)


def run(words, **options):
    started = time.monotonic()
    code = subprocess.run(words, cwd=ROOT, **options).returncode
    return code, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", metavar="NAME")
    args = parser.parse_args()
    known = programs()
    if args.only:
        name, _, case = args.only.partition(":")
        tests, files = [name], []
        if name not in [k.replace("/", "_") for k in known] and not name.startswith(("e2e_", "cases_", "saboteur", "bench_")):
            print(f"no test is called {name}: one of {', '.join(sorted(k.replace('/', '_') for k in known))}, "
                  "e2e_NAME_test, cases_cli, saboteur")
            return 2
    else:
        case, files = "", changed_files()
        tests = tests_for(files, known)
        sources = [f for f in files if f.endswith((".cc", ".h"))]
        if sources and run(["clang-format-14", "--dry-run", "-Werror", *sources])[0]:
            return 1
        if run([sys.executable, "tests/layers.py"])[0]:
            return 1
    units = [t for t in tests if t in {k.replace("/", "_") for k in known}]
    targets = [f"test_{t}" for t in units] + (FOR_END_TO_END if len(units) < len(tests) or not tests else [])
    print(f"building {' '.join(targets)}", flush=True)
    code, seconds = run(["cmake", "--build", args.build, "--target", *targets, "--", "--quiet"])
    if code:
        return code
    print(f"built in {seconds:.0f} s; tests: {' '.join(tests) or 'none of what changed has any'}", flush=True)
    if case:
        return run([f"{args.build}/test_{tests[0]}", f"*{case}*"])[0]
    if not tests:
        return 0
    pattern = "^(" + "|".join(re.escape(t) for t in tests) + ")$"
    return run(["ctest", "--test-dir", args.build, "--output-on-failure", "--no-tests=error", "-R", pattern,
                "-j", str(os.cpu_count() or 1)])[0]


if __name__ == "__main__":
    sys.exit(main())
