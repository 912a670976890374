#!/usr/bin/env python3
"""What the page must know of the kernel's types, apps/web/src/generated.ts, from the kernel's own tables.

  page_types.py           says whether the file is current; exit status 1 if not
  page_types.py --write   writes it"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EVENTS = ROOT / "kernel/domain/events.def"
GENERATED = ROOT / "apps/web/src/generated.ts"


def event_types():
    return re.findall(r"^ETUDE_EVENT\((\w+),", EVENTS.read_text(), re.M)


def generated():
    types = event_types()
    lines = [f'  "{name}",' for name in types]
    return "\n".join(["// Written by tests/page_types.py from kernel/domain/events.def.", "",
                      "/// Every type of event, docs/events.md.", "export const event_types = [", *lines, "] as const;", ""])


def main():
    if "--write" in sys.argv[1:]:
        GENERATED.write_text(generated())
    elif not GENERATED.exists() or GENERATED.read_text() != generated():
        sys.exit("apps/web/src/generated.ts does not say what kernel/domain/events.def says: tests/page_types.py --write")


if __name__ == "__main__":
    main()
