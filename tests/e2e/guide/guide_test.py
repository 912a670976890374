"""Every command of docs/guide, and what it prints: each page is typed into a shell in an empty home.

Blocks of a page:
  ```console            `$ COMMAND` and its output, as a terminal shows them. A command goes on behind a final `\\` and in a
                        here-document. It must succeed, unless the next one is `echo $?`
  ```LANGUAGE FILE      a file that the reader writes
  any other block       is only shown
  <!-- varies: REGEX -->  before a block: what matches may differ there
In an output, a line `…` stands for any lines, and `…` within a line for any text. Times, sizes, hashes, dates, seeds and
widths of columns may differ, and a decimal number by a factor of two: it comes from fresh seeds. All else must be equal.
ETUDE_GUIDE=NAME tries that page only.
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import unittest

from harness import ETUDE, PATIENCE, EtudeTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs/guide"
END = "--- end of the command: "

DECIMAL = re.compile(r"(?<![\w.])[-+]?\d+\.\d+(?:e[-+]?\d+)?(?![\w.]*\d)")
VARYING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::[\d.]+)?(?:Z| UTC)?)?"), "DATE"),
    (re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])(?:[0-9a-f]{64}|[0-9a-f]{12})\b"), "ID"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:µs|ms|s|min|h|d)\b(?: \d+(?:\.\d+)? (?:ms|s|min|h)\b)*"), "TIME"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:B|kB|MB|GB)(?!\w)"), "SIZE"),
    (re.compile(r"(?<![\w.])\d{6,}(?![\w.])"), "ID"),
    (re.compile(r"< 0\.0001|\b0\.000\d+\b"), "SMALL"),
    (re.compile(r"[ \t]+"), " "),
)


def steps(page):
    """What a page does: ("file", name, text) or ("command", line, text, output, what may differ)."""
    found, block, name, lines, varies = [], None, "", [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if not line.startswith("```"):
            lines.append((number, line))
            if block is None and line:
                said = re.fullmatch(r"<!-- varies: (.*) -->", line)
                varies = said and re.compile(said[1])
        elif block is None:
            block, _, name = line[3:].partition(" ")
            lines = []
        else:
            if block == "console":
                found += [(*command, varies) for command in commands(lines)]
            elif name:
                found.append(("file", name, "".join(text + "\n" for _, text in lines)))
            block = None
    return found


def commands(lines):
    found, until = [], None
    for number, line in lines:
        if until is not None:
            found[-1][2].append(line)
            until = until if line != until[0] and (until[0] or line.endswith("\\")) else None
        elif line.startswith("$ "):
            found.append(["command", number, [line[2:]], []])
            document = re.search(r"<<'(\w+)'", line)
            until = (document[1],) if document else ("",) if line.endswith("\\") else None
        else:
            found[-1][3].append(line)
    return [(kind, number, "\n".join(text), "\n".join(output).rstrip("\n")) for kind, number, text, output in found]


def comparable(text, varies):
    if varies:
        text = varies.sub("VARIES", text)
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def difference(expected, actual, varies):
    """Why `actual` is not what the page shows, or None."""
    expected, actual = comparable(expected, varies), comparable(actual, varies) + "\n"
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
            continue
        parts = [r".*?".join(map(re.escape, part.split("…"))) for part in DECIMAL.split(line)]
        pattern += r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)".join(parts) + r"\n"
        if not re.match(pattern, actual):
            return f"there is no line `{line}`"
    match = re.fullmatch(pattern, actual) if expected else not actual.strip() and re.match("", "")
    if not match:
        return "it prints more than that"
    wanted = [number for line in expected.splitlines() if line.strip() != "…" for number in DECIMAL.findall(line)]
    for shown, found in zip(map(float, wanted), map(float, match.groups())):
        if shown * found < 0 or not abs(shown) / 2 <= abs(found) <= abs(shown) * 2:
            return f"{found:g} instead of {shown:g}"
    return None


class Shell:
    """One bash for a whole page, in which variables, folders and jobs in the background stay."""

    def __init__(self, home):
        bin_dir = home.parent / "bin"
        bin_dir.mkdir()
        # Not a link: the binary looks for its supervisor beside itself.
        (bin_dir / "etude").write_text(f'#!/bin/sh\nexec "{ETUDE}" "$@"\n')
        (bin_dir / "etude").chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ETUDE_"))}
        self.home = home
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=home,
            start_new_session=True, env={**kept, "HOME": str(home), "PATH": f"{bin_dir}:{os.environ['PATH']}"})

    def run(self, command):
        """What it prints, and its exit code."""
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\ncode=$?; printf '\\n{END}%d\\n' $code; (exit $code)\n")
        self.process.stdin.flush()
        printed, watch = [], threading.Timer(2 * PATIENCE, self.close)
        watch.start()
        for line in self.process.stdout:
            if line.startswith(END):
                watch.cancel()
                return "".join(printed).replace(str(self.home), "/home/you"), int(line[len(END):])
            printed.append(line)
        raise AssertionError(f"the shell ended:\n{''.join(printed)}")

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class OtherOutput(AssertionError):
    """A command printed something else than the page shows."""


class Guide(EtudeTest):
    pictures = False

    def follow(self, page, folder):
        home = self.tmp / folder / "you"
        home.mkdir(parents=True)
        (home / "etude").symlink_to(ROOT)
        shell = Shell(home)
        self.addCleanup(lambda: (shell.close(), shell.process.stdin.close(), shell.process.stdout.close()))
        done = steps(page)
        for step, after in zip(done, done[1:] + [("file", "", "")]):
            if step[0] == "file":
                shell.run(f"mkdir -p \"$(dirname {step[1]})\"; cat > {step[1]} <<'END OF FILE'\n{step[2]}END OF FILE")
                continue
            _, number, command, expected, varies = step
            actual, code = shell.run(command)
            where = f"{page.relative_to(ROOT)}:{number}: {command}\n{actual}"
            if after[2:3] != ("echo $?",):
                self.assertEqual(code, 0, where)
            if found := difference(expected, actual, varies):
                raise OtherOutput(f"{where}\n{found}; the page shows\n{expected}")


def add_pages():
    for page in sorted(GUIDE.glob("*.md")):
        if page.stem == "README":
            continue
        name = f"test_{page.stem.replace('-', '_')}"

        def test(self, page=page):
            # Seeds are drawn, so that now and then a number is far from the page's, or a verdict is another.
            try:
                self.follow(page, "first")
            except OtherOutput as other:
                print(f"once more, after\n{other}", file=sys.stderr)
                self.follow(page, "second")
        asked = os.environ.get("ETUDE_GUIDE", page.stem)
        setattr(Guide, name, test if asked == page.stem else unittest.skip(f"ETUDE_GUIDE={asked}")(test))


add_pages()

if __name__ == "__main__":
    unittest.main()
