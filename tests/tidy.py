#!/usr/bin/env python3
"""Style that a program can check. Prints each breach as file:line, exits 1.

- A room has at most MOST_FILES files.
- Each header begins with `#pragma once` and a comment that says what it is.
- Each header is included by another file, and each script, page and data file is named by another one.
- Each function of a header is used.
- Words that style.md bans stand nowhere: metaphors, old words, and persons for processes.
- No type name ends in Manager, Helper, Util, Impl or Base.
- A type of a namespace, and a file name, exist once.
- Each page of docs/ links the glossary, except those that a program writes, and its tables are whole.

With --private it lists functions of headers that no other file names: they could stay in their source."""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FILES = 30
# Word → what to write instead.
BANNED = {
    "whoever": "name the role or the process", "in vain": "say what does not happen", "as ever": "leave it out",
    "for ever": "without end", "hence": "so", "thus": "so", "herein": "here", "wherein": "in which", "lest": "so that … not",
    "nought": "nothing", "wicked": "hostile", "vouch": "check", "vouches": "checks", "forsooth": "leave it out", "utterly": "leave it out",
    "he is": "it is", "he has": "it has", "his own": "its own",
}
WORDS = re.compile(r"\b(" + "|".join(map(re.escape, BANNED)) + r")\b", re.I)
# Their sentences are compared with those in older artifacts and logs, or are data.
KEEP_WORDS = {"artifacts/write/evidence_tables.cc", "artifacts/write/layers_problem.cc", "kernel/domain/reasons.def",
              "prose/number_words.cc", "tests/tidy.py"}
# One name on purpose, with the reason in docs/glossary.md.
TWICE = {"Stream"}
FILES_TWICE = {"main.cc"}
# Compiled with each library, by cmake/library.cmake.
NOT_INCLUDED = {"cmake/json_instances.h"}
# Found by their folder or by a pattern, or by a tool that knows the name.
FOUND_BY_PATTERN = re.compile(r"_test\.py$|^memory/migrations/|^examples/|^tests/(artifacts|cases|fuzz|kernel/golden|memory|saboteur|e2e/home/recorded)/")
FOUND_BY_TOOL = {"CMakePresets.json", "tsconfig.json", "vite.config.ts"}


def tracked(*patterns):
    names = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in names.stdout.split("\0") if name and (ROOT / name).exists()]


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def rooms(files):
    count = collections.Counter(str(pathlib.PurePath(name).parent) for name in files if not name.startswith("tests/"))
    return [f"{room}: {n} files, at most {MOST_FILES}: carve a room out of it" for room, n in count.items() if n > MOST_FILES]


def purposes(headers):
    found = []
    for name, text in headers.items():
        lines = text.splitlines()
        if lines[:1] != ["#pragma once"] or not lines[1:2] or not lines[1].startswith("//"):
            found.append(f"{name}:1: a header begins with #pragma once, then a comment that says what it is")
    return found


def unused_headers(headers, sources):
    included = set()
    for name, text in {**headers, **sources}.items():
        for path in re.findall(r'^#include "([^"]+)"', text, re.M):
            if pathlib.PurePath(path).stem != pathlib.PurePath(name).stem or path.split("/")[:-1] != name.split("/")[:-1]:
                included.add(path)
    return [f"{name}:1: no file includes it" for name in headers if name not in included | NOT_INCLUDED]


def dead_files(texts):
    """Files that nothing names, neither whole nor without the ending."""
    named = collections.defaultdict(set)
    for name, text in texts.items():
        for word in set(re.findall(r"[\w.-]*\w", text)) | set(re.findall(r"\w+", text)):
            named[word].add(name)
    found = []
    for name in texts:
        path = pathlib.PurePath(name)
        if path.suffix in (".cc", ".h") or path.name.startswith(".") or path.name in FOUND_BY_TOOL or FOUND_BY_PATTERN.search(name):
            continue
        if not (named[path.name] | named[path.stem]) - {name}:
            found.append(f"{name}:1: no other file names it")
    return found


def dead_functions(headers, sources):
    """Functions of headers whose name stands only where they are declared and defined. Overrides are called by their base."""
    texts = {name: without_comments(text) for name, text in {**headers, **sources}.items()}
    count = collections.Counter(word for text in texts.values() for word in re.findall(r"\w+", text))
    found = []
    for name in headers:
        for match in MEMBER_OR_FREE.finditer(texts[name]):
            function = match.group(1)
            rest = texts[name][match.end():].partition(";")[0].partition("{")[0]
            if count[function] > 2 or function.isupper() or " override" in rest:
                continue
            defined = len(re.findall(rf"^[A-Za-z\[][^\n;=(]*[ &*:]{function}\(", texts.get(name[:-2] + ".cc", ""), re.M))
            if count[function] <= 1 + defined:
                line = headers[name].count("\n", 0, headers[name].find(function + "(")) + 1
                found.append(f"{name}:{line}: nothing uses `{function}`")
    return found


