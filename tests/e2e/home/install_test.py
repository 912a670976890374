"""`make install`: what it puts into a folder works from there, and describes itself."""
import json
import pathlib
import subprocess
import unittest

from harness import ETUDE, PATIENCE, EtudeTest, verdicts


@unittest.skipUnless((ETUDE.parent / "cmake_install.cmake").exists(), "the program is in no build folder of CMake")
class Install(EtudeTest):
    def setUp(self):
        super().setUp()
        self.prefix = self.tmp / "prefix"
        done = subprocess.run(["cmake", "--install", ETUDE.parent, "--prefix", self.prefix], capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def command(self, *args):
        return [str(self.prefix / "bin/etude"), *super().command(*args)[1:]]

    def test_the_installed_program_runs_a_study(self):
        self.study()
        study = self.run_study()
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        # Its supervisor is the one beside it.
        checks = {check["name"]: check for check in json.loads(self.etude("doctor", "--json", code=None).stdout)["checks"]}
        self.assertEqual((checks["supervisor"]["status"], checks["supervisor"]["detail"]),
                         ("ok", str(self.prefix / "lib/etude/etude-supervisor")))

    def test_manual_completion_and_documents_are_those_of_the_program(self):
        share = self.prefix / "share"
        for file, words in {"man/man1/etude.1": ["man"], "bash-completion/completions/etude": ["completion", "bash"],
                            "zsh/site-functions/_etude": ["completion", "zsh"],
                            "fish/vendor_completions.d/etude.fish": ["completion", "fish"]}.items():
            self.assertEqual((share / file).read_text(), self.etude(*words).stdout, file)
        for file in ("README.md", "LICENSE", "docs/install.md", "examples/sorting/study.yaml"):
            source = pathlib.Path(__file__).resolve().parents[3] / file
            self.assertEqual((share / "doc/etude" / file).read_bytes(), source.read_bytes(), file)


if __name__ == "__main__":
    unittest.main()
