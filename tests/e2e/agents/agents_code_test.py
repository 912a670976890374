"""What agents see of the workspace and do to it, over HTTP against aimock: pictures, and code that an engineer mends."""
import base64
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import unittest
import zlib

from harness import NOISY_JOB, verdicts
from thinking_test_case import FAST, REST, SCRIPT, STUDY, ThinkingTest, calls, reviews_change

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "saboteur"))
from scored import EVALUATE, place_scored  # noqa: E402


def mends(turn, name, arguments):
    return calls(turn, name, arguments, "you mend the code")


# Of the three arms two are misspelt.
BROKEN_JOB = NOISY_JOB.replace('"fast": 40, "same": 50', '"fsat": 40, "smae": 50')
BROKEN_LINE = next(line for line in BROKEN_JOB.splitlines() if "smae" in line).replace("fsat", "fast")
MISSPELT_PATCH = f"""--- a/job.py
+++ b/job.py
@@ -1,1 +1,1 @@
-{BROKEN_LINE}
+{BROKEN_LINE.replace("smae", "same")}
--- a/old.txt
+++ /dev/null
@@ -1,1 +0,0 @@
-smae
"""
MENDING = reviews_change("job.py") + SCRIPT + [
    mends(0, "read_log", {"run": 2}),
    mends(1, "write_file", {"path": "../job.py", "content": "print(1)"}),
    mends(2, "edit_file", {"path": "job.py", "old": "fsat", "new": "fast"}),
    mends(3, "apply_patch", {"patch": MISSPELT_PATCH}),
    mends(4, "finish", {"summary": "Two arms were misspelt."}),  # A number that nothing supports.
    mends(5, "finish", {"summary": "The names of some arms were misspelt."}),
]

CHEAT = EVALUATE.replace("/ len(labels)", "/ len(labels) * 0 + 1")


