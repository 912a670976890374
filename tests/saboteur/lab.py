"""The environment of an attack: its own home and study folder, the binary, and checks for how it was caught.

Each check raises an AssertionError if the attack was not caught in that way.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e/support"))

from forgery import Forgery, LOG, kind, rewritten  # noqa: E402,F401
from harness import ETUDE, EtudeTest, draw_pictures, verdicts  # noqa: E402,F401
from scripted_model import ScriptedModel  # noqa: E402

draw_pictures(False)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def registered_anew(lines, change):
    """The log's lines with a changed registration, and its new hash wherever the hash is used."""
    at = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentRegistered")
    lines[at] = rewritten(lines[at], lambda payload: change(payload["registration"]))
    payload = json.loads(lines[at])["payload"]
    digest = hashlib.sha256(canonical(payload["registration"]).encode()).hexdigest()
    return [line.replace(payload["hash"], digest) for line in lines]


# A job of milliseconds: slow costs about 50, fast about 40, and the noise is the seed's.
JOB = '''
# cost of one arm: job.sh ARM SEED
awk -v arm="$1" -v seed="$2" 'BEGIN {
  srand(seed % 1000003 + (arm == "fast" ? 17 : 0)); rand()
  for (i = 0; i < 12; i++) noise += rand()
  printf "{\\"name\\":\\"cost\\",\\"value\\":%.9f}\\n", (arm == "fast" ? 40 : 50) + noise - 6
}' >> "$ETUDE_METRICS"
'''
HYPOTHESES = '''hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
  - {id: H2, statement: Fast costs more., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: greater}}
'''
STUDY = '''
etude: 1
title: Fast against slow
question: Is fast cheaper than slow?
run: sh job.sh {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m, sandbox: none}
'''
HONEST = STUDY + HYPOTHESES
VERDICTS = {"H1": "supported", "H2": "refuted"}
PROPOSAL = {"statement": "The fast arm costs less than the slow one.", "mechanism": "its cost is lower in the code",
            "confidence": 0.8,
            "test": {"metric": "cost", "treatment": {"arm": "fast"}, "control": {"arm": "slow"}, "direction": "less"}}
PROPOSES = [("propose_hypothesis", PROPOSAL), ("finish", {"summary": "I proposed the contrast that was asked for."})]
KEY = "sk-of-the-saboteur"


class NotCaught(AssertionError):
    """A known gap still exists: the attack was made and not found."""


class NotHere(Exception):
    """This machine lacks something that the attack needs."""


