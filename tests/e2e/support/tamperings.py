"""Every way in which the campaign (artifacts/tamper_campaign_test.py) changes an artifact: a kind of change for each kind of
file, and forgeries whose hashes and chain were computed anew."""
import json
import os
import re

from forgery import Forgery, LOG, chained, kind

SEAL = "etude.json"
# What a file is, by its path.
CLASSES = (
    ("PAPER.md and README.md", r"(PAPER|README)\.md"),
    ("CITATION.cff, codemeta.json", r"CITATION\.cff|codemeta\.json"),
    ("related work", r"logic/related_work\.md"),
    ("claims and other pages of logic/", r"logic/.*"),
    ("exploration tree", r"trace/exploration_tree\.yaml"),
    ("event log", r"trace/events\.jsonl"),
    ("etude.json", r"etude\.json"),
    ("points (CSV)", r"evidence/results/.*_points\.csv"),
    ("results (CSV)", r"evidence/results/.*\.csv"),
    ("data of figures (CSV)", r"evidence/figures/.*\.csv"),
    ("pictures (SVG)", r"evidence/.*\.svg"),
    ("pictures (PDF)", r"evidence/.*\.pdf"),
    ("pictures (PNG)", r"evidence/.*\.png"),
    ("logs of runs", r"evidence/logs/.*\.log"),
    ("pages of evidence", r"evidence/.*\.md"),
    ("report", r"report\.(md|html)"),
    ("study file", r"src/study\.yaml"),
    ("manifests", r"src/.*\.manifest"),
    ("code that ran", r"src/workspace/.*"),
    ("evaluator's data", r"src/evaluator/.*"),
    ("changes of the code (diff)", r"src/.*\.diff"),
    ("other pages of src/", r"src/.*"),
    ("pages on data and notes", r"(data|staging)/.*"),
    ("reproduction", r"reproduction\..*"),
)


def class_of(path):
    return next(name for name, pattern in CLASSES if re.fullmatch(pattern, path))


class Tampering(Forgery):
    """A copy of an artifact, in which one thing is changed."""

    @classmethod
    def of(cls, root):
        """The artifact itself, to be read."""
        self = cls.__new__(cls)
        self.root = root
        return self

    def files(self):
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*")
                      if path.is_file() and not path.is_symlink())

    def bytes(self, name):
        return (self.root / name).read_bytes()

    def put(self, name, data):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.chmod(0o644)
        path.write_bytes(data)

    def seal(self):
        """etude.json lists what is there now, with its hashes."""
        if not (self.root / SEAL).is_file():
            return
        seal = json.loads(self.text(SEAL))
        there = set(self.files())
        for listed in ("files", "pages"):
            seal[listed] = {name: "" for name in seal[listed] if name in there}
        for name in there - {SEAL} - seal["files"].keys() - seal["pages"].keys():
            seal["files" if name.startswith(("evidence/", "src/")) else "pages"][name] = ""
        self.write(SEAL, json.dumps(seal, indent=1))
        super().seal()


def letters(data):
    return [i for i, byte in enumerate(data) if chr(byte).isascii() and chr(byte).isalnum()]


def one_byte(t, name, rng, other):
    data = bytearray(t.bytes(name))
    at = rng.randrange(len(data))
    data[at] ^= rng.randrange(1, 256)
    t.put(name, bytes(data))
    return f"byte {at}"


def one_digit(t, name, rng, other):
    data = bytearray(t.bytes(name))
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    at = rng.choice(places) if places else rng.choice(letters(data) or [0])
    data[at] = 48 + (data[at] - 48 + rng.randrange(1, 10)) % 10 if places else data[at] ^ 1
    t.put(name, bytes(data))
    return f"digit at {at}"


def cut(t, name, rng, other):
    data = t.bytes(name)
    at = rng.randrange(len(data))
    t.put(name, data[:at] + data[at + rng.randrange(1, 200):])
    return f"cut at {at}"


def a_line_less(t, name, rng, other):
    lines = t.bytes(name).split(b"\n")
    at = rng.choice([i for i, line in enumerate(lines) if line.strip()])
    t.put(name, b"\n".join(lines[:at] + lines[at + 1:]))
    return f"without line {at + 1}"


def a_line_twice(t, name, rng, other):
    lines = t.bytes(name).split(b"\n")
    at = rng.choice([i for i, line in enumerate(lines) if line.strip()])
    t.put(name, b"\n".join(lines[:at + 1] + lines[at:]))
    return f"line {at + 1} twice"


def emptied(t, name, rng, other):
    t.put(name, b"")
    return "empty"


def deleted(t, name, rng, other):
    (t.root / name).unlink()
    return "deleted"


def of_another(t, name, rng, other):
    """The file of the same class of another artifact that is honest."""
    wanted = class_of(name)
    names = [n for n in other.files() if class_of(n) == wanted and other.bytes(n) != t.bytes(name)]
    same = [n for n in names if n == name]
    if not names:
        return None
    source = (same or names)[0]
    t.put(name, other.bytes(source))
    return f"{source} of another artifact"


def exchanged(t, name, rng, other):
    """Two files of the same class and ending change places."""
    ending = os.path.splitext(name)[1]
    names = [n for n in t.files() if n != name and class_of(n) == class_of(name) and n.endswith(ending)
             and t.bytes(n) != t.bytes(name)]
    if not names:
        return None
    second = rng.choice(names)
    mine, its = t.bytes(name), t.bytes(second)
    t.put(name, its), t.put(second, mine)
    return f"exchanged with {second}"