MEMBER_OR_FREE = re.compile(r"^ *(?!return|using|namespace|template|else|throw|new|delete)[A-Za-z\[][\w:<>,&*\[\]() ]*[ &*](\w+)\(", re.M)
DECLARED = re.compile(r"^(?!return|using|namespace|template)[A-Za-z\[][\w:<>,&*\[\] ]*[ &*](\w+)\(", re.M)


def private_functions(headers, sources):
    """Functions at the beginning of a line, which is where those of a namespace are declared."""
    used = collections.defaultdict(set)
    texts = {name: without_comments(text) for name, text in {**headers, **sources}.items()}
    for name, text in texts.items():
        for word in set(re.findall(r"\w+", text)):
            used[word].add(name)
    found = []
    for name in headers:
        own = {name, name[:-2] + ".cc"}
        for match in DECLARED.finditer(texts[name]):
            function = match.group(1)
            if not used[function] - own and not function.isupper():
                line = headers[name].count("\n", 0, headers[name].find(function + "(")) + 1
                found.append(f"{name}:{line}: no other file uses `{function}`")
    return found


def banned(texts):
    found = []
    for name, text in texts.items():
        if name in KEEP_WORDS or "/corpus/" in name or "/recorded/" in name:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for match in WORDS.finditer(line):
                found.append(f"{name}:{number}: `{match.group(1)}`: {BANNED[match.group(1).lower()]}")
    return found


def names(headers):
    found, types = [], collections.defaultdict(list)
    for name, text in headers.items():
        if name.startswith("tests/"):
            continue
        for match in re.finditer(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^{\n]*)? ?\{", without_comments(text), re.M):
            types[match.group(1)].append(name)
            if re.search(r"(Manager|Helper|Util|Impl|Base)$", match.group(1)):
                found.append(f"{name}: `{match.group(1)}` says what kind of thing it is: say which")
    for type_name, places in types.items():
        if len(places) > 1 and type_name not in TWICE:
            found.append(f"{', '.join(places)}: `{type_name}` exists {len(places)} times")
    return found


def files_twice(files):
    places = collections.defaultdict(list)
    for name in files:
        if not name.startswith("tests/"):
            places[pathlib.PurePath(name).name].append(name)
    return [f"{', '.join(where)}: this file name exists {len(where)} times"
            for name, where in places.items() if len(where) > 1 and name not in FILES_TWICE]


# Programs write them, or most of them.
WITHOUT_GLOSSARY = {"docs/glossary.md", "docs/calibration.md", "docs/campaigns.md", "docs/mutants.md", "docs/saboteur.md"}


def pages_of_docs(prose):
    pages = {name: text for name, text in prose.items() if name.startswith("docs/") and name.endswith(".md")}
    found = [f"{name}: it does not link the glossary" for name, text in pages.items()
             if name not in WITHOUT_GLOSSARY and "glossary.md" not in text]
    for name, text in pages.items():
        lines = text.split("\n")
        for i in range(1, len(lines) - 1):
            rows = lines[i - 1].startswith("|") and not lines[i] and lines[i + 1].startswith("|")
            if rows and not re.match(r"\|[-:| ]+\|$", (lines + [""])[i + 2]):
                found.append(f"{name}:{i + 1}: a blank line splits a table")
    return found


def main():
    code = tracked("*.cc", "*.h")
    read = {name: (ROOT / name).read_text() for name in code}
    headers = {name: text for name, text in read.items() if name.endswith(".h")}
    sources = {name: text for name, text in read.items() if name.endswith(".cc")}
    prose = {name: (ROOT / name).read_text() for name in tracked("*.md", "agents/prompts/*", "agents/tools/*.json", "kernel/domain/*.def",
                                                                 "apps/web/src/*", "tests/*.py")
             if "fixtures" not in name}
    data = {name: (ROOT / name).read_text(errors="replace") for name in tracked()
            if name not in read and not re.search(r"\.(zip|db|png|pdf)$", name)}
    if sys.argv[1:] == ["--private"]:
        print("\n".join(private_functions(headers, sources)))
        return 0
    found = (rooms(code) + purposes(headers) + unused_headers(headers, sources) + dead_files({**read, **data}) +
             dead_functions(headers, sources) + banned({**read, **prose}) + names(headers) + files_twice(code) +
             pages_of_docs(prose))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
