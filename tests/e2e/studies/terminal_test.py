"""What a person meets in the terminal: help with examples, completion, the manual page, and a study on 80 columns."""
import itertools
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import unittest

import fcntl
import termios

from harness import ETUDE, JOB, until
from held import HOLD, HeldTest

SHELLS = ("bash", "zsh", "fish")
# zsh's own functions, which print what they are given.
ZSH = '''
compdef() {}; compset() { PREFIX=${PREFIX#*=} }
_files() { print -r -- FILES }
compadd() { [[ $1 == -- ]] && shift; print -rl -- "$@" }
_describe() { [[ $1 == -o ]] && shift; local array=$2; print -rl -- "${(@P)array}" }
source "$1"; shift
words=("$@"); CURRENT=$#words; PREFIX=${words[-1]}
_etude
'''

WATCHED = '''
etude: 1
title: Watched
question: Which x is best?
kind: optimize
run: python3 -S job.py {x} {seed}
factors: {x: {levels: [1, 2, 3], baseline: 1, type: int}}
metrics: {y: {unit: ms, goal: minimize, primary: true}}
design: {smoke: false, confirm: {top: 1, replicates: 3}}
resources: {timeout: 20m, sandbox: none}
'''
WATCHED_JOB = '''
import os
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write('{"name": "y", "value": 3, "step": 40}\\n')
open(STARTED, "w").close()
''' + HOLD


def screens(said, width=80):
    """The lines of a terminal after each time that the status is removed or drawn anew, as the codes in `said` leave them."""
    lines, row, column, seen = [""], 0, 0, []
    for code, text in re.findall(r"(\x1b\[\d*[A-Z]|[\r\n])|([^\x1b\r\n]+)", said):
        if code == "\n":
            row, column = row + 1, 0  # As the terminal's driver makes it, with \r before it.
            lines += [""] * (row + 1 - len(lines))
        elif code == "\r":
            column = 0
        elif code.endswith("A"):
            row -= int(code[2:-1])
        elif code.endswith("J"):
            seen.append("\n".join(lines))
            lines[row:] = [lines[row][:column]]
        elif code:
            raise AssertionError(f"an unknown code: {code!r}")
        for character in text:
            if column == width:
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            lines[row] = lines[row][:column].ljust(column) + character + lines[row][column + 1:]
            column += 1
    return seen + ["\n".join(lines)]