def renamed(t, name, rng, other):
    stem, ending = os.path.splitext(name)
    (t.root / name).rename(t.root / f"{stem}_2{ending}")
    return f"{stem}_2{ending}"


def linked(t, name, rng, other):
    """A link to another file of the artifact."""
    names = [n for n in t.files() if n != name and n != SEAL]
    target = rng.choice(names)
    (t.root / name).unlink()
    (t.root / name).symlink_to(os.path.relpath(t.root / target, (t.root / name).parent))
    return f"link to {target}"


def linked_out(t, name, rng, other):
    """A link to the same bytes outside the artifact."""
    outside = t.root.parent / f"{t.root.name}.outside"
    outside.write_bytes(t.bytes(name))
    (t.root / name).unlink()
    (t.root / name).symlink_to(outside)
    return "link to a copy outside"


def a_folder(t, name, rng, other):
    (t.root / name).unlink()
    (t.root / name).mkdir()
    return "a folder"


def added(t, name, rng, other):
    """A second file of this kind."""
    stem, ending = os.path.splitext(name)
    t.put(f"{stem}_2{ending}", t.bytes(name))
    return f"{stem}_2{ending} added"


# Without and with etude.json made to agree.
CHANGES = (
    ("a byte changed", one_byte, False), ("a byte changed, hashes too", one_byte, True),
    ("a digit changed, hashes too", one_digit, True), ("bytes cut out, hashes too", cut, True),
    ("a line deleted, hashes too", a_line_less, True), ("a line twice, hashes too", a_line_twice, True),
    ("emptied, hashes too", emptied, True), ("deleted", deleted, False), ("deleted, list too", deleted, True),
    ("another artifact's file, hashes too", of_another, True), ("two files exchanged, hashes too", exchanged, True),
    ("renamed, list too", renamed, True), ("link inside, hashes too", linked, True), ("link outside", linked_out, False),
    ("folder of its name", a_folder, False), ("file added, list too", added, True),
)
# Kinds that make nothing of a file: of what is no text, of what there is one of, and of etude.json itself.
NOT_FOR = {
    "pictures (PNG)": {a_line_less, a_line_twice, one_digit},
    "etude.json": {renamed, added, exchanged},
}


def apply(change, sealing, t, name, rng, other):
    """Changes the file; returns what was done, or None where there is nothing of the kind to do."""
    if change in NOT_FOR.get(class_of(name), ()) or (not t.bytes(name) and change not in (deleted, renamed, added, a_folder)):
        return None
    before = {n: t.bytes(n) for n in (name,)}
    what = change(t, name, rng, other)
    if what is None:
        return None
    path = t.root / name
    if path.is_file() and not path.is_symlink() and path.read_bytes() == before[name] and change is not added:
        return None
    if sealing and name != SEAL:
        t.seal()
    return what


# Forgeries of the log: changed, and chained again, with the new head on every page.

def in_payload(event, rng):
    """Another digit, letter or truth value somewhere in the payload, which keeps its shape."""
    leaves = []

    def walk(value, put):
        if isinstance(value, dict):
            for key in value:
                walk(value[key], lambda new, v=value, k=key: v.__setitem__(k, new))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                walk(item, lambda new, v=value, k=i: v.__setitem__(k, new))
        elif isinstance(value, bool):
            leaves.append((put, not value))
        elif isinstance(value, (int, float)):
            leaves.append((put, value + 1))
        elif isinstance(value, str) and value:
            leaves.append((put, value[:-1] + ("x" if value[-1] != "x" else "y")))

    walk(event, None)
    if not leaves:
        return False
    put, new = rng.choice(leaves)
    put(new)
    return True


def relog(t, lines):
    """The log has these lines, and every page and etude.json their head and number."""
    old_lines = t.text(LOG).splitlines()
    old, count = json.loads(old_lines[-1])["hash"], len(old_lines)
    lines, head = chained(lines)
    t.write(LOG, "\n".join(lines) + "\n")
    for name in t.files():
        data = t.bytes(name)
        if name != LOG and old.encode() in data:
            t.put(name, data.replace(old.encode(), head.encode()))
    t.write(SEAL, re.sub(rf'"count": {count}\b', f'"count": {len(lines)}', t.text(SEAL)))
    t.seal()
    return head


def event_changed(t, wanted, rng):
    lines = t.text(LOG).splitlines()
    at = rng.choice([i for i, line in enumerate(lines) if kind(line) == wanted])
    event = json.loads(lines[at])
    if not in_payload(event["payload"], rng):
        return None
    payload = json.dumps(event["payload"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lines[at] = lines[at][: lines[at].index(',"payload":') + 11] + payload + "}"
    relog(t, lines)
    return f"line {at + 1}"


def event_left_out(t, wanted, rng):
    lines = t.text(LOG).splitlines()
    at = rng.choice([i for i, line in enumerate(lines) if kind(line) == wanted])
    relog(t, lines[:at] + lines[at + 1:])
    return f"without line {at + 1}"


def event_later(t, wanted, rng):
    """Its time, by both clocks, is another."""
    lines = t.text(LOG).splitlines()
    at = rng.choice([i for i, line in enumerate(lines) if kind(line) == wanted])
    event = json.loads(lines[at])
    lines[at] = lines[at].replace(f'"time":{event["time"]}', f'"time":{event["time"] + 1}', 1)
    relog(t, lines)
    return f"line {at + 1}, a millisecond later"


EVENT_CHANGES = (("an event changed, chained anew", event_changed), ("an event left out, chained anew", event_left_out),
                 ("an event's time changed, chained anew", event_later))


def kinds_of_events(t):
    return sorted({kind(line) for line in t.text(LOG).splitlines()})
