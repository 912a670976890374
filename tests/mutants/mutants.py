#!/usr/bin/env python3
"""Breaks the program on purpose, one small change at a time, and says which tests notice.

The `.toml` files beside this script list the changes. Each replaces a snippet of source code, which is searched for in all source folders:
files may move and be renamed as long as the snippet stays unique. Line breaks and indentation do not matter.

    mutants.py check                            every snippet is found exactly once
    mutants.py apply ID                         changes the source tree, for a look with `git diff`
    mutants.py run [ID ...] --build DIR         builds, tests and restores each; all of them without an ID
    mutants.py table --build DIR                the results so far, as Markdown

`run` ends with 1 where a mutant survived, and with 2 where it could not be judged. Standard library only.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import check  # noqa: E402
TABLES = sorted(pathlib.Path(__file__).resolve().parent.glob("*.toml"))
NO_SOURCE = {"tests", "docs", "examples", "node_modules", ".git"}
LIMIT_S = 900


class Unusable(Exception):
    """The mutant cannot be applied or judged."""


def mutants():
    table = [m for path in TABLES for m in tomllib.loads(path.read_text())["mutant"]]
    ids = [m["id"] for m in table]
    twice = sorted({i for i in ids if ids.count(i) > 1})
    if twice:
        raise Unusable("two mutants have one id: " + ", ".join(twice))
    return table


def sources():
    found = []
    for folder, inner, files in os.walk(ROOT):
        inner[:] = [d for d in inner if d not in NO_SOURCE and not d.startswith(("build", "."))]
        found += [pathlib.Path(folder, f) for f in files if f.endswith((".cc", ".h", ".def"))]
    return {path: path.read_text() for path in sorted(found)}


def place_of(mutant, texts):
    """The only file with the snippet, and where in it the snippet lies."""
    pattern = re.compile(r"\s+".join(re.escape(word) for word in mutant["old"].split()))
    places = [(path, match.span()) for path, text in texts.items() for match in pattern.finditer(text)]
    if len(places) != 1:
        names = "".join(f"\n  {path.relative_to(ROOT)}" for path, _ in places)
        raise Unusable(f"{mutant['id']}: its snippet is found {len(places)} times, not once{names}")
    return places[0]


def mutated(mutant):
    """The file and what it holds with the mutant in it."""
    texts = sources()
    path, (begin, end) = place_of(mutant, texts)
    text = texts[path]
    return path, text[:begin] + mutant["new"].strip() + text[end:]


class Applied:
    """A mutant in the source tree, taken out at the end. A run that was killed is cleaned up by the next one."""

    def __init__(self, mutant, build):
        self.path, self.text = mutated(mutant)
        self.original = self.path.read_text()
        self.journal = build / "mutant-in-the-tree.json"

    def __enter__(self):
        self.journal.write_text(json.dumps({"path": str(self.path), "text": self.original}))
        self.path.write_text(self.text)
        return self

    def __exit__(self, *_):
        self.path.write_text(self.original)
        self.journal.unlink()


def clean_up(build):
    journal = build / "mutant-in-the-tree.json"
    if journal.exists():
        left = json.loads(journal.read_text())
        pathlib.Path(left["path"]).write_text(left["text"])
        journal.unlink()
        print("restored", left["path"], "after a run that was killed", file=sys.stderr)


def programs_of(mutant):
    """The Catch2 programs that hold the test files which the filter names; tests/check.py knows them. Or the simulator."""
    if "program" in mutant:
        return [mutant["program"]]
    known, names = check.programs(), set()
    for stem in re.findall(r"\[#(\w+)\]", mutant["filter"]):
        found = [p for p in (ROOT / "tests").rglob(f"{stem}.cc")]
        if len(found) != 1:
            raise Unusable(f"{mutant['id']}: there are {len(found)} files {stem}.cc")
        folder = str(found[0].parent.relative_to(ROOT / "tests"))
        names.add("test_" + check.program_of(folder, known).replace("/", "_"))
    return sorted(names)


def ninja(build, targets):
    return subprocess.run(["nice", "ninja", "-C", str(build), "-j2", *targets], capture_output=True, text=True)


def test_commands(mutant, build):
    if "script" in mutant:
        found = [p for p in (ROOT / "tests").rglob(mutant["script"])]
        if len(found) != 1:
            raise Unusable(f"{mutant['id']}: there are {len(found)} files {mutant['script']}")
        return [["/usr/bin/python3", str(found[0])] + mutant.get("filter", "").split()]
    if "program" in mutant:
        return [[str(build / mutant["program"]), *mutant["arguments"].split()]]
    # -#: each test has its file's name as a tag. -a: ends at the first failure. ~[.]: no benches and no writers of files.
    shown = ",".join(tag + "~[.]" for tag in mutant["filter"].split(","))
    return [[str(build / name), "-#", "-a", shown] for name in programs_of(mutant)]


def says_nothing(command, mutant):
    """Whether the filter selects no test."""
    if "script" in mutant or "program" in mutant:
        return False
    listed = subprocess.run([*command, "--list-test-names-only"], capture_output=True, text=True, cwd=ROOT)
    return not listed.stdout.strip()


def judge(mutant, build):
    targets = ["etude"] if "script" in mutant else programs_of(mutant)
    built = ninja(build, targets)
    if built.returncode:
        raise Unusable(f"{mutant['id']}: {' '.join(targets)} does not build\n{built.stdout[-1500:]}")
    commands = [c for c in test_commands(mutant, build) if not says_nothing(c, mutant)]
    if not commands:
        raise Unusable(f"{mutant['id']}: no test matches {mutant['filter']}")
    env = {**os.environ, "ETUDE": str(build / "etude"), "PYTHONPATH": str(ROOT / "tests/e2e/support")}
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, cwd=ROOT, env=env)
        except subprocess.TimeoutExpired:
            return "caught", f"no end within {LIMIT_S} s"
        if done.returncode:
            return "caught", first_failure(done.stdout + done.stderr)
    return "survived", ""


def first_failure(text):
    """The sentence of the first test that failed, or the promise that the simulator found broken."""
    seed = re.search(r"^seed (\d+): ([^:\n]+)", text, re.M)
    if seed:
        seconds = re.search(r" events in ([0-9.]+) s", text)
        return f"seed {seed[1]}{f', after {seconds[1]} s' if seconds else ''}: {seed[2]}"
    script = re.search(r"^(?:FAIL|ERROR): (\S+)", text, re.M)
    if script:
        return script.group(1)
    # Warnings of tests that passed stand under a title, too.
    titles = re.findall(r"-{79}\n([^\n]+(?:\n(?!-{79})[^\n]+)*)\n-{79}", text.partition("FAILED:")[0])
    return " ".join(titles[-1].split()) if titles else ""


def results_of(build):
    path = build / "mutants.json"
    return path, json.loads(path.read_text()) if path.exists() else {}


def run(table, build):
    clean_up(build)
    path, results = results_of(build)
    worst = 0
    for mutant in table:
        began = time.time()
        try:
            with Applied(mutant, build):
                outcome, by = judge(mutant, build)
        except Unusable as why:
            outcome, by = "unusable", str(why)
        results[mutant["id"]] = {"outcome": outcome, "by": by, "seconds": round(time.time() - began)}
        path.write_text(json.dumps(results, indent=1))
        print(f"{outcome:9} {mutant['id']:28} {results[mutant['id']]['seconds']:4} s  {by}", flush=True)
        worst = max(worst, {"caught": 0, "survived": 1, "unusable": 2}[outcome])
    return worst


def markdown(table, build):
    _, results = results_of(build)
    lines = ["| Mutant | What it breaks | Test | Result | First test that failed |", "|---|---|---|---|---|"]
    for m in table:
        result = results.get(m["id"], {"outcome": "not run", "by": ""})
        test = m.get("script") or m.get("filter") or m["program"]
        lines.append(f"| {m['id']} | {m['breaks']} | {test} | {result['outcome']} | {result['by']} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Seeded faults and the tests that notice them.")
    parser.add_argument("command", choices=["check", "apply", "run", "table"])
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--build", type=pathlib.Path, help="a build folder of this source tree")
    args = parser.parse_args()
    table = mutants()
    unknown = set(args.ids) - {m["id"] for m in table}
    if unknown:
        raise Unusable("there is no mutant " + ", ".join(sorted(unknown)))
    chosen = [m for m in table if not args.ids or m["id"] in args.ids]
    if args.command == "check":
        texts, wrong = sources(), []
        for mutant in chosen:
            try:
                place_of(mutant, texts)
            except Unusable as why:
                wrong.append(str(why))
        print("\n".join(wrong) or f"{len(chosen)} snippets, each found once")
        return 2 if wrong else 0
    if args.command == "apply":
        if len(chosen) != 1:
            raise Unusable("one mutant at a time")
        path, text = mutated(chosen[0])
        path.write_text(text)
        print(path.relative_to(ROOT))
        return 0
    if not args.build or not (args.build / "build.ninja").exists():
        raise Unusable("--build must name a folder in which ninja can build")
    build = args.build.resolve()
    if args.command == "table":
        print(markdown(chosen, build))
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return run(chosen, build)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unusable as why:
        sys.exit(f"mutants.py: {why}")
    except KeyboardInterrupt:
        sys.exit(130)