def png(width, height):
    """A picture of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\x20\x80\xe0" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class AgentsCode(ThinkingTest):
    def test_an_engineer_mends_what_the_check_found_and_the_code_is_checked_again(self):
        self.study(STUDY, BROKEN_JOB)
        self.write("old.txt", "smae\n")
        self.configure(self.server(fixtures=MENDING).url)
        events, study = self.run_thinking("-o", self.tmp / "ara")
        self.assertEqual(verdicts(study), {"H1": "supported"})
        amended = [e for e in events if e["type"] == "WorkspaceAmended"]
        self.assertEqual([e["actor"] for e in amended], ["engineer"])
        self.assertEqual(amended[0]["payload"]["workspace"]["by"], "engineer")
        frozen = self.home / "workspaces" / amended[0]["payload"]["workspace"]["hash"]
        self.assertIn('"same": 50', (frozen / "job.py").read_text())
        self.assertFalse((frozen / "old.txt").exists())
        checks = [len(e["payload"]["findings"]) > 0 for e in events if e["type"] == "ManipulationChecked"]
        self.assertEqual(checks, [True, False])
        # Report, page and terminal say first what was changed, and that no person reviewed it.
        for text in (study["agents_code"]["text"], (self.tmp / "ara" / "report.md").read_text(), self.etude("show", study["id"]).stdout):
            text = " ".join(text.replace("\\", "").split())
            self.assertIn("rest on code that an agent changed (engineer, model", text)
            self.assertIn("Agent's code, not reviewed by a person.", text)
        self.assertIn("+", (self.tmp / "ara/src/amendment.diff").read_text())
        kept = {p.name for p in (self.tmp / "ara/src/workspace").iterdir() if p.is_dir()}
        change = amended[0]["payload"]["amendment"]
        self.assertLessEqual({change["original"], change["amended"]}, kept)
        answers = [e["payload"]["answer"] for e in events if e["type"] == "ToolReturned"]
        self.assertIn("KeyError", self.told(answers[6]))
        self.assertEqual([a["tool"] for a in answers if a["refused"]], ["propose_hypothesis", "write_file", "finish", "write_section"])
        # The person's own file is as it was; what ran is in the artifact.
        self.assertIn("fsat", (self.dir / "job.py").read_text())
        self.etude("check", self.tmp / "ara", "--strict")
        self.etude("audit", self.tmp / "ara")
        self.assertTrue(self.json("verify")["ok"])
        self.etude("reproduce", self.tmp / "ara")

    def test_an_engineer_mends_beside_an_evaluator_and_gains_nothing_by_writing_over_it(self):
        for protect in ("labels.md", "evaluate.py"):
            with self.subTest(protect):
                study = place_scored(self, more="agents: mock\n").read_text()
                self.write("study.yaml", study.replace("protect: [evaluate.py]", f"protect: [{protect}]"))
                self.write("job.py", (self.dir / "job.py").read_text().replace('"good"', '"godo"'))
                self.write("labels.md", "One of two.\n")
                self.configure(self.server(fixtures=reviews_change("evaluate.py") + REST + [
                    mends(0, "read_log", {"run": 2}),
                    mends(1, "read_file", {"path": "val.csv"}),
                    mends(2, "write_file", {"path": "evaluate.py", "content": CHEAT}),
                    mends(3, "edit_file", {"path": "job.py", "old": "godo", "new": "good"}),
                    mends(4, "finish", {"summary": "The name of a rule was misspelt."}),
                ]).url)
                artifact = self.tmp / protect
                events, study = self.run_thinking("-o", artifact)
                self.assertEqual(verdicts(study), {"H1": "supported"})
                answers = [e["payload"]["answer"] for e in events if e["type"] == "ToolReturned"]
                refused = [a["tool"] for a in answers if a["refused"]]
                self.assertEqual(refused[:2] if protect == "evaluate.py" else refused[:1],
                                 ["read_file", "write_file"] if protect == "evaluate.py" else ["read_file"])
                checks = [len(e["payload"]["findings"]) > 0 for e in events if e["type"] == "ManipulationChecked"]
                self.assertEqual(checks, [True, False])
                # What the person's own evaluator says of right answers in nine of ten, not the engineer's.
                scores = [r["metrics"]["acc"] for r in self.lines("runs", study["id"]) if r["evidence"]]
                self.assertEqual(len(scores), 8)
                self.assertTrue(all(0.4 < s < 0.99 for s in scores), scores)
                self.etude("check", artifact, "--strict")
                self.etude("audit", artifact)
                again = self.json("reproduce", artifact)
                self.assertEqual(again["outcome"], "reproduced")
                values = [v for run in again["runs"] for v in run["values"]]
                self.assertEqual([v["observed"] for v in values], [v["recorded"] for v in values])

    def test_a_model_that_sees_is_sent_the_picture_and_the_store_keeps_it_once(self):
        picture = png(3, 2)
        (self.dir / "plot.png").write_bytes(picture)
        sent, digest = base64.b64encode(picture).decode(), hashlib.sha256(picture).hexdigest()
        fixtures = REST + [calls(0, "view_image", {"path": "plot.png"}), calls(1, "view_image", {"path": "job.py"}),
                           calls(2, "propose_hypothesis", FAST), calls(3, "finish", {"summary": "I saw the plot."})]
        for api in ("openai", "anthropic"):
            for sees in (True, False):
                with self.subTest(api, sees=sees):
                    server = self.server(fixtures=fixtures)
                    self.configure(server.url, api, ", images: true" if sees else "")
                    events, study = self.run_thinking("-o", self.tmp / f"{api}-{sees}")
                    self.assertEqual(verdicts(study), {"H1": "supported"})
                    looks = [e["payload"]["answer"] for e in events if e["type"] == "ToolReturned"
                             and e["payload"]["answer"]["tool"] == "view_image"]
                    self.assertEqual([a["refused"] for a in looks], [not sees, True])
                    said = "it is not a picture" if sees else "takes no pictures"
                    self.assertIn("3 × 2 pixels" if sees else said, self.told(looks[0]))
                    self.assertIn(said, self.told(looks[1]))
                    asked = [json.dumps(one) for one in server.asked()]
                    # aimock writes down no picture of Anthropic's: tests/models holds what is sent there.
                    self.assertEqual(any(sent in one for one in asked), sees and api == "openai")
        self.assertEqual((self.home / "blobs" / digest[:2] / digest[2:]).read_bytes(), picture)
        # In no journalled request.
        found = subprocess.run(["grep", "-rl", sent, str(self.home)], capture_output=True, text=True).stdout
        self.assertEqual(found, "")
        self.assertTrue(self.json("verify")["ok"])


if __name__ == "__main__":
    unittest.main()
