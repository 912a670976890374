#!/usr/bin/env python3
"""Runs the case folders below a folder against the real binary: run_cases.py ETUDE FOLDER [NAME…] [--update]

A case is a folder NAME with
  cmd    shell commands; `etude` is the binary, the working directory a fresh copy of the case's folder `in` (or empty)
  out    what they print on stdout     err   on stderr (default: nothing)     code  the exit code (default 0)
  json   instead of `out`: the JSON on stdout; objects may hold more keys, the text "*" stands for any value
  jsonl  instead of `out`: the same for each line; a last line `[...]` stands for any lines
  home   the name of a home from FOLDER/homes, built once, that the commands may only read (default: an empty one);
         $STUDIES is the folder where it was built
In `out` and `err` a line `[...]` stands for any lines, and within a line `*` for any text. Paths, hashes, times and the
version are written as $DIR, $HOME, $HASH, $TIME and $VERSION. A home is built by running FOLDER/homes/NAME/cmd.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TIMEOUT_S = 300


def run(script, cwd, home, bin_dir, studies=None):
    environment = {"PATH": f"{bin_dir}:/usr/local/bin:/usr/bin:/bin", "HOME": str(cwd), "ETUDE_HOME": str(home),
                   "STUDIES": str(studies or cwd),
                   "LC_ALL": "C.UTF-8", "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
    return subprocess.run(["sh", "-c", script], cwd=cwd, env=environment, capture_output=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL)


def normalised(data, cwd, home, version):
    text = data.decode("utf-8", "backslashreplace")
    for path, name in ((home, "$HOME"), (cwd, "$DIR")):
        text = text.replace(str(path), name)
    text = re.sub(r"\b[0-9a-f]{64}\b", "$HASH", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d UTC)", "$TIME", text)
    return re.sub(rf"\b{re.escape(version)}\b", "$VERSION", text)


def matches(expected, actual):
    """Whether `actual` matches `expected` with its wildcards."""
    parts = ["(?:.*\n)*" if line == "[...]" else re.escape(line).replace(r"\*", ".*") + "\n"
             for line in expected.splitlines()]
    return re.fullmatch("".join(parts), actual if actual.endswith("\n") or not actual else actual + "\n") is not None


def json_matches(expected, actual):
    if expected == "*":
        return True
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(k in actual and json_matches(v, actual[k]) for k, v in expected.items())
    if isinstance(expected, list):
        return isinstance(actual, list) and len(expected) == len(actual) and all(map(json_matches, expected, actual))
    return expected == actual and isinstance(expected, bool) == isinstance(actual, bool)


def json_problems(case, out):
    one = (case / "json").exists()
    expected = [read(case / "json")] if one else read(case / "jsonl").splitlines()
    found = [out] if one else out.splitlines()
    if expected[-1].strip() == "[...]":
        expected = expected[:-1]
        found = found[:len(expected)]
    try:
        if json_matches([json.loads(e) for e in expected], [json.loads(f) for f in found]):
            return []
    except ValueError as e:
        return [f"stdout is no JSON ({e}):\n{out}"]
    return [f"stdout is\n{out}"]


def read(path, default=""):
    return path.read_text() if path.exists() else default


class Cases:
    def __init__(self, etude, folder, scratch):
        self.folder, self.scratch, self.homes = folder, scratch, {}
        self.bin_dir = scratch / "bin"
        self.bin_dir.mkdir()
        # Not a link: the binary looks for its supervisor beside itself.
        (self.bin_dir / "etude").write_text(f'#!/bin/sh\nexec "{etude}" "$@"\n')
        (self.bin_dir / "etude").chmod(0o755)
        version = subprocess.run([etude, "--version"], capture_output=True, text=True, check=True).stdout
        self.version = version.split()[1]

    def workplace(self, name, source):
        place = self.scratch / name
        if source.is_dir():
            shutil.copytree(source, place)
        else:
            place.mkdir(parents=True)
        return place

    def home(self, name):
        """A home, and the folder of its studies."""
        if name not in self.homes:
            source = self.folder / "homes" / name
            cwd, home = self.workplace("homes/" + name, source / "in"), self.scratch / ("home-" + name)
            done = run(read(source / "cmd"), cwd, home, self.bin_dir)
            if done.returncode != int(read(source / "code", "0")):
                raise SystemExit(f"home {name}: exit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
            self.homes[name] = (cwd, home)
        return self.homes[name]

    def check(self, case, update):
        cwd = self.workplace("cases/" + case.name, case / "in")
        wanted = read(case / "home").strip()
        studies, home = self.home(wanted) if wanted else (cwd, self.scratch / "home-of" / case.name)
        done = run(read(case / "cmd"), cwd, home, self.bin_dir, studies)
        out, err = (normalised(normalised(data, cwd, home, self.version).encode(), studies, home, self.version)
                    for data in (done.stdout, done.stderr))
        if update:
            for name, text in (("out", "" if list(case.glob("json*")) else out), ("err", err),
                               ("code", f"{done.returncode}\n" if done.returncode else "")):
                if text:
                    (case / name).write_text(text)
                elif (case / name).exists():
                    (case / name).unlink()
            return []
        problems = []
        code = int(read(case / "code", "0"))
        if done.returncode != code:
            problems.append(f"exit {done.returncode}, expected {code}")
        if (case / "json").exists() or (case / "jsonl").exists():
            problems += json_problems(case, out)
        elif not matches(read(case / "out"), out):
            problems.append(f"stdout is\n{out}expected\n{read(case / 'out')}")
        if not matches(read(case / "err"), err):
            problems.append(f"stderr is\n{err}expected\n{read(case / 'err')}")
        return problems


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) < 2:
        raise SystemExit(__doc__)
    etude, folder, names = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]), arguments[2:]
    cases = sorted(path.parent for path in folder.glob("*/cmd") if not names or path.parent.name in names)
    if not cases:
        raise SystemExit(f"no cases in {folder}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="etude-cases-") as scratch:
        runner = Cases(etude, folder, pathlib.Path(scratch).resolve())
        for case in cases:
            problems = runner.check(case, "--update" in sys.argv)
            failed += bool(problems)
            for problem in problems:
                print(f"FAILED {case.name}: {problem}")
    print(f"{len(cases) - failed} of {len(cases)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
