"""A test case for studies whose hypotheses a model proposes, over HTTP with aimock."""
import os

from harness import NOISY_JOB, EtudeTest
from model_server import ModelServer

STUDY = '''
etude: 1
title: Noisy arms
question: Which arm is the cheapest?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast, same], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
design: {replicates: {min: 8, max: 8}}
resources: {timeout: 10m, sandbox: none}
agents: mock
'''
KEY = "sk-never-to-be-shown-1234567890"
FAST = {"statement": "The fast arm costs less than the slow one.", "mechanism": "its own cost is lower in the code",
        "confidence": 0.8,
        "test": {"metric": "cost", "treatment": {"arm": "fast"}, "control": {"arm": "slow"}, "direction": "less"}}


def calls(turn, name, arguments, role="you propose the hypotheses", first=()):
    """`first`: (name, arguments) of calls before it in the same reply."""
    return {"match": {"turnIndex": turn, "systemMessage": role},
            "response": {"toolCalls": [{"name": n, "arguments": a} for n, a in [*first, (name, arguments)]]}}


def mends(turn, name, arguments):
    return calls(turn, name, arguments, "you mend the code")


# The roles that bind requirements, review, interpret and write.
REST = [
    calls(0, "bind_requirement", {"of": "question", "text": "Is the fast arm cheaper than the slow one?",
                                  "hypotheses": ["H1"]}, "you say what the question requires"),
    calls(1, "bind_requirement", {"of": "method", "text": "The arm decides on the cost that is reported.",
                                  "file": "job.py", "from_line": 1, "to_line": 3}, "you say what the question requires"),
    calls(2, "finish", {"summary": "These matter."}, "you say what the question requires"),
    calls(0, "judge_requirement", {"id": "R2", "met": True, "why": "job.py looks the cost up by the arm."},
          "you review the source", [("read_file", {"path": "job.py"})]),
    calls(1, "finish", {"summary": "I read job.py."}, "you review the source"),
    calls(0, "note", {"text": "The arm decides."}, "you interpret the verdicts"),
    calls(1, "finish", {"summary": "H1 answers the question."}, "you interpret the verdicts"),
    calls(0, "write_section", {"name": "summary", "text": "The fast arm is 20 % cheaper."}, "you write this study up"),
    calls(1, "write_section", {"name": "summary", "text": "H1 is {{H1.verdict}}, with an effect of {{H1.effect}}."},
          "you write this study up"),
    calls(2, "finish", {"summary": "Written."}, "you write this study up"),
]


def reviews_change(file):
    """Before the others, where an engineer changed the code: the reviewer judges the kernel's own requirement, too."""
    return [
        calls(1, "judge_requirement", {"id": "K1", "met": True, "why": "The diff only mends what was found."},
              "you review the source", [("read_file", {"path": file})]),
        calls(2, "finish", {"summary": "I read job.py and its diff."}, "you review the source"),
    ]



SCRIPT = REST + [
    calls(0, "list_files", {}),
    calls(1, "read_file", {"path": "job.py"}),
    calls(2, "propose_hypothesis", {**FAST, "test": {**FAST["test"], "metric": "cots"}}),
    calls(3, "propose_hypothesis", FAST),
    calls(4, "record_decision", {"title": "One contrast", "choice": "fast against slow",
                                 "rationale": "the code says where the cost comes from",
                                 "alternatives": ["the arm that is the same"]}),
    calls(5, "finish", {"summary": "I proposed that the fast arm is cheaper."}),
]
ALL_CALLS = len(SCRIPT)


class ThinkingTest(EtudeTest):
    def setUp(self):
        super().setUp()
        self.study(STUDY, NOISY_JOB)
        self.env = {**os.environ, "MOCK_KEY": KEY}

    def server(self, *options, fixtures=SCRIPT):
        server = ModelServer(self.tmp, fixtures, *options)
        self.addCleanup(server.close)
        return server

    def configure(self, url, api="openai", more=""):
        """`more`: added to the model's configuration."""
        base = url + ("/v1" if api == "openai" else "")
        self.config = self.write("config.yaml", f"""
            providers:
              mock: {{api: {api}, base_url: "{base}", key_env: MOCK_KEY, timeouts: {{first_byte: 4m, total: 10m}}}}
            models:
              small: {{provider: mock, model: mock-1, prices: {{input: 3, output: 15}}, max_output: 1000{more}}}
            profiles:
              mock: {{default: small}}
            """)

    def run_thinking(self, *args, code=0):
        lines = self.lines("--config", self.config, "run", "study.yaml", *args, code=code, env=self.env)
        return lines[:-1], lines[-1]

    def events(self, study, kind):
        return [e for e in self.lines("log", study) if e["type"] == kind]

    def told(self, answer):
        """The answer of a tool."""
        digest = answer["answer"]["sha256"]
        return (self.home / "blobs" / digest[:2] / digest[2:]).read_text()
