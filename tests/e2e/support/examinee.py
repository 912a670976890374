"""A model that answers questions over HTTP, and a test case for `etude ask`."""
import json
import os

from harness import EtudeTest
from scripted_model import ScriptedModel

KEY = "sk-never-to-be-shown-1234567890"


class Examinee(ScriptedModel):
    """Answers by `knows`: question → reply."""

    def __init__(self, knows):
        super().__init__({})
        self.knows, self.asked = knows, []

    def reply(self, request):
        question = request["messages"][-1]["content"]
        self.asked.append(request)
        text = self.knows(question)
        tokens = {"prompt_tokens": len(json.dumps(request["messages"])) // 4, "completion_tokens": len(text) // 4}
        return {"id": "1", "object": "chat.completion", "model": "examinee-1",
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
                "usage": {**tokens, "total_tokens": sum(tokens.values())}}


class AskTest(EtudeTest):
    def setUp(self):
        super().setUp()
        self.model = Examinee(lambda question: f"Answer: {question[-3]}\nConfidence: 90 %")
        self.addCleanup(self.model.close)
        self.configure()
        self.items = [{"id": f"q{i}", "question": f"What is {i}? ", "answer": f"secret {i}"} for i in range(4)]
        self.write_items()
        os.environ["EXAMINEE_KEY"] = KEY
        self.addCleanup(os.environ.pop, "EXAMINEE_KEY")

    def configure(self, prices="prices: {input: 1000, output: 1000}, ", model="examinee", most="max_output: 64"):
        self.write("config.yaml", f"""
            providers:
              here: {{api: openai, base_url: "{self.model.url}", key_env: EXAMINEE_KEY}}
            models:
              pupil: {{provider: here, model: {model}, {prices}{most}, stream: false}}
            """)

    def write_items(self):
        (self.dir / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in self.items))

    def ask(self, *more, code=0, output="answers.jsonl", name="pupil"):
        return self.etude("--config", "config.yaml", "ask", "items.jsonl", "--model", name, "-o", output, *more, code=code)
