"""A real model on this machine, small as it is: it answers over our client, streams and calls a tool by a grammar, and a study
with it ends with the reason why it cannot go on. What was tried, and what came of it, stands in docs/models.md.

Skipped unless `make local-model` has installed it. With LOCAL_MODEL_TRANSCRIPT=FILE what was said in a study is written there."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from harness import ETUDE, NOISY_JOB  # noqa: E402
from local_model import INSTALLED, LocalModel  # noqa: E402
from thinking_test_case import STUDY, ThinkingTest  # noqa: E402

PATIENT = 1500
# Of the server, not of etude, which forces no tool: which call the grammar writes.
FORCED = "extra: {tool_choice: {type: function, function: {name: report}}}"
CHOSEN = "extra: {tool_choice: auto, repeat_penalty: 1.1}"  # Without a penalty, this small model repeats itself without end.
ANSWER = r"""extra: {grammar: 'root ::= "Answer: " [^\n]+ "\nConfidence: " ("100" | [1-9]? [0-9]) " %"'}"""


@unittest.skipUnless(INSTALLED, "no local model: `make local-model` installs one")
class RealModel(ThinkingTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="etude-local-model-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.model = LocalModel(cls.folder)
        cls.addClassCleanup(cls.model.close)

    def setUp(self):
        super().setUp()
        # In a sandbox: it makes up commands, and runs them.
        self.study(STUDY.replace(", sandbox: none", ""), NOISY_JOB)

    def configured(self, *settings):
        entry = ", ".join(["provider: here", "prices: {input: 0, output: 0}", "temperature: 0", *settings])
        self.config = self.write("config.yaml", f"""
            providers:
              here: {{api: openai, base_url: "{self.model.url}", timeouts: {{first_byte: 20m, idle: 20m, total: 40m}}}}
            models:
              small: {{{entry}}}
            profiles:
              mock: {{default: small}}
            """)
        return self.config

    def doctor(self, *settings):
        run = self.etude("--config", self.configured(*settings), "doctor", "--json", "--model", "small", code=None,
                         timeout=PATIENT)
        (check,) = [c for c in json.loads(run.stdout)["checks"] if c["name"] == "model"]
        print(f"\n{', '.join(settings)}\n  {check['status']}: {check['detail']}\n  {check['remedy'] or ''}", flush=True)
        return check

    def test_doctor_asks_it(self):
        """A chat template without tools, a context that is too small, and a server whose grammar breaks streams off."""
        check = self.doctor("model: plain")
        self.assertEqual(check["status"], "warn", check)
        self.assertIn("calls no tools", check["detail"])
        self.assertIn("choose a model that calls them", check["remedy"])
        check = self.doctor("model: plain", FORCED)
        self.assertEqual(check["status"], "missing", check)
        self.assertIn("its context of 8192 tokens is too small for agents", check["detail"])
        check = self.doctor("model: tools", CHOSEN)
        self.assertEqual(check["status"], "missing", check)
        self.assertEqual(check["remedy"], "it breaks streams off, but sends whole replies: write `stream: false`")

    @unittest.skipUnless(os.environ.get("LOCAL_MODEL") == "all", "LOCAL_MODEL is not `all`")
    def test_it_reviews_an_artifact(self):
        """Its answers have the shape that was asked for, or are cut off; what they quote is looked up."""
        andes = pathlib.Path(__file__).resolve().parents[2] / "artifacts/corpus/andes"
        plain = self.etude("audit", andes, "--json", code=None)
        config = self.configured("model: plain", "context: 8192", "max_output: 600")
        run = self.etude("--config", config, "audit", andes, "--model", "small", "--json", code=plain.returncode,
                         timeout=PATIENT)
        review = json.loads(run.stdout)["review"]
        print(f"\n  {review}", flush=True)
        self.assertEqual(len(review["dimensions"]), 6)
        self.assertEqual(review["model"], "small")

    @unittest.skipUnless(os.environ.get("LOCAL_MODEL") == "all", "LOCAL_MODEL is not `all`")
    def test_it_answers_the_items_of_an_example(self):
        """As examples/llm-question-answering had it asked: a grammar of the server keeps it to the form of an answer."""
        example = pathlib.Path(__file__).resolve().parents[3] / "examples/llm-question-answering"
        lines = (example / "items.jsonl").read_text().splitlines()
        (self.dir / "items.jsonl").write_text("\n".join(lines[:2]) + "\n")
        config = self.configured("model: plain", "max_output: 400", "stream: false", ANSWER)
        self.etude("--config", config, "ask", "items.jsonl", "--model", "small", "--instruction",
                   example / "instruction_plain.md", "-o", "answers.jsonl", timeout=PATIENT)
        replies = [json.loads(line).get("reply") for line in (self.dir / "answers.jsonl").read_text().splitlines()]
        replies = [reply for reply in replies if reply]
        self.assertEqual(len(replies), 2)
        for reply in replies:
            self.assertRegex(reply, r"^Answer: .+\nConfidence: \d+ %$")

    def test_our_client_asks_it(self):
        program = ETUDE.parent / "test_models"
        if not program.exists():
            self.skipTest("no test_models beside the program: `make test` builds it")
        run = subprocess.run([program, "[.local]"], capture_output=True, text=True,
                             env={**os.environ, "ETUDE_LOCAL_MODEL": self.model.url})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("All tests passed", run.stdout)

    def study_with(self, *settings):
        """(the study, what its model was asked and said), with the reason of its pause printed."""
        run = self.etude("--config", self.configured(*settings), "run", "study.yaml", "--json", code=None, timeout=PATIENT)
        self.assertEqual(run.stderr, "")
        study = json.loads(run.stdout.splitlines()[-1])
        print(f"\n{', '.join(settings)}\n  {study['state']}: {study['detail']}", flush=True)
        self.assertEqual((run.returncode, study["state"], study["reason"]), (3, "paused", "agent"), study)
        spoken = [line[:400].replace("\n", " | ") for line in Transcript(self.home).of(self.lines("log", study["id"]))]
        if "LOCAL_MODEL_TRANSCRIPT" in os.environ:
            with open(os.environ["LOCAL_MODEL_TRANSCRIPT"], "a") as file:
                file.write(f"=== {', '.join(settings)}\n" + "\n".join([*spoken, study["detail"], "", ""]))
        return study, spoken

    def test_a_study_pauses_because_its_model_only_talks(self):
        study, _ = self.study_with("model: plain", "max_output: 300")
        self.assertRegex(study["detail"], r"^hypothesis-1: 4 replies of model small in a row called no tool: (its "
                         r"replies are text only|they were cut off at 300 tokens: raise `max_output`|it writes calls as text, so)")

    def test_a_study_pauses_because_its_task_does_not_fit(self):
        """The server breaks the stream off, and says why only where it is asked for a whole reply."""
        study, _ = self.study_with("model: short", "max_output: 300")
        self.assertIn("not even the task fits into the context of model small, 1024 tokens: raise it at the server, or name "
                      "another model, and resume", study["detail"])

    def test_a_study_uses_the_calls_that_a_grammar_wrote(self):
        """The grammar makes calls of known tools with arguments of the right types. What they say makes no sense, and this
        server shows the model no answer of a tool."""
        study, spoken = self.study_with("model: tools", CHOSEN, "stream: false", "max_output: 300")
        self.assertTrue(any(one.startswith("call ") for one in spoken), spoken)
        self.assertTrue(any(one.startswith("refused ") or one.startswith("answered ") for one in spoken), spoken)


class Transcript:
    """Requests and replies as the journal has them, shortened to a line each."""

    def __init__(self, home):
        self.home = home

    def blob(self, named):
        return (self.home / "blobs" / named["sha256"][:2] / named["sha256"][2:]).read_text()

    def of(self, events):
        for event in events:
            said = event["payload"]
            if event["type"] == "ModelAsked":
                yield from self.asked(json.loads(self.blob(said["request"])))
            elif event["type"] == "ModelAnswered" and said["end"]["failure"]:
                yield f"no reply: {json.dumps(said['end']['failure'])}"
            elif event["type"] == "ModelAnswered":
                yield from self.answered(json.loads(self.blob(said["end"]["reply"])))
            elif event["type"] == "ToolReturned":
                yield f"{'refused' if said['answer'].get('refused') else 'answered'} {said['answer']['tool']}: " + \
                    self.blob(said["answer"]["answer"])

    def asked(self, request):
        messages = request["messages"]
        if "after" not in request:
            yield f"asked anew: rules of {len(request['system'])} characters, {len(request['tools'])} tools, " + \
                f"{len(messages)} messages, the first one: {messages[0]['text']}"
        if len(messages) > 1 and messages[-1]["text"]:
            yield f"asked: {messages[-1]['text']}"

    def answered(self, reply):
        if reply["text"]:
            yield f"said ({reply['stop']}): {reply['text']}"
        for call in reply["calls"]:
            yield f"call {call['name']} {call['arguments']}"


if __name__ == "__main__":
    unittest.main(verbosity=2)  # It names what it skips.
