#!/usr/bin/env python3
"""Folders are layers: every quoted include must name a folder that the including folder may use, and the kernel must
not reach for a database, a network, a process or YAML. Prints each breach as file:line and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAY_USE = {
    "stats": {"stats"},
    "prose": {"prose"},
    "kernel": {"kernel", "stats", "prose"},
    "studyfile": {"studyfile", "kernel", "prose"},
    "memory": {"memory", "kernel", "embedded"},
    "models": {"models", "kernel"},
    "config": {"config", "models", "studyfile", "kernel"},
    "agents": {"agents", "kernel", "prose", "models", "studyfile", "embedded"},
    "programs": {"programs", "kernel"},
    "executors": {"executors", "programs", "kernel"},
    "artifacts": {"artifacts", "programs", "kernel", "stats", "prose", "embedded"},
    "apps": {"apps", "artifacts", "executors", "programs", "agents", "memory", "studyfile", "kernel", "config", "models",
             "embedded"},
}
FORBIDDEN = {
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
# Heavy to compile: nobody should get it by an include.
FORBIDDEN_IN_HEADERS = {"programs": r"boost/"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

breaches = 0
for folder, allowed in MAY_USE.items():
    for path in sorted((ROOT / folder).rglob("*.[ch]*")):
        if path.suffix not in (".h", ".cc"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            kind, name = found.groups()
            where = f"{path.relative_to(ROOT)}:{number}"
            if kind == '"' and name.split("/")[0] not in allowed:
                print(f"{where}: {folder}/ may not include {name}")
                breaches += 1
            in_headers = FORBIDDEN_IN_HEADERS.get(folder) if path.suffix == ".h" else None
            if re.match(FORBIDDEN[folder], name) or (in_headers and re.match(in_headers, name)):
                print(f"{where}: {folder}/ may not know <{name}>")
                breaches += 1
sys.exit(1 if breaches else 0)
