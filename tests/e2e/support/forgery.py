"""Forges artifacts: changes their content and recomputes the hashes."""
import hashlib
import json
import re
import shutil
import sqlite3

LOG = "trace/events.jsonl"


def payload_of(line):
    return line[line.index(',"payload":') + 11 : line.rindex("}")]


def hash_of(event, prev, payload):
    fields = [prev, *(event[key] for key in ("study", "v", "time", "boot", "actor", "type")), payload]
    encoded = (str(field).encode() for field in fields)
    return hashlib.sha256(b"etude-event/1\n" + b"".join(b"%d:%s\n" % (len(f), f) for f in encoded)).hexdigest()


def chained(lines):
    """The hash chain of changed lines; anybody can compute a plain hash chain."""
    out, prev = [], "0" * 64
    for line in lines:
        event = json.loads(line)
        digest = hash_of(event, prev, payload_of(line))
        line = line.replace(f'"prev":"{event["prev"]}"', f'"prev":"{prev}"', 1)
        out.append(line.replace(f'"hash":"{event["hash"]}"', f'"hash":"{digest}"', 1))
        prev = digest
    return out, prev


def rewritten(line, change):
    """The event with its payload changed, in canonical form."""
    event = json.loads(line)
    change(event["payload"])
    payload = json.dumps(event["payload"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return line[: line.index(',"payload":') + 11] + payload + "}"


def kind(line):
    return json.loads(line)["type"]


class Forgery:
    """A copy of an artifact whose content can be changed with matching hashes."""

    def __init__(self, original, place):
        self.root = place
        shutil.copytree(original, place, symlinks=True)

    def text(self, name):
        return (self.root / name).read_text()

    def write(self, name, text):
        (self.root / name).write_text(text)

    def line_of(self, name, words):
        return next(i for i, line in enumerate(self.text(name).splitlines(), 1) if words in line)

    def replace(self, name, old, new):
        assert old in self.text(name), (name, old)
        self.write(name, self.text(name).replace(old, new, 1))

    def relog(self, change):
        """Replaces the lines of the log by those of `change`, and updates chain, head, count and hashes."""
        lines = self.text(LOG).splitlines()
        old, count = json.loads(lines[-1])["hash"], len(lines)
        lines, head = chained(change(lines))
        self.write(LOG, "\n".join(lines) + "\n")
        for name in ("report.md", "report.html", "etude.json"):
            self.write(name, self.text(name).replace(old, head))
        self.write("etude.json", re.sub(rf'"count": {count}\b', f'"count": {len(lines)}', self.text("etude.json")))
        self.seal()

    def seal(self):
        seal = json.loads(self.text("etude.json"))
        for name in seal["files"]:
            if (self.root / name).is_file():
                seal["files"][name] = hashlib.sha256((self.root / name).read_bytes()).hexdigest()
        self.write("etude.json", json.dumps(seal, indent=1))


def halve_costs(home, study, below):
    """In a home's own store, chain and blobs made to agree: each `cost` that was measured below that becomes half of it.
    Returns the event before which nothing had been concluded from one."""
    base = sqlite3.connect(home / "etude.db")
    columns = "seq, study, v, time, boot, actor, type, payload"
    events = base.execute(f"SELECT {columns} FROM events WHERE study = ? ORDER BY seq", (study,)).fetchall()
    cut = next(event[0] for event in events if event[6] == "ExperimentAnalysed")
    prev = "0" * 64
    with base:
        for seq, ident, v, time, boot, actor, type_, payload in events:
            if seq >= cut:  # events with the same time would count as one decision
                time, boot = time + 10, boot + 10
            if type_ == "RunEnded":
                payload = halved(home, payload, below)
            event = {"study": ident, "v": v, "time": time, "boot": boot, "actor": actor, "type": type_}
            digest = hash_of(event, prev, payload)
            base.execute("UPDATE events SET time = ?, boot = ?, payload = ?, prev = ?, hash = ? WHERE seq = ?",
                         (time, boot, payload, prev, digest, seq))
            prev = digest
    base.close()
    return cut


def halved(home, payload, below):
    body = json.loads(payload)
    cost = body["measurement"]["values"].get("cost")
    if not cost or cost["value"] >= below:
        return payload
    cost["value"] = round(cost["value"] / 2, 9)
    points = f'{{"name":"cost","value":{json.dumps(cost["value"])}}}\n'.encode()
    digest = hashlib.sha256(points).hexdigest()
    body["measurement"]["metrics"] = {"bytes": len(points), "sha256": digest}
    blob = home / "blobs" / digest[:2] / digest[2:]
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(points)
    return json.dumps(body, sort_keys=True, separators=(",", ":"))
