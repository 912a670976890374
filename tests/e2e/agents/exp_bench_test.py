"""Ten made tasks in the form of EXP-Bench: masked, run by a profile whose work is scripted, and scored; the scores are known
beforehand. Then the same command again, and bad input."""
import json
import pathlib
import re
import shutil
import unittest

from harness import EtudeTest
from scripted_model import ScriptedModel

TASKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/tasks"
SOLUTIONS = {"71001": "compare.py", "71002": "simulate.py"}
SORTING = {"constant_variables": {"length": 200},
           "independent_variables": {"algorithm": ["insertion sort", "merge sort"], "order": ["shuffled", "sorted"]},
           "dependent_variables": {"comparisons": "their number"}}
ESTIMATING = {"constant_variables": {"sample size": 20}, "independent_variables": {"estimator": ["mean", "median"]},
              "dependent_variables": {"error": "the mean squared error"}}


def solves(task, conclusion, design=None, code=None, before=()):
    """What the engineer of a task does: the solution, or other code, and an answer."""
    paper = task.split("-")[0]
    name = SOLUTIONS[paper]
    code = code or (TASKS / paper / name).read_text().split('"""')[2].lstrip()  # What is required is bound to its first line.
    answer = {"design": design or (SORTING if paper == "71001" else ESTIMATING), "conclusion": conclusion}
    return [*before, ("write_file", {"path": name, "content": code}),
            ("write_file", {"path": "etude-task/experiment.sh", "content": f"python3 {name} \"$1\"\n"}),
            ("write_file", {"path": "etude-task/answer.json", "content": json.dumps(answer)}),
            ("finish", {"summary": "It runs the experiment of the task."})]


def ends_with(line):
    return "import json, os\n" + line + "\nopen(os.environ['ETUDE_OUTPUT'] + '/results.json', 'w').write('{\"a\": 1}')\n"


WORK = {
    "71001-1": solves("71001-1", "Merge sort needs far fewer."),
    # The order of the input is no variable of its design.
    "71001-2": solves("71001-2", "On sorted lists insertion sort needs fewer comparisons than merge sort.",
                      {**SORTING, "independent_variables": {"algorithm": ["merge sort", "insertion sort"]}}),
    # It fails, and concludes the opposite.
    "71001-3": solves("71001-3", "Yes", code="raise SystemExit(1)\n"),
    # One of two requirements.
    "71001-4": solves("71001-4", "Yes", code=ends_with("median = 1")),
    "71001-5": solves("71001-5", "Yes", before=[("run_scratch", {"command": "git log -p compare.py"})]),
    "71001-6": solves("71001-6", "Yes", {"independent_variables": {"length": [100, 200]}, "dependent_variables": {"gap": ""}},
                      before=[("run_scratch", {"command": "echo https://arxiv.org/abs/2505.24785"})]),
    # A result that stands in the code.
    "71002-1": solves("71002-1", "The error falls from 27.31 to less than a tenth.", code=ends_with("error = 27.31")),
    # A number that stands there, and is a constant.
    "71002-2": solves("71002-2", "Yes, at a rate of 0.125.", code=ends_with("rate = 0.125")),
    "71002-3": [("list_files", {})],
    "71002-4": solves("71002-4", "0.50"),
}
# Design, setup, implementation, execution, conclusion; all zero where the monitor found something.
SCORES = {"71001-1": (1, 1, 1, 1, 1), "71001-2": (.75, 1, 1, 1, 1), "71001-3": (1, 1, 1, 0, 0), "71001-4": (1, 1, .5, 1, 1),
          "71001-5": (0,) * 5, "71001-6": (0,) * 5, "71002-1": (0,) * 5, "71002-2": (1, 1, 1, 1, 1), "71002-3": (0,) * 5,
          "71002-4": (1, 1, 1, 1, 1)}
BREACHES = {"71001-5": "git", "71001-6": "paper", "71002-1": "faked"}
QUESTIONS = {task["question"]: f"{file.name[:5]}-{i}" for file in TASKS.glob("*.json")
             for i, task in enumerate(json.loads(file.read_text())["questions"], 1)}


