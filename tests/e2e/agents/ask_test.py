"""`etude ask`: a model answers items, each once and within a budget, and what it cost is on record."""
import fcntl
import hashlib
import json
import os
import unittest

from examinee import KEY, AskTest, Examinee


class Ask(AskTest):
    def lines(self, output="answers.jsonl"):
        return [json.loads(line) for line in (self.dir / output).read_text().splitlines()]

    def test_each_item_is_asked_once_and_only_its_question_is_sent(self):
        self.write("how.md", "Answer in two lines.\n")
        said = json.loads(self.ask("--instruction", "how.md", "--json").stdout)
        self.assertEqual((said["items"], said["answers"], said["asked_now"], said["complete"]), (4, 4, 4, True))
        self.assertEqual([r["messages"][-1]["content"] for r in self.model.asked], [i["question"] for i in self.items])
        self.assertTrue(all(r["messages"][0]["content"] == "Answer in two lines.\n" for r in self.model.asked))
        self.assertNotIn("secret", json.dumps(self.model.asked))
        header, *rest = self.lines()
        self.assertEqual((header["model"], header["asked_as"], header["extra"], header["max_output"]), ("pupil", "examinee", {}, 64))
        # Each request is on record before its answer, and no request after the next one's.
        self.assertEqual([line.get("asks") or line["id"] for line in rest], [f"q{i}" for i in range(4) for _ in range(2)])
        answers = [line for line in rest if "id" in line]
        self.assertEqual([a["answered_by"] for a in answers], ["examinee-1"] * 4)
        self.assertAlmostEqual(sum(a["usd"] for a in answers), said["usd"])
        self.assertEqual(sum(a["tokens"] for a in answers), said["tokens"])
        self.assertAlmostEqual(said["usd"], said["tokens"] * 1000 / 1e6)
        self.assertNotIn(KEY, (self.dir / "answers.jsonl").read_text())
        # Again: nothing is left to ask, and no byte changes.
        before = (self.dir / "answers.jsonl").read_bytes()
        again = json.loads(self.ask("--instruction", "how.md", "--json").stdout)
        self.assertEqual((again["asked_now"], again["answers"], again["usd"]), (0, 4, said["usd"]))
        self.assertEqual(len(self.model.asked), 4)
        self.assertEqual((self.dir / "answers.jsonl").read_bytes(), before)
        # An older file does not say all of how the model was asked.
        del header["extra"], header["max_output"]
        (self.dir / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [header, *rest]))
        self.assertEqual(json.loads(self.ask("--instruction", "how.md", "--json").stdout)["asked_now"], 0)

    def test_a_study_with_answers_as_data_tells_what_they_cost(self):
        said = json.loads(self.ask("--json").stdout)
        # Once as data, once more in the workspace, and a file of other lines.
        (self.dir / "code").mkdir()
        (self.dir / "code/copy.jsonl").write_bytes((self.dir / "answers.jsonl").read_bytes())
        (self.dir / "code/other.jsonl").write_bytes((self.dir / "items.jsonl").read_bytes())
        (self.dir / "code/score.py").write_text(
            "import json, os, sys\n"
            "print(json.dumps({'name': 'right', 'value': 1}), file=open(os.environ['ETUDE_METRICS'], 'a'))\n")
        self.write("code/study.yaml", """
            etude: 1
            title: Answers
            question: Are they right?
            run: python3 -S score.py {data.answers} {arm}
            data: {answers: {path: ../answers.jsonl}}
            factors: {arm: {levels: [a, b], baseline: a}}
            metrics: {right: {goal: maximize, deterministic: true}}
            design: {replicates: {min: 2, max: 2}, smoke: false}
            """)
        words = f"answers.jsonl: 4 answers of pupil, {said['tokens']} tokens for ${said['usd']:.2g}"
        paid = [{"file": "answers.jsonl", "sha256": hashlib.sha256((self.dir / "answers.jsonl").read_bytes()).hexdigest(),
                 "model": "pupil", "answers": 4, "tokens": said["tokens"], "usd": said["usd"]}]
        self.assertIn(words, self.etude("plan", "code/study.yaml").stdout)
        self.assertEqual(self.json("plan", "code/study.yaml")["cost"]["answers"], paid)
        self.etude("run", "code/study.yaml")
        ledger = self.json("show", "s1")["ledger"]
        self.assertEqual(ledger["answers"], paid)
        self.assertEqual(ledger["usd"]["spent"], 0)  # They are no part of the budget.
        self.assertIn(words, self.etude("show", "s1", "--all").stdout)
        self.assertIn(words.replace("$", r"\$"), (self.dir / "code/study-ara/report.md").read_text())
        self.etude("audit", self.dir / "code/study-ara")

    def test_what_a_crash_left_is_taken_up(self):
        self.ask()
        whole = self.lines()
        text = (self.dir / "answers.jsonl").read_text().splitlines(keepends=True)
        # A kill while the third answer was written: its request may have been paid.
        (self.dir / "answers.jsonl").write_text("".join(text[:6]) + text[6][:20])
        said = json.loads(self.ask("--json").stdout)
        self.assertEqual((said["asked_now"], said["answers"]), (2, 4))
        self.assertEqual([r["messages"][-1]["content"] for r in self.model.asked[4:]], ["What is 2? ", "What is 3? "])
        reserved = next(line["tokens"] for line in whole if line.get("asks") == "q2")
        self.assertEqual(said["tokens"], sum(line["tokens"] for line in whole if "id" in line) + reserved)

    def test_a_budget_counts_the_whole_file(self):
        self.ask()
        lines = self.lines()
        reserved, paid = lines[1]["usd"], lines[2]["usd"]
        os.remove(self.dir / "answers.jsonl")
        del self.model.asked[:]
        enough_for_two = 1.5 * paid + reserved
        said = self.ask("--budget", f"usd={enough_for_two}", code=4)
        self.assertIn("the next question may cost", said.stderr)
        self.assertEqual(len(self.model.asked), 2)
        self.ask("--budget", f"usd={enough_for_two}", code=4)
        self.assertEqual(len(self.model.asked), 2)
        self.ask("--budget", "tokens=1", code=4)
        self.ask("--budget", "usd=100")
        self.assertEqual(len(self.model.asked), 4)

    def test_a_provider_that_is_gone_leaves_what_was_answered(self):
        url = self.model.url
        self.ask()
        del self.items[0]["answer"]  # Which nobody asks for.
        self.items.append({"id": "q4", "question": "What is 4? "})
        self.write_items()
        self.assertIn("to another `questions`", self.ask(code=2).stderr)
        self.model.close()
        said = self.ask(code=3, output="more.jsonl")
        self.assertIn("etude doctor --model pupil", said.stderr)
        self.assertIn(url.rsplit(":", 1)[1].split("/")[0], said.stderr)
        self.assertEqual(self.lines("more.jsonl")[-1]["not_served"], "q0")
        self.assertEqual(sum("id" in line for line in self.lines("more.jsonl")), 0)
        self.model = Examinee(self.model.knows)
        self.addCleanup(self.model.close)
        self.configure()
        said = json.loads(self.ask("--json", output="more.jsonl").stdout)
        self.assertEqual(said["answers"], 5)
        self.assertEqual(said["tokens"], sum(line["tokens"] for line in self.lines("more.jsonl") if "id" in line))

    def test_bad_input_changes_nothing(self):
        self.write("other.txt", "my own notes\n")
        self.assertIn("the file holds something else", self.ask(code=2, output="other.txt").stderr)
        self.assertEqual((self.dir / "other.txt").read_text(), "my own notes\n")
        self.ask()
        before = (self.dir / "answers.jsonl").read_bytes()
        self.configure(model="examinee-2")
        self.assertIn("to another `asked_as`", self.ask(code=2).stderr)
        for other, most in (("max_output", "max_output: 65"), ("extra", "max_output: 64, extra: {top_k: 20}")):
            self.configure(most=most)
            self.assertIn(f"to another `{other}`", self.ask(code=2).stderr)
        self.configure()
        self.write("how.md", "Be brief.\n")
        self.assertIn("to another `instruction`", self.ask("--instruction", "how.md", code=2).stderr)
        with open(self.dir / "answers.jsonl") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.assertIn("another process writes them", self.ask(code=2).stderr)
        self.assertEqual((self.dir / "answers.jsonl").read_bytes(), before)
        self.configure(prices="")
        self.assertIn("price of pupil is not known", self.ask("--budget", "usd=1", code=2, output="new.jsonl").stderr)
        self.assertIn("money and tokens only", self.ask("--budget", "runs=1", code=2, output="new.jsonl").stderr)
        self.assertIn("there is no such model", self.ask(code=2, output="new.jsonl", name="nobody").stderr)
        self.assertIn("cannot be read", self.ask("--instruction", "none.md", code=2, output="new.jsonl").stderr)
        for text, why in (("", "there is none"), ("{}\n", "must be a text"), ('{"id": "a"}\n', "question"),
                          ("[1]\n", "is no JSON object"), ('{"id": "a", "question": "b"}\n' * 2, "stands in the file before"),
                          ('{"id": "a", "question": "b", "image": "x.png"}\n', "pictures are not shown")):
            (self.dir / "items.jsonl").write_text(text)
            self.assertIn(why, self.ask(code=2, output="new.jsonl").stderr, text)
        os.remove(self.dir / "items.jsonl")
        self.assertIn("cannot be read", self.ask(code=2, output="new.jsonl").stderr)
        self.assertFalse((self.dir / "new.jsonl").exists())


if __name__ == "__main__":
    unittest.main()
