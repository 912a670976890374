#!/usr/bin/env python3
"""Rooms and their arrows (cmake/rooms.txt): every quoted include must name a room that the including room may use, rooms
and files form no circle, and each layer keeps away from what it must not know. A test program (tests/CMakeLists.txt)
links what its files include and nothing above its own room. Prints each breach as file:line, exits 1.

  layers.py                   the checks above
  layers.py --symbols BUILD   also: no library of BUILD uses a symbol that only a room it may not use defines
  layers.py --draw            rewrites the drawing and the table in docs/architecture.md; without it they must be current"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS_FILE = ROOT / "cmake/rooms.txt"
TESTS_FILE = ROOT / "tests/CMakeLists.txt"
PAGE = ROOT / "docs/architecture.md"
# Headers of libraries that a layer must not include, by the beginning of the room's name.
FORBIDDEN = {
    "base": r"sqlite3|httplib|curl/|boost/|yaml-cpp|CLI/",
    "kernel": r"sqlite3|httplib|curl/|boost/process|yaml-cpp|CLI/",
    "stats": r"sqlite3|httplib|curl/|boost/process|yaml-cpp|nlohmann|CLI/",
    "prose": r"sqlite3|httplib|curl/|boost/|yaml-cpp|nlohmann|CLI/",
    "models": r"sqlite3|httplib|boost/process|yaml-cpp|CLI/",
    "config": r"sqlite3|httplib|curl/|boost/process|CLI/",
    "agents": r"sqlite3|curl/|boost/process|yaml-cpp|CLI/",
    "memory": r"httplib|curl/|boost/process|yaml-cpp|CLI/",
    "programs": r"sqlite3|httplib|curl/|yaml-cpp|nlohmann|CLI/",
    "executors": r"sqlite3|httplib|curl/|boost/process|yaml-cpp|CLI/",
    "studyfile": r"sqlite3|httplib|curl/|boost/process|CLI/",
    "artifacts": r"sqlite3|httplib|curl/|boost/process|CLI/",
    "apps": r"sqlite3|boost/process",
}
# Heavy to compile: no header may bring it along.
FORBIDDEN_IN_HEADERS = r"boost/process|boost/asio"
# What some test programs link beyond what their own room may use.
WHOLE_STUDIES = {"agents/builtin", "kernel/loop", "kernel/measure"}
BEYOND = {"prose": {"stats/basics"},  # Random numbers.
          "kernel/study": {"kernel/wording"},  # The sentences of reasons.
          "kernel/timeline": {"kernel/codec"},  # Recorded logs.
          "kernel/search": WHOLE_STUDIES, "kernel/studies": WHOLE_STUDIES, "kernel/loop": WHOLE_STUDIES,
          "kernel/calibration": WHOLE_STUDIES,
          # Made histories, confirmed by whole studies.
          "histories": {"kernel/decide", "studyfile"},
          # The loop over a store, and the parsers of replies.
          "sim/seeds": {"memory/store", "agents/builtin", "models/protocols"},
          # Their artifacts are made by the package that writes them, and are audited.
          "artifacts/read": {"artifacts/audit"}, "artifacts/write": {"artifacts/check"},
          "artifacts/check": {"artifacts/audit"}, "artifacts/reproduce": {"artifacts/audit"}, "artifacts/forms": {"artifacts/check"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_rooms():
    rooms = {}
    for line in ROOMS_FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, uses = line.split(":")
            rooms[name.strip()] = uses.split()
    return rooms


def circles(graph):
    """The strongly connected components of more than one node (Tarjan 1972)."""
    index, low, stack, on, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
                on.discard(component[-1])
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def check_includes(rooms):
    problems = []
    units = collections.defaultdict(set)
    tops = {room.split("/")[0] for room in rooms}
    files = [p for top in sorted(tops) for p in sorted((ROOT / top).rglob("*")) if p.suffix in (".h", ".cc")]
    for path in files:
        name = str(path.relative_to(ROOT))
        if "/node_modules/" in name:
            continue
        room, unit = name.rsplit("/", 1)[0], name.rsplit(".", 1)[0]
        if room not in rooms:
            problems.append(f"{name}: cmake/rooms.txt does not name the room {room}")
            continue
        units[unit]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            kind, header = found.groups()
            where = f"{name}:{number}"
            if kind == '"' and not header.startswith("embedded/"):
                other = header.rsplit("/", 1)[0]
                if other != room and other not in rooms[room]:
                    problems.append(f"{where}: {room} may not include {header} (cmake/rooms.txt)")
                if not (ROOT / header).exists():
                    problems.append(f"{where}: there is no {header}")
                if header.rsplit(".", 1)[0] != unit:
                    units[unit].add(header.rsplit(".", 1)[0])
            heavy = path.suffix == ".h" and re.match(FORBIDDEN_IN_HEADERS, header)
            if heavy or re.match(FORBIDDEN.get(room.split("/")[0], "$^"), header):
                problems.append(f"{where}: {room} may not know <{header}>")
    problems += [f"rooms form a circle: {' '.join(c)}" for c in circles(rooms)]
    problems += [f"files form a circle of includes: {' '.join(c)}" for c in circles(units)]
    used = collections.defaultdict(set)
    for unit, others in units.items():
        for other in others:
            used[unit.rsplit("/", 1)[0]].add(other.rsplit("/", 1)[0])
    for room, uses in rooms.items():
        idle = [u for u in uses if u not in used[room]]
        if idle:
            problems.append(f"cmake/rooms.txt: {room} includes nothing of {' '.join(idle)}")
    return problems


def closure(rooms, room):
    seen, todo = set(), [room]
    while todo:
        for other in rooms.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def test_programs(rooms):
    """The folder of each Catch2 program below tests/, and the rooms that it links by name."""
    text = TESTS_FILE.read_text()
    libraries = {room.replace("/", "_"): [room] for room in rooms}
    libraries["stats"] = [room for room in rooms if room.startswith("stats/")]
    for shared in ("artifact_samples", "simulator"):
        links = re.search(rf"target_link_libraries\({shared} PUBLIC ([^)]*)\)", text).group(1).split()
        libraries[shared] = [room for name in links for room in libraries.get(name, [])]
    return {folder: [room for name in links.split() for room in libraries[name]]
            for folder, links in re.findall(r"^etude_test\(([\w/]+) LINK ([^)]*)\)", text, re.M)}


def check_tests(rooms):
    problems, programs = [], test_programs(rooms)
    for folder, links in programs.items():
        own = [r for r in rooms if f"{r}/".startswith((f"{folder}/", f"apps/{folder}/"))]
        allowed = set(links).union(*(closure(rooms, link) for link in links))
        for room in own + sorted(BEYOND.get(folder, ())):
            allowed_here = closure(rooms, room) | {room}
            links = [link for link in links if link not in allowed_here]
        problems += [f"tests/CMakeLists.txt: {folder} may not link {link} (BEYOND)" for link in links]
        todo, seen = sorted((ROOT / "tests" / folder).rglob("*.cc")), set()
        while todo:
            path = todo.pop()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if not found or found.group(1) == "<":
                    continue
                header = found.group(2)
                if header.startswith("tests/"):
                    if header not in seen:
                        seen.add(header)
                        todo.append(ROOT / header)
                elif header.rsplit("/", 1)[0] not in allowed:
                    where = f"{path.relative_to(ROOT)}:{number}"
                    problems.append(f"{where}: the tests of {folder} do not link the room of {header}")
    return problems


def check_symbols(rooms, build):
    """Links that includes do not show: a function declared in one room and defined in another."""
    defined, wanted = {}, collections.defaultdict(set)
    for room in rooms:
        library = pathlib.Path(build) / f"lib{room.replace('/', '_')}.a"
        if not library.exists():
            continue
        out = subprocess.run(["nm", "-C", "--format=posix", library], capture_output=True, text=True).stdout
        for line in out.splitlines():
            found = re.match(r"(.+) ([A-Za-z]) ?[0-9a-f ]*$", line)
            if not found:
                continue
            symbol, kind = found.groups()
            if kind in "TDBR":
                defined.setdefault(symbol, room)
            elif kind == "U":
                wanted[room].add(symbol)
    problems = []
    for room, symbols in wanted.items():
        allowed = closure(rooms, room) | {room}
        for symbol in sorted(symbols):
            if defined.get(symbol, room) not in allowed:
                problems.append(f"{room} uses {symbol} of {defined[symbol]}, which it may not")
    return problems, len(defined)


def drawing(rooms):
    """Each room with the rooms that it may use, lowest first; arrows that follow from others are left out."""
    order, done = [], set()
    while len(order) < len(rooms):
        layer = [r for r in rooms if r not in done and all(u in done or u not in rooms for u in rooms[r])]
        order.append(layer) if layer else sys.exit("rooms form a circle")
        done |= set(layer)
        if len(done) == len(rooms):
            break
    lines = ["```mermaid", "flowchart BT"]
    names = {room: room.replace("/", "_") for room in rooms}
    tops = collections.defaultdict(list)
    for room in rooms:
        tops[room.split("/")[0]].append(room)
    for top, members in tops.items():
        if len(members) == 1:
            lines.append(f"  {names[members[0]]}[{members[0]}]")
        else:
            lines.append(f"  subgraph {top}")
            lines += [f"    {names[m]}[{m[len(top) + 1:] or top}]" for m in members]
            lines.append("  end")
    for room in rooms:
        direct = set(rooms[room])
        for other in rooms[room]:
            direct -= closure(rooms, other)
        lines += [f"  {names[room]} --> {names[other]}" for other in rooms[room] if other in direct]
    lines += ["```", "", "| room | may use |", "|---|---|"]
    for layer in order:
        for room in layer:
            lines.append(f"| `{room}` | {', '.join(rooms[room]) or '–'} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--symbols", metavar="BUILD")
    parser.add_argument("--draw", action="store_true")
    args = parser.parse_args()
    rooms = read_rooms()
    problems = check_includes(rooms) + check_tests(rooms)
    begin, end = "<!-- rooms: made by tests/layers.py --draw -->", "<!-- end of rooms -->"
    page = PAGE.read_text()
    if begin not in page or end not in page:
        problems.append(f"docs/architecture.md: the lines {begin} and {end} are missing")
    elif not problems:
        head, rest = page.split(begin)
        now = f"{head}{begin}\n{drawing(rooms)}\n{end}{rest.split(end)[1]}"
        if args.draw:
            PAGE.write_text(now)
        elif now != page:
            problems.append("docs/architecture.md: the rooms are not as drawn: run tests/layers.py --draw")
    if args.symbols:
        found, known = check_symbols(rooms, args.symbols)
        problems += found if known else [f"{args.symbols}: no library there defines a symbol"]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
