"""The page, in a real browser on a real server with a real study. Screenshots are kept in the build folder."""
import gzip
import json
import pathlib
import re
import subprocess
import unittest

from harness import ETUDE
from served import ServedTest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class PageTest(ServedTest):
    def test_a_study_from_its_beginning_to_a_run_behind_a_claim(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        file = self.held("one")
        text = file.read_text() + "gates: [{on: hypotheses}]\n"
        file.unlink()
        job = file.parent / "job.py"
        once = 'out.write(json.dumps({"name": "cost", "value": value}) + "\\n")'
        stepwise = 'out.writelines(json.dumps({"name": "cost", "value": value + 4 - i, "step": i}) + "\\n" for i in range(5))'
        self.assertIn(once, job.read_text())
        # Run again, it is in a sandbox, where nobody counts its starts.
        seen, anywhere = 'open(starts, "a")', 'open(starts if os.path.exists(os.path.dirname(starts)) else os.devnull, "a")'
        self.assertIn(seen, job.read_text())
        job.write_text(job.read_text().replace(once, stepwise).replace(seen, anywhere))
        self.serve()
        asked = {"link": self.link, "text": text, "home": str(file.parent), "hold": str(self.tmp / "one.hold")}
        done = subprocess.run(["node", str(HERE / "page.mjs"), str(pictures)], input=json.dumps(asked), text=True,
                              capture_output=True, timeout=400)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(done.stdout, "")
        study = self.get("/studies/s1")
        self.assertEqual(study["outcome"], "concluded")
        self.assertIn("mind the <b>small</b> inputs", json.dumps(study["steering"]))

    def test_the_page_hears_every_type_of_event(self):
        names = re.search(r"EventBody>> names = \{(.*?)\};", (ROOT / "kernel/codec.cc").read_text(), re.S).group(1)
        heard = re.search(r"const event_types = \[(.*?)\]", (ROOT / "apps/web/src/api.ts").read_text(), re.S).group(1)
        words = lambda text: sorted(re.findall(r'"(\w+)"', text))
        self.assertGreater(len(words(names)), 30)
        self.assertEqual(words(heard), words(names))

    def test_the_first_load_is_small_and_all_of_it_is_here(self):
        self.serve()
        index = self.ask("GET", "//", token=False)[1].decode()
        self.assertNotRegex(index, r"https?://(?!www\.w3\.org/)")
        parts = re.findall(r'(?:src|href)="(/[^"]+)"', index)
        self.assertIn("/page.js", parts)
        total = len(gzip.compress(index.encode()))
        for part in parts:
            connection = self.connection()
            connection.request("GET", part, headers={"Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.headers["Content-Encoding"]), (200, "gzip"))
            total += len(answer.read())
            connection.close()
        self.assertLess(total, 300_000)


if __name__ == "__main__":
    unittest.main()
