"""Makes every attack of the catalogue and every honest study, and prints the result of each.

    ETUDE=build/etude python3 tests/saboteur/run.py [-j N] [--part K/N] [WORDS …]

WORDS: run only those with one of them in the name. --part: run only the Kth of N parts. Exit 1: an attack was neither refused nor flagged, a documented
gap has closed, or an honest study got a finding.
"""
import argparse
import concurrent.futures
import importlib.util
import pathlib
import sys
import textwrap
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from lab import Bench, Lab, NotCaught, NotHere  # noqa: E402


class Case:
    """One file of the catalogue: a docstring with `Tries:` and `Must:`, and a function `attack` or `study`."""

    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(HERE).with_suffix("")).split("/", 1)[1]
        spec = importlib.util.spec_from_file_location("saboteur_" + self.name.replace("/", "_"), path)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        words = " ".join((self.module.__doc__ or "").split())
        self.honest = path.is_relative_to(HERE / "honest")
        self.gap = getattr(self.module, "KNOWN_GAP", "")
        if self.honest:
            self.tries = words
        else:
            tries, must = words.split("Must: ")
            self.tries = tries.split("Tries: ")[1].strip()
            assert must, path

    def make(self, bench):
        """(whether the result is as expected, the result in words, why)."""
        lab = Lab(bench)
        lab.setUp()
        try:
            if self.honest:
                self.module.study(lab)
                return True, "nothing found", ""
            how = self.module.attack(lab)
            assert how, "the attack does not say how it was caught"
            return not self.gap, how if not self.gap else "caught, though it is written down as a gap", how
        except NotHere as e:
            return True, f"not tried: {e}", ""
        except NotCaught as e:
            return bool(self.gap), "NOT CAUGHT", self.gap or str(e)
        except AssertionError as e:
            return False, "NOT CAUGHT" if not self.honest else "FOUND WANTING", str(e)
        except Exception:
            return False, "broke off", traceback.format_exc()
        finally:
            lab.tearDown()


def cases(words):
    found = [Case(p) for p in sorted(HERE.glob("attacks/*/*.py")) + sorted(HERE.glob("honest/*.py"))]
    return [c for c in found if not words or any(word in str(c.path.relative_to(HERE)) for word in words)]


def print_table(rows):
    widths = (38, 62, 66)
    for i, row in enumerate([("attack", "what it tried", "what became of it"), *rows]):
        cells = [textwrap.wrap(text, width) or [""] for text, width in zip(row, widths)]
        for k in range(max(map(len, cells))):
            print("  ".join((c[k] if k < len(c) else "").ljust(w) for c, w in zip(cells, widths)).rstrip())
        if i == 0:
            print("  ".join("-" * w for w in widths))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-j", type=int, default=3)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    begun, bench, all_cases = time.monotonic(), Bench(), cases(options.words)[part - 1::parts]
    try:
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            results = list(pool.map(lambda case: (case, *case.make(bench)), all_cases))
    finally:
        bench.close()
    attacks = [r for r in results if not r[0].honest]
    honest = [r for r in results if r[0].honest]
    wrong = [r for r in results if not r[1]]
    for case, _, how, why in wrong:  # First, so that a log that is cut shows them.
        print(f"{case.path.relative_to(HERE)}: {how}\n{why[-3000:]}\n", flush=True)
    print_table([(case.name, case.tries, how) for case, _, how, _ in attacks])
    print()
    print_table([("honest: " + case.name, case.tries, how) for case, _, how, _ in honest])
    gaps = [(case, why) for case, fine, how, why in attacks if fine and how == "NOT CAUGHT"]
    for case, why in gaps:
        print(f"\nknown gap: {case.name}: {why}")
    print(f"\n{len(attacks)} attacks: {len(attacks) - len(gaps) - sum(not r[0].honest for r in wrong)} refused or flagged, "
          f"{len(gaps)} known gaps; {len(honest)} honest studies; {len(wrong)} not as they should be; "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