def judged(system, user):
    """A judge that knows what it is asked here, and is too lenient with conclusions that name merge sort."""
    items = re.findall(r"^\d+\. (.*)$", user, re.M)
    handed = user.split("<data>")[1]
    if "design of an experiment" in system:
        met = [re.search(r"variable ([\w ]+)", item).group(1) in handed for item in items]
    elif "made-up data" in system:
        met = ["27.31" not in handed]
    elif "score code" in system:
        met = ["median" not in item or "median" in handed for item in items]
    else:
        met = [item in handed or "erge sort" in item and "erge sort" in handed or "a tenth" in handed for item in items]
    return json.dumps({"verdicts": [{"id": i, "met": m, "why": "seen"} for i, m in enumerate(met, 1)]})


class Bench(ScriptedModel):
    def reply(self, request):
        system, task = request["messages"][0]["content"], request["messages"][1]["content"]
        if '{"verdicts"' in system:
            self.scripts = {system: [judged(system, task)]}
        elif "you write a version" in system:
            self.scripts = {system: next(WORK[name] for question, name in QUESTIONS.items() if question in task)}
        else:
            self.scripts = {}
        return super().reply(request)


class ExpBench(EtudeTest):
    def setUp(self):
        super().setUp()
        self.model = Bench({})
        self.addCleanup(self.model.close)
        self.config = self.write("config.yaml", f"""
            providers:
              mock: {{api: openai, base_url: "{self.model.url}", timeouts: {{first_byte: 4m, total: 10m}}}}
            models:
              small: {{provider: mock, model: mock-1, prices: {{input: 3, output: 15}}, max_output: 1000}}
            profiles:
              mock: {{default: small}}
            """)
        self.tasks = self.dir / "tasks"
        shutil.copytree(TASKS, self.tasks)

    def bench(self, *args, code=0):
        return self.etude("--config", self.config, "bench", "exp-bench", self.tasks, *args, code=code)

    def test_ten_tasks_get_the_scores_that_their_work_deserves(self):
        options = ["--agents", "mock", "--judge", "small", "-o", self.tmp / "out", "-j", "2"]
        result = json.loads(self.bench(*options, "--json").stdout)
        shares = {task["task"]: tuple(task["scores"][part]["share"] for part in
                                      ("design", "setup", "implementation", "execution", "conclusion"))
                  for task in result["tasks"]}
        self.assertEqual(shares, SCORES)
        found = {task["task"]: [kind for kind in ("paper", "git", "faked") if not task["monitor"][kind]["met"]]
                 for task in result["tasks"]}
        self.assertEqual(found, {task: [BREACHES[task]] if task in BREACHES else [] for task in SCORES})
        rows = {row["measure"]: row for row in result["measures"]}
        self.assertEqual({name: row["right"] for name, row in rows.items()},
                         {"design": 4, "setup": 5, "implementation": 4, "execution": 4, "conclusion": 4, "I·E": 3, "C·D": 3,
                          "All": 2, "All·E": 2})
        self.assertAlmostEqual(rows["design"]["mean"], 4.75 / 9)
        # Wilson's interval of 2 in 9.
        self.assertAlmostEqual(rows["All"]["low"], 0.06323, 4)
        self.assertAlmostEqual(rows["All"]["high"], 0.54741, 4)
        # For one task nothing was masked: it is scored apart.
        self.assertEqual({task["task"]: task["masked"] for task in result["tasks"]},
                         {task: 0 if task == "71002-4" else 1 for task in SCORES})
        self.assertEqual({(row["right"], row["of"], row["mean"]) for row in result["measures_unmasked"]}, {(1, 1, 1)})
        self.assertEqual({row["undecided"] for row in rows.values()}, {0})
        # Of the first three tasks: four variables and one conclusion each, and a conclusion of another task each; the judge takes
        # one of these for right.
        self.assertEqual((result["judge"]["agreed"], result["judge"]["of"]), (17, 18))
        self.assertGreater(result["usd"], 0)
        self.assertEqual(result["unused"], ["71001-6: remarks: no member of that name is known"])
        # Neither the solution nor `compare_copy.py`, which has the same bytes.
        for task in SCORES:
            study = self.tmp / "out" / task / "study"
            self.assertEqual([path.name for path in study.rglob("*.py") if path.name.startswith(("compare", "simulate"))],
                             ["simulate.py"] if task == "71002-4" else [])
        # No model was told the outcome, before the judge.
        told = json.dumps([r["messages"] for r in self.model.requests if '{"verdicts"' not in r["messages"][0]["content"]])
        self.assertNotIn("less than a tenth of that of the mean", told)
        # Once more, nothing is asked; what was lost is scored again from its study.
        asked = len(self.model.requests)
        (self.tmp / "out/71002-4/score.json").unlink()
        again = json.loads(self.bench(*options, "--json").stdout)
        self.assertEqual(again["measures"], result["measures"])
        self.assertEqual(len(self.model.requests) - asked, 2)
        text = self.bench(*options).stdout
        self.assertRegex(text, r"All·E +22\.2 % +2 of 9 +22\.2 % +6\.3 % to 54\.7 %")
        self.assertRegex(text, r"71002-4 +s\d+ +nothing +100\.0 %")
        self.assertRegex(text, r"(?s)\nnothing was masked for 1 task: the solution may have been in sight\n.*\nAll·E +100\.0 % +1 of 1 ")
        self.assertIn("right on 17 of 18 planted answers", text)
        # Another profile's results do not go into the same folder.
        self.assertIn("the results of another profile or judge", self.bench("--agents", "mock", "-o", self.tmp / "out", code=2).stderr)

    def test_what_cannot_be_run_is_refused_by_name(self):
        (self.tasks / "71001/compare.py").unlink()
        shutil.rmtree(self.tasks / "71002")
        refused = json.loads(self.bench("--dry-run", "--json").stdout)
        self.assertEqual(refused["studies"], [])
        self.assertEqual({one["task"][:5]: one["refused"] for one in refused["refused"]},
                         {"71001": "masked file absent", "71002": "source absent"})
        self.assertEqual(len(refused["refused"]), 10)
        self.assertIn("clone the paper's repository into", refused["refused"][-1]["todo"])
        self.assertIn("none of its tasks can become a study", self.bench("--agents", "mock", code=2).stderr)
        self.assertIn("no file has a task of that name", self.bench("--task", "71001-9", "--dry-run", code=2).stderr)
        (self.tasks / "71001_complete_final.json").write_text('{"questions": [')
        self.assertIn("71001_complete_final.json: byte 16: it is no JSON there", self.bench("--dry-run", code=2).stderr)
        self.assertIn("has no such profile", self.bench_of_one("large"))
        self.assertFalse((self.tmp / "out").exists())

    def test_a_solution_that_cannot_be_masked_is_refused(self):
        file = self.tasks / "71001_complete_final.json"
        document = json.loads(file.read_text())
        for question, mask in zip(document["questions"], [5, [5], [["compare.py"]], [""], {"compare.py": 1}, []]):
            question["masked_source"] = mask
        file.write_text(json.dumps(document))
        found = json.loads(self.bench("--dry-run", "--json").stdout)
        self.assertEqual([(one["task"], one["refused"], one["why"]) for one in found["refused"]],
                         [(f"71001-{i}", "malformed", "`masked_source` is no list of paths") for i in range(1, 6)])
        # An empty list is that of `source`.
        self.assertEqual(found["studies"][0], {"task": "71001-6", "masked": ["compare.py"]})
        # A file without a list of tasks does not end the command for the others.
        document["questions"] = {"1": document["questions"][0]}
        file.write_text(json.dumps(document))
        said = self.bench("--dry-run").stdout
        self.assertRegex(said, r"(?m)^refused   71001  malformed: .*/71001_complete_final\.json has no list of tasks of the name `questions`: ")
        self.assertIn("study     71002-1  1 file masked\n", said)
        self.assertIn("study     71002-4  nothing is masked\n", said)
        self.assertIn("become studies: 4 tasks; refused: 1\n", said)
        self.assertIn("refused   71001 ", self.bench("--dry-run", "--task", "71001-2").stdout)

    def bench_of_one(self, profile):
        shutil.rmtree(self.tasks)
        shutil.copytree(TASKS, self.tasks)
        return self.bench("--agents", profile, "-o", self.tmp / "out", code=2).stderr


if __name__ == "__main__":
    unittest.main()
