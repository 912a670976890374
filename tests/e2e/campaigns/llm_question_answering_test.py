"""examples/llm-question-answering: the study finds what a model knows, and whether it knows that it does not."""
import fractions
import importlib.util
import itertools
import json
import math
import pathlib
import shutil
import unittest

from examinee import AskTest

ROOT = pathlib.Path(__file__).resolve().parents[3]


class LlmQuestionAnswering(AskTest):
    """With a model that knows every other item, and is 90 % sure of all. Told to be careful, it says 10 % where it does not
    know, and knows another item in place of one."""

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples" / "llm-question-answering", self.dir, dirs_exist_ok=True)
        self.items = [json.loads(line) for line in (self.dir / "items.jsonl").read_text().splitlines()]
        self.careful = False
        by_question = {item["question"]: item for item in self.items}
        self.model.knows = lambda question: self.reply(by_question[question])

    def reply(self, item):
        knows = int(item["id"][1:]) % 2 == 1
        if self.careful and item["id"] in ("e01", "e02"):
            knows = not knows
        sure = 10 if self.careful and not knows else 90
        return f"I think.\n**Answer:** {item['answer'] if knows else 'Z'}.\nConfidence: {sure}%"

    def test_verdicts(self):
        for how in ("plain", "careful"):
            self.careful = how == "careful"
            (self.dir / f"answers_{how}.jsonl").unlink()  # Another model gave those.
            self.ask("--instruction", f"instruction_{how}.md", output=f"answers_{how}.jsonl")
        (self.dir / "study.yaml").write_text((self.dir / "study.yaml").read_text() + "seeds: fixed\n")
        study = self.run_study()
        self.assertEqual({h["id"]: h["verdict"] for h in study["hypotheses"]},
                         {"H1": "supported", "H2": "supported", "H3": "supported", "H4": "supported", "H5": "supported"})
        self.etude("check", "--strict", self.dir / "study-ara")
        self.etude("audit", self.dir / "study-ara", "--head", study["head"])

    def test_recorded_answers_of_a_small_model(self):
        """It is no better than chance, and far more sure."""
        (self.dir / "study.yaml").write_text((self.dir / "study.yaml").read_text() + "seeds: fixed\n")
        study = self.run_study()
        verdicts = {h["id"]: h["verdict"] for h in study["hypotheses"]}
        self.assertEqual((verdicts["H1"], verdicts["H2"]), ("no_relevant_effect", "supported"))
        self.etude("check", "--strict", self.dir / "study-ara")
        self.etude("audit", self.dir / "study-ara", "--head", study["head"])

    def test_the_score_reads_replies(self):
        spec = importlib.util.spec_from_file_location("score", self.dir / "score.py")
        score = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(score)
        self.assertEqual(score.read_reply("Answer: 3\nConfidence: 20%\n\nAnswer: 4\nConfidence: 95.5 %"), ("4", 0.955))
        self.assertEqual(score.read_reply("It is 4."), (None, None))
        exact = {"answer_type": "exactMatch", "answer": "12345"}
        for said, right in (("12,345.", True), ("**12345**", True), ("$12345$", True), ("12346", False), ("x12345", False)):
            self.assertEqual(score.is_right(exact, said), right, said)
        self.assertTrue(score.is_right({"answer_type": "exactMatch", "answer": "5/12"}, "10/24"))
        choice = {"answer_type": "multipleChoice", "answer": "B"}
        for said, right in (("B", True), ("(b)", True), ("B. 42", True), ("A", False), ("Both", False)):
            self.assertEqual(score.is_right(choice, said), right, said)
        # Ten answers at 90 % of which half are right, and ten at 20 % of which two are: off by 0.4 and by nothing.
        pairs = [(0.9, i < 5) for i in range(10)] + [(0.2, i < 2) for i in range(10)]
        self.assertAlmostEqual(score.calibration_error(pairs), (0.16 / 2) ** 0.5)

    def test_items_have_the_answers_that_their_checks_compute(self):
        names = {"fractions": fractions, "itertools": itertools, "math": math}
        self.assertGreaterEqual(len(self.items), 40)
        checked = [item for item in self.items if "check" in item]
        self.assertGreater(len(checked), 25)
        for item in checked:
            value = eval(item["check"], dict(names))
            expected = "True" if item["answer_type"] == "multipleChoice" else item["answer"]
            self.assertEqual(str(value), expected, item["id"])


if __name__ == "__main__":
    unittest.main()
