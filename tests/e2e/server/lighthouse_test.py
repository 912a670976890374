"""What Lighthouse, in a real browser, says of the page: speed, accessibility and good practice, on a desktop and on a phone.

Each view in one of the two forms; ETUDE_LIGHTHOUSE=all: in both."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import unittest

import page_test
from harness import PATIENCE
from served import ServedTest

HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE.parents[1] / "peers"
# For a phone, a processor that is four times as slow and a slow connection are simulated.
LEAST = 95
# Lighthouse's benchmark index, from which on its times are the page's. An ordinary desktop has 1,500 or more.
CALM = 1500


@unittest.skipUnless((PEERS / "lighthouse/node_modules/lighthouse/package.json").exists(), "no Lighthouse from npm")
class LighthouseTest(ServedTest):
    def test_its_views_score_95_or_more(self):
        self.serve()
        folder = self.tmp / "tuned"
        folder.mkdir()
        (folder / "study.yaml").write_text(page_test.TUNED.lstrip())
        (folder / "job.py").write_text(page_test.TUNED_JOB.lstrip())
        study = self.post("/studies", {"path": str(folder / "study.yaml"), "jobs": 2}, 201)["id"]
        page_test.until(lambda: self.get(f"/studies/{study}")["state"] == "ended")
        places = ["", f"studies/{study}", f"studies/{study}/charts", f"runs/{study}-r7"]
        forms = ["desktop", "mobile"]
        views = [{"place": "/" + place if place else "", "form": form, "least": LEAST} for i, place in enumerate(places)
                 for form in (forms if os.environ.get("ETUDE_LIGHTHOUSE") == "all" else [forms[i % 2]])]
        asked = {"address": self.address, "token": self.token, "profile": str(self.tmp / "profile"), "views": views,
                 "calm": CALM}
        # In a group of its own, because the browser's starter is another process than the browser.
        measuring = subprocess.Popen(["node", str(HERE / "lighthouse.mjs")], text=True, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = measuring.communicate(json.dumps(asked), timeout=4 * PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(measuring.pid, signal.SIGKILL)
            measuring.wait()
        self.assertEqual(measuring.returncode, 0, err)
        found = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(found), len(views))
        for one in found:
            with self.subTest(view=one["place"], form=one["form"], found=one["found"]):
                scores = one["scores"]
                self.assertGreaterEqual(scores["accessibility"], LEAST)
                self.assertGreaterEqual(scores["best-practices"], LEAST)
                # On a busy machine, how long the page blocks says nothing of the page.
                if one["power"] >= CALM:
                    self.assertGreaterEqual(scores["performance"], one["least"])
                elif one["form"] == "desktop":
                    self.assertGreaterEqual(scores["steady"], LEAST)


if __name__ == "__main__":
    unittest.main()