class TerminalTest(HeldTest):
    def script(self, shell):
        path = self.dir / f"etude.{shell}"
        path.write_text(self.etude("completion", shell).stdout)
        return path

    def environment(self):
        return {**os.environ, "ETUDE_HOME": str(self.home), "PATH": f"{ETUDE.parent}:{os.environ['PATH']}"}

    def completed(self, shell, *words):
        """What the shell offers for the last word, which may be empty."""
        script = self.script(shell)
        command = {"bash": ["bash", "-c", f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _etude etude; '
                                          'printf "%s\\n" "${COMPREPLY[@]}"', "-", "etude", *words],
                   "zsh": ["zsh", "-f", "-c", ZSH, "-", str(script), "etude", *words],
                   "fish": ["fish", "--no-config", "-c", f"source {script}; complete -C '{' '.join(('etude', *words))}'"]}[shell]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return [re.split(r"[:\t]", line)[0] for line in done.stdout.splitlines() if line]

    def test_each_verb_has_examples_and_options_that_bash_completes(self):
        verbs = self.completed("bash", "")
        self.assertGreater(len(verbs), 40)
        grouped = [f"ara {verb}" for verb in self.completed("bash", "ara", "")]
        self.assertIn("ara find", grouped)
        for verb in verbs + grouped:
            said = self.etude("help", *verb.split()).stdout
            self.assertIn("\nExamples:\n  etude " + verb, said, verb)
            shown = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", said, re.M)) | {"--home", "--config", "--json"}
            self.assertEqual(set(self.completed("bash", *verb.split(), "--")), shown | {"--help"}, verb)

    def test_shells_complete_verbs_options_values_and_studies(self):
        self.study()
        self.etude("run", "study.yaml", "-j", "2")
        for shell in SHELLS:
            with self.subTest(shell):
                if not shutil.which(shell):
                    self.skipTest(f"no {shell}")
                self.assertEqual([w for w in self.completed(shell, "sho") if w.startswith("sho")], ["show"])
                self.assertEqual(self.completed(shell, "show", ""), ["s1"])
                self.assertIn("--all", self.completed(shell, "show", "--"))
                self.assertEqual(self.completed(shell, "graph", "s1", "--format", ""), ["text", "dot", "svg", "mermaid", "json"]
                                 if shell != "fish" else sorted(["text", "dot", "svg", "mermaid", "json"]))
                self.assertIn("find", self.completed(shell, "ara", ""))
                self.assertIn("--limit", self.completed(shell, "ara", "find", "--"))
                self.assertEqual(sorted(self.completed(shell, "--home", "x", "completion", "")), ["bash", "fish", "zsh"])
                self.assertNotIn("s1", self.completed(shell, "plan", ""))

    def test_the_manual_page_has_each_verb_and_no_warning(self):
        page = self.dir / "etude.1"
        page.write_text(self.etude("man").stdout)
        page.read_bytes().decode("ascii")
        tools = {"man": ["man", "--warnings", "-E", "UTF-8", "-l", str(page)],
                 "mandoc": ["mandoc", "-T", "lint", "-W", "warning", str(page)]}
        for tool, command in tools.items():
            with self.subTest(tool):
                if not shutil.which(tool):
                    self.skipTest(f"no {tool}")
                done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80"})
                self.assertEqual(done.stderr, "")
                if tool == "mandoc":
                    self.assertRegex(done.stdout, r"\A(mandoc: \S+ WARNING: missing date.*\n)?\Z")
                    continue
                shown = re.sub(r".\x08", "", done.stdout)
                for verb in self.completed("bash", "") + ["ara merge"]:
                    self.assertRegex(shown, rf"(?m)^ +etude {verb}\b", verb)

    def on_terminal(self, *words, narrower_after=None, enough=None, **env):
        """What etude prints on a terminal of 80 columns; of 40 once this was printed. Interrupted when it is enough."""
        code = 0
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen([ETUDE, *words], stdin=its, stdout=its, stderr=its, cwd=self.dir,
                                   env={**self.environment(), "TERM": "xterm", **env})
        os.close(its)
        said = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                more = os.read(ours, 65536)
            except OSError:
                break
            if not more:
                break
            said += more
            if narrower_after and narrower_after in said:
                fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
                self.narrow_from, narrower_after = len(said.decode(errors="ignore").replace("\r\n", "\n")), None
            if enough and enough(said.decode(errors="ignore")):
                process.send_signal(signal.SIGINT)
                enough, code = None, 130
        os.close(ours)
        self.assertEqual(process.wait(), code)
        return said.decode().replace("\r\n", "\n")

    def test_a_study_fits_a_terminal_of_80_columns(self):
        statement = "Fast costs less than half of what slow costs, in each of the sizes that were tried here."
        text = self.study().read_text().replace("Fast costs less than half of slow.", statement)
        self.study(text)
        *while_it_runs, at_last = screens(self.on_terminal("run", "study.yaml", "-j", "2"))
        shown = "\n".join(while_it_runs)
        self.assertRegex(shown, r"(?m)^measuring \[#*\.*\] \d+/\d+ · \d running · \d+ s")
        self.assertRegex(shown, r"(?m)^  r\d+ registered, arm=(fast|slow) n=[12]$")
        self.assertRegex(shown, r"(?m)^  budget · runs \d+ of 100 · time [\d.]+ s of 10 min 0 s$")
        self.assertRegex(at_last, r"(?m)^study s1: ")
        self.assertNotRegex(at_last, r"\d running|budget ·|registered, arm")
        plain = self.on_terminal("show", "s1", NO_COLOR="1")
        self.assertNotIn("\x1b", plain)
        self.assertLessEqual(max(len(line) for line in plain.splitlines() if str(self.dir) not in line), 80)
        self.assertLessEqual(len(plain.splitlines()), 24)
        self.assertIn(statement, " ".join(plain.split()))
        self.assertNotIn("…", plain)
        self.assertIn("\x1b[1;32m✓ supported", self.on_terminal("show", "s1"))
        ascii = self.on_terminal("show", "s1", LC_ALL="C", NO_COLOR="1")
        self.assertTrue(ascii.isascii(), ascii)
        self.assertIn("+ supported", ascii)
        everything = self.etude("show", "s1", "--all").stdout
        self.assertGreater(len(everything.splitlines()), len(plain.splitlines()))
        self.assertIn("head      ", everything)

    def test_a_terminal_that_becomes_narrower_gets_shorter_lines(self):
        # Long enough for several status lines afterwards.
        self.study(job="import time\ntime.sleep(0.1)\n" + JOB)
        said = self.on_terminal("run", "study.yaml", "-j", "1", narrower_after=b"registered, arm=")
        # What is written until the program learns of it is as wide as before.
        later = re.findall(r"measuring \[[^\x1b\r\n]*", said[self.narrow_from:])
        later = list(itertools.dropwhile(lambda line: len(line) > 40, later))
        self.assertGreater(len(later), 3)
        for line in later:
            self.assertLessEqual(len(line), 40, line)
            self.assertTrue(line.endswith("…"), line)

    def test_watch_shows_the_time_and_the_newest_values_between_events(self):
        hold, started = self.tmp / "watched.hold", self.tmp / "started"
        hold.touch()
        self.study(WATCHED, f"HOLD, STARTED = {str(hold)!r}, {str(started)!r}\n" + WATCHED_JOB)
        self.begin("run", "study.yaml", "-j", "1")
        until(started.exists)
        seconds = lambda said: set(re.findall(r"1 running · (\d+) s", said))
        newest = re.compile(r"r1 search, x=\d: y = 3 ms at step 40")
        said = self.on_terminal("watch", "s1", enough=lambda said: newest.search(said) and len(seconds(said)) > 3)
        self.assertRegex(said, newest)
        self.assertGreater(len(seconds(said)), 3)


if __name__ == "__main__":
    unittest.main()