class Lab(EtudeTest):
    """The environment of one attack; all attacks share `bench`."""

    def __init__(self, bench=None):
        super().__init__("runTest")
        self.bench, self.servers, self.prefix, self.program = bench, [], [], str(ETUDE)

    def runTest(self):
        pass

    def tearDown(self):
        for server in self.servers:
            server.close()
        super().tearDown()

    # Targets of attacks.

    def place(self, text=HONEST, job=JOB, **changes):
        """Writes the study into its folder, with the replacements of `edits`."""
        for old, new in changes.get("edits", {}).items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write("job.sh", job)
        return self.write("study.yaml", text)

    def concluded(self, *args, **kw):
        study = self.run_study(*args, **kw)
        self.assertEqual(study["outcome"], "concluded", study)
        return study

    def ended(self):
        """A copy of an honest study's home; its artifact is in `self.original`."""
        study, home, self.original = self.bench.honest()
        shutil.copytree(home, self.home, symlinks=True)
        return study

    def forged(self):
        """A copy of an honest study's artifact, to be changed."""
        self.made, _, original = self.bench.honest()
        return Forgery(original, self.tmp / "forged")

    def stopped(self, runs=6, **changes):
        """Makes a study that is registered and was stopped by its budget after some runs; returns its id."""
        changes.setdefault("edits", {})
        changes["text"] = changes.get("text", HONEST) + f"budget: {{runs: {runs}}}\n"
        self.place(**changes)
        return self.run_study(code=4)["id"]

    def sandbox(self):
        if not self.bench.has_sandbox():
            raise NotHere("no sandbox on this machine")

    def ordinary_user(self):
        """From now on etude runs as a user for whom permissions hold, which root is not."""
        if os.geteuid() != 0:
            return
        if not shutil.which("setpriv"):
            raise NotHere("no setpriv")
        self.prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        # Where the binary was built may be closed to others.
        for name in ("etude", "etude-supervisor"):
            shutil.copy(pathlib.Path(ETUDE).parent / name, self.tmp)
        self.program = str(self.tmp / "etude")
        subprocess.run(["chown", "-R", "65534:65534", str(self.tmp)], check=True)

    def command(self, *args):
        return [*self.prefix, self.program, *super().command(*args)[1:]]

    # Checks of how an attack was caught.

    def refused(self, *args, code=2, says, **kw):
        """Checks that the command was refused with these words."""
        self.assertIn(says, self.etude(*args, code=code, **kw).stderr)
        return f"refused, exit {code}: {says}"

    def open_gap(self, catch):
        """Checks that follow show how the attack is caught if a known gap has closed. Earlier failures are no gap."""
        try:
            return catch()
        except AssertionError as e:
            raise NotCaught(str(e)) from e

    def flagged(self, artifact, rule, severity="critical", file=None, says=""):
        """Checks that the audit has this finding, and exits with 1 for an error or worse."""
        wanting = severity in ("critical", "error")
        findings = self.json("audit", artifact, code=1 if wanting else None)["findings"]
        found = [f for f in findings if (f["rule"], f["severity"]) == (rule, severity) and says in f["message"]
                 and file in (None, f["file"])]
        self.assertTrue(found, f"no {rule} ({severity}) of {file} with «{says}» among {findings}")
        return f"audit: {rule} ({severity})"

    def clean(self, artifact):
        """Checks that an honest artifact has no finding."""
        for verb in ("check", "audit"):
            found = self.json(verb, artifact, "--strict")
            self.assertEqual((found["ok"], found["findings"]), (True, []))

    def sound(self, study, expected):
        """Checks an honest study: the expected verdicts and no finding."""
        self.assertEqual((study["outcome"], verdicts(study)), ("concluded", expected), study["hypotheses"])
        self.assertEqual(study["integrity"], [])
        last = [e["payload"]["findings"] for e in self.lines("log", study["id"]) if e["type"] == "ManipulationChecked"][-1]
        self.assertEqual(last, [])
        self.clean(study["artifact"])
        self.assertTrue(self.json("verify")["ok"])

    def verify_finds(self, says):
        problems = self.json("verify", code=1)["problems"]
        self.assertTrue(any(says in problem for problem in problems), problems)
        return f"verify, exit 1: {says}"

    def report_says(self, study, words):
        """Checks that the report has the words before any result."""
        self.assertIn(words, pathlib.Path(study["artifact"], "report.md").read_text())
        return f"report: {words}"

    def warned(self, study, hypothesis, words):
        """Checks that the verdict has the warning."""
        found = next(h for h in study["hypotheses"] if h["id"] == hypothesis)
        self.assertTrue(any(words in one for one in found["warnings"]), found["warnings"])
        return f"warning on {hypothesis}: {words}"

    def check_found(self, study, says, serious=True):
        """Checks that the manipulation check found it."""
        events = [e for e in self.lines("log", study["id"]) if e["type"] == "ManipulationChecked"]
        found = [f for e in events for f in e["payload"]["findings"] if says in f["message"]]
        self.assertTrue(any(f["serious"] == serious for f in found), [e["payload"] for e in events])
        return f"manipulation check: {says}"

    # Studies whose agents are models.

    def thinking(self, proposes=PROPOSES, mends=(), text=STUDY, job=JOB, code=0, args=(), scripts=None, reports=1,
                 cost=None):
        """Runs a study whose roles follow these scripts; returns the study that `run` printed last."""
        self.server = ScriptedModel({"you propose the hypotheses": proposes, "you mend the code": mends, **(scripts or {})},
                                    reports, cost)
        self.servers.append(self.server)
        self.place(text + "agents: scripted\n", job)
        self.config = self.tmp / "config.yaml"
        self.config.write_text(textwrap.dedent(f"""
            providers: {{loop: {{api: openai, base_url: "{self.server.url}", timeouts: {{first_byte: 4m, total: 10m}}}}}}
            models: {{one: {{provider: loop, model: scripted, prices: {{input: 1, output: 1}}, max_output: 500}}}}
            profiles: {{scripted: {{default: one}}}}
            """))
        self.said = self.lines("--config", self.config, "run", "study.yaml", *args, code=code)
        return self.said[-1]

    def answers(self):
        """The answers of tools in order: (tool, refused, text)."""
        texts = []
        for event in self.said[:-1]:
            if event["type"] == "ToolReturned":
                answer = event["payload"]["answer"]
                hash_ = answer["answer"]["sha256"]
                text = (self.home / "blobs" / hash_[:2] / hash_[2:]).read_text()
                texts.append((answer["tool"], answer["refused"], text))
        return texts

    def tool_refuses(self, tool, says):
        """Checks that the tool's last refusal has these words."""
        refusals = [text for name, refused, text in self.answers() if name == tool and refused]
        self.assertTrue(refusals, self.answers())
        self.assertIn(says, refusals[-1])
        return "refused: " + textwrap.shorten(refusals[-1], 150, placeholder=" …")

    def stays_quoted(self, words, least):
        """In every request the words stand inside of <data …> … </data>, and only the marks of etude's own open and
        close there, read as loosely as a model may."""
        seen = 0
        for request in self.server.requests:
            for message in request["messages"]:
                if message["role"] == "assistant":
                    continue  # The model's own text, sent back to it.
                text = message["content"] or ""
                outside = re.sub(r'<data from="[^"<>\n]*"[^<>\n]*>\n.*?^</data>', "", text, flags=re.S | re.M)
                self.assertNotIn(words, outside)
                inside = re.findall(r'^<data from="[^"<>\n]*"[^<>\n]*>\n(.*?)^</data>', text, flags=re.S | re.M)
                for data in inside:
                    self.assertNotRegex(data, re.compile(r"<\s*/\s*data", re.I))
                    seen += data.count(words)
        self.assertGreaterEqual(seen, least)
        return "quoted in every request, and nothing inside closes the quotation"


class Bench:
    """Shared by all attacks: one honest study, made once."""

    def __init__(self):
        self.lock, self.lab, self.study, self.sandbox = threading.Lock(), None, None, None

    def honest(self):
        with self.lock:
            if not self.lab:
                self.lab = Lab()
                self.lab.setUp()
                self.lab.place()
                self.study = self.lab.concluded()
                assert verdicts(self.study) == VERDICTS, self.study
                self.lab.clean(self.study["artifact"])
        return self.study, self.lab.home, pathlib.Path(self.study["artifact"])

    def has_sandbox(self):
        with self.lock:
            if self.sandbox is None:
                said = subprocess.run([ETUDE, "doctor", "--json"], capture_output=True, text=True)
                checks = json.loads(said.stdout)["checks"]
                self.sandbox = next(c["status"] for c in checks if c["name"] == "sandbox") == "ok"
        return self.sandbox

    def close(self):
        if self.lab:
            self.lab.tearDown()
