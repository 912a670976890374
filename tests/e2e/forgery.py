"""What it takes to make an artifact say something else, so that its hashes agree again."""
import hashlib
import json
import re
import shutil

LOG = "trace/events.jsonl"


def payload_of(line):
    return line[line.index(',"payload":') + 11 : line.rindex("}")]


def hash_of(event, prev, payload):
    fields = [prev, *(event[key] for key in ("study", "v", "time", "boot", "actor", "type")), payload]
    encoded = (str(field).encode() for field in fields)
    return hashlib.sha256(b"etude-event/1\n" + b"".join(b"%d:%s\n" % (len(f), f) for f in encoded)).hexdigest()


def chained(lines):
    """A plain hash chain can be computed anew by anyone."""
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
    """A copy of an artifact, and what it takes to change it so that its hashes agree again."""

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
        """`change` makes new lines of the log's; chain, head, count and hashes are made to agree."""
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
