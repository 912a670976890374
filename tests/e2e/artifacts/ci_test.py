"""The action of GitHub (action.yml): its script, run as a runner would, shows what is wrong and where."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

ETUDE = pathlib.Path(os.environ.get("ETUDE", "build/etude")).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[3]
FIXTURE = ROOT / "tests/artifacts/fixtures/sized.zip"


def script_and_inputs():
    """The script of the action's only step, and the input that each of its variables has."""
    text = (ROOT / "action.yml").read_text()
    run = re.search(r"^      run: \|\n((?:        .*\n|\n)+)", text, re.M)
    return textwrap.dedent(run[1]), dict(re.findall(r"^        (\w+): \$\{\{ inputs\.(\w+) \}\}$", text, re.M))


class Action(unittest.TestCase):
    def setUp(self):
        self.repository = pathlib.Path(tempfile.mkdtemp(prefix="etude-ci-"))
        self.addCleanup(shutil.rmtree, self.repository)
        shutil.unpack_archive(FIXTURE, self.repository / "ara")
        self.head = json.loads((self.repository / "ara/etude.json").read_text())["events"]["head"]

    def run_action(self, **given):
        script, variables = script_and_inputs()
        inputs = {"artifact": "ara", "head": "", "strict": "false", "etude": str(ETUDE)} | given
        self.assertEqual(sorted(variables.values()), sorted(inputs))
        self.assertNotIn("${{", script)  # What an input holds is never a part of the script.
        environment = {"PATH": os.environ["PATH"]} | {name: inputs[given] for name, given in variables.items()}
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.repository,
                              env=environment, capture_output=True, text=True)

    def test_an_honest_artifact_passes(self):
        done = self.run_action(head=self.head)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotIn("::error", done.stdout)
        self.assertEqual(done.stdout.count("ara: 0 errors"), 2)

    def test_what_was_changed_is_shown_at_its_line(self):
        page = self.repository / "ara/logic/claims.md"
        lines = page.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if "**Status**: supported" in line)
        lines[at] = lines[at].replace("supported", "refuted")
        page.write_text("\n".join(lines) + "\n")
        done = self.run_action()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"\n::error file=ara/logic/claims.md,line={at + 1},title=etude changed-status::", done.stdout)

    def test_another_head_and_an_artifact_that_is_not_there_fail(self):
        done = self.run_action(head="0" * 64)
        self.assertEqual(done.returncode, 1)
        self.assertIn("::error file=ara/trace/events.jsonl,title=etude wrong-head::", done.stdout)
        self.assertEqual(self.run_action(artifact="$(touch made); touch made").returncode, 2)
        self.assertFalse((self.repository / "made").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
