#!/usr/bin/env python3
"""Makes apps/web/src/generated.ts, the page's lists of the types of events and of the states of runs, from
kernel/domain/events.def and kernel/domain/enum_names.def.

  page_types.py           fails with exit status 1 if the file is not current
  page_types.py --write   writes the file"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EVENTS = ROOT / "kernel/domain/events.def"
GENERATED = ROOT / "apps/web/src/generated.ts"


def run_states():
    names = re.search(r'^ETUDE_ENUM\(RunState, \w+,([^)]*)\)', (ROOT / "kernel/domain/enum_names.def").read_text(), re.M)
    return re.findall(r'"(\w+)"', names.group(1))


def event_types():
    return re.findall(r"^ETUDE_EVENT\((\w+),", EVENTS.read_text(), re.M)


def generated():
    types = event_types()
    lines = [f'  "{name}",' for name in types]
    return "\n".join(["// Written by tests/page_types.py from kernel/domain/events.def and kernel/domain/enum_names.def.", "",
                      "/// Every type of event, docs/events.md.", "export const event_types = [", *lines, "] as const;", "",
                      "/// Every state of a run, as in kernel/domain/enum_names.def.",
                      f"export const run_states = {json.dumps(run_states())};", ""])


def main():
    if "--write" in sys.argv[1:]:
        GENERATED.write_text(generated())
    elif not GENERATED.exists() or GENERATED.read_text() != generated():
        sys.exit("apps/web/src/generated.ts is not what kernel/domain/*.def make: run tests/page_types.py --write")


if __name__ == "__main__":
    main()
