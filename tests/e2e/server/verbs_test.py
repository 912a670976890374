"""What the command line does has a route, or a reason why it has none."""
import fcntl
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

from harness import ETUDE, until
from model_server import ModelServer
from served import ServedTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/studies"))
import confirm_formats_test  # noqa: E402

ROW = re.compile(r"^\| `([a-z -]+)` \| (.+) \|$", re.M)
CALLS = {"match": {"toolName": "report"},
         "response": {"toolCalls": [{"name": "report", "arguments": {"word": "ready"}}]}}


class VerbsTest(ServedTest):
    def refused(self, name, *asked):
        _, said = self.problem(*asked)
        self.assertEqual(said["type"], "/api/v1/problems#" + name, said)
        return said

    def test_each_verb_has_its_routes_or_a_reason(self):
        text = (ROOT / "docs/http.md").read_text().split("## The route of each verb")[1].split("\n## ")[0]
        with_routes, without = (dict(ROW.findall(part)) for part in text.split("These have none:"))
        manual = subprocess.run([ETUDE, "man"], capture_output=True, text=True, check=True).stdout.replace("\\-", "-")
        verbs = re.findall(r"^\.SS (.+)$", manual, re.M)
        # A verb that only groups others is none.
        verbs = {verb for verb in verbs if not any(other.startswith(verb + " ") for other in verbs)}
        self.assertGreater(len(verbs), 50)
        self.assertEqual(sorted([*with_routes, *without]), sorted(verbs))
        for verb, why in without.items():
            self.assertGreater(len(why), 5, verb)
        self.serve()
        there = {f"{method.upper()} {path}" for path, methods in self.get("/openapi.json")["paths"].items() for method in methods}
        for verb, routes in with_routes.items():
            named = re.findall(r"`([^`]+)`", routes)
            self.assertTrue(named, verb)
            self.assertLessEqual(set(named), there, verb)

    def test_garbage_is_deleted_once_every_study_has_ended(self):
        self.serve()
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 2}, 201)["id"]
        self.until_started(ident)
        said = self.refused("refused", 409, "POST", "/garbage/delete", {})
        self.assertIn(ident, said["title"])
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        orphan = self.home / "blobs" / hashlib.sha256(b"nobody's").hexdigest()[:2] / hashlib.sha256(b"nobody's").hexdigest()[2:]
        orphan.parent.mkdir(exist_ok=True)
        orphan.write_bytes(b"nobody's")
        listed = self.get("/garbage")
        self.assertIn(str(orphan), [one["path"] for one in listed["items"]])
        self.assertEqual(self.get("/garbage?limit=1")["total"], listed["total"])
        # A guest of the home holds its folder for tries.
        (self.home / "try").mkdir(exist_ok=True)
        guest = os.open(self.home / "try", os.O_RDONLY)
        fcntl.flock(guest, fcntl.LOCK_SH)
        self.refused("machine-fault", 503, "POST", "/garbage/delete", {})
        self.assertTrue(orphan.exists())
        os.close(guest)
        deleted = self.post("/garbage/delete", {})
        self.assertEqual((deleted["items"], deleted["bytes"], deleted["total"]), (listed["items"], listed["bytes"], len(listed["items"])))
        self.assertFalse(any(os.path.exists(one["path"]) for one in deleted["items"]))
        self.assertEqual(self.get("/garbage")["items"], [])
        self.assertTrue(self.post("/verify", {})["ok"])
        # Afterwards it works on.
        again = self.ended_study("two")
        self.assertEqual(self.get(f"/studies/{again}")["outcome"], "concluded")
        self.stop()
        self.serve("--read-only")
        self.post("/simulate", {"path": str(self.tmp / "one/study.yaml")})
        self.refused("forbidden", 403, "POST", "/garbage/delete", {})
        self.refused("forbidden", 403, "POST", "/doctor", {"models": ["small"]})
        self.refused("forbidden", 403, "POST", "/confirmations", {"path": "/tmp"})

    def test_a_model_is_asked_with_the_keys_of_the_kernel(self):
        key = "sk-never-to-be-shown-1234567890"
        server = ModelServer(self.tmp, [CALLS])
        self.addCleanup(server.close)
        os.environ["MOCK_KEY"] = key
        self.addCleanup(os.environ.pop, "MOCK_KEY")
        config = self.write("config.yaml", f"""
providers:
  mock: {{api: openai, base_url: "{server.url}/v1", key_env: MOCK_KEY, timeouts: {{first_byte: 4m, total: 10m}}}}
models:
  small: {{provider: mock, model: mock-1}}
  other: {{provider: mock, model: mock-2}}
""")
        self.serve("--config", str(config))
        said = self.post("/doctor", {"models": ["small"]})
        check, = said["checks"]
        self.assertTrue(check["detail"].startswith("small: answered in "), check)
        self.assertEqual((said["ok"], check["status"] != "missing"), (True, True))
        self.assertNotIn(key, str(said))
        self.assertIn("smal", self.refused("invalid-content", 422, "POST", "/doctor", {"models": ["smal"]})["detail"])
        for models in ([], "small", ["x"] * 17, [7]):
            self.refused("invalid-member", 422, "POST", "/doctor", {"models": models})

    def test_pools_are_simulated_from_what_runs_took(self):
        self.serve()
        file = self.held("one")
        said = self.refused("invalid-content", 422, "POST", "/simulate", {"path": str(file), "jobs": 4})
        self.assertIn("no run of these commands has ended", said["title"])
        ident = self.post("/studies", {"path": str(file), "jobs": 2}, 201)["id"]
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        told = self.post("/simulate", {"path": str(file), "jobs": 4})
        self.assertEqual([pool["jobs"] for pool in told["pools"]], [1, 2, 4])
        self.assertEqual(told, self.json("simulate", file, "-j", "4"))
        self.assertEqual(self.post("/simulate", {"text": file.read_text(), "folder": str(file.parent), "jobs": 4}), told)
        self.assertEqual(self.refused("invalid-content", 422, "POST", "/simulate", {"path": str(file), "gpus": 2})["what"], "gpus")
        for wrong in ({"jobs": 0}, {"gpus": 65}, {"usd_per_gpu_hour": "x"}, {"usd_per_gpu_hour": -1}, {"type": 7}, {"path": "study.yaml"}):
            self.refused("invalid-member", 422, "POST", "/simulate", {"path": str(file), **wrong})
        self.assertEqual(self.get("/studies")["total"], 1)

    def test_the_page_of_a_study_is_sent_as_a_zip(self):
        self.serve()
        ident = self.ended_study()
        answer, said = self.ask("GET", f"/studies/{ident}/export?to=page")
        place = self.tmp / "page"
        made = subprocess.run(self.command("export", ident, "--to", "page", "-o", place), capture_output=True, text=True, cwd=self.dir)
        if answer.status == 503:  # Of a program without the page.
            self.assertEqual((said["what"], made.returncode), ("the page", 3))
            return
        with zipfile.ZipFile(io.BytesIO(said)) as archive:
            sent = {pathlib.PurePath(name).name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        written = {path.name: path.read_bytes() for path in place.iterdir()}
        self.assertEqual(sorted(sent), sorted(written))
        moment = re.compile(rb"made[\\]*\":[\\]*\"[^\"\\]+")
        self.assertEqual({name: moment.sub(b"", bytes) for name, bytes in sent.items()},
                         {name: moment.sub(b"", bytes) for name, bytes in written.items()})
        self.refused("not-found", 404, "GET", "/studies/s9/export?to=page")
        self.refused("invalid-parameter", 400, "GET", f"/studies/{ident}/export?to=zip&allow_secrets=true")

    def test_an_artifact_is_searched_and_asked(self):
        self.serve()
        ident = self.ended_study()
        artifact = self.get(f"/studies/{ident}/artifact")["path"]
        found = self.get(f"/artifacts/find?artifact={ident}&q=fast%20costs&limit=3")
        self.assertEqual(found["items"], self.lines("ara", "find", artifact, "fast costs", "--limit", "3"))
        self.assertGreater(found["total"], 3)
        following = self.get(f"/artifacts/find?artifact={ident}&q=fast%20costs&limit=3&cursor={found['cursor']}")
        self.assertFalse([one for one in following["items"] if one in found["items"]])
        claims = self.get(f"/artifacts/find?artifact={artifact}&q=fast&type=claim")["items"]
        self.assertEqual({one["kind"] for one in claims}, {"claim"})
        asked = self.get(f"/artifacts/ask?artifact={ident}&q=which%20claims%20were%20refuted%3F")
        first, *answers = self.lines("ara", "ask", artifact, "which claims were refuted?", "--limit", "100")
        self.assertEqual((asked["read_as"], asked["items"]), (first["read_as"], answers))
        for path in ("find", "ask"):
            self.refused("invalid-parameter", 400, "GET", f"/artifacts/{path}?artifact={ident}")
            self.refused("invalid-parameter", 400, "GET", f"/artifacts/{path}?q=fast")
            self.refused("not-found", 404, "GET", f"/artifacts/{path}?artifact=s9&q=fast")
            self.refused("invalid-content", 422, "GET", f"/artifacts/{path}?artifact={self.home}&q=fast")
        self.stop()
        self.serve("--read-only")
        self.assertEqual(self.get(f"/artifacts/find?artifact={ident}&q=fast%20costs&limit=3"), found)
        self.refused("forbidden", 403, "GET", f"/artifacts/find?artifact={artifact}&q=fast")

    def test_a_history_is_confirmed(self):
        self.serve()
        confirm_formats_test.ConfirmFormatsTest.optuna(self, values=(3.0, 1.0))
        self.write("job.py", """
            import random, sys
            print("loss:", 10 * float(sys.argv[1]) + random.Random(" ".join(sys.argv)).gauss(0, 0.01))
            """)
        asked = {"path": str(self.dir / "tune.db"), "run": "python3 job.py {lr} {seed}", "metric": "loss", "replicates": "5",
                 "resource": ["sandbox=none"], "in": str(self.dir)}
        without = {name: value for name, value in asked.items() if name != "in"}
        self.assertEqual(self.refused("invalid-content", 422, "POST", "/confirmations", without)["what"], "in")
        for wrong in ({"path": "tune.db"}, {"path": ""}, {"folder": "made"}, {"in": "."}, {"goal": "up"}, {"against": "all"},
                      {"top": 0}, {"skip": "0"}, {"data": ["x=relative"]}):
            self.refused("invalid-member", 422, "POST", "/confirmations", asked | wrong)
        made = self.post("/confirmations", asked, 201)
        self.assertEqual((made["folder"], made["study"]), (str(self.dir / "tune-confirm"), str(self.dir / "tune-confirm/study.yaml")))
        self.assertEqual((self.dir / "tune-confirm/study.yaml").read_text(), made["text"])
        self.assertIn("`opt`", " ".join(made["notes"]))
        self.refused("refused", 409, "POST", "/confirmations", asked)
        self.json("confirm", "tune.db", "--run", asked["run"], "--metric", "loss", "--replicates", "5", "--resource", "sandbox=none",
                  "--no-run", "-o", "other")
        self.assertEqual((self.dir / "other/study.yaml").read_text().replace("/other", "/tune-confirm"), made["text"])
        ident = self.post("/studies", {"path": made["study"], "jobs": 2}, 201)["id"]
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        told = self.get(f"/confirmations/{ident}")
        self.assertEqual(told, self.json("confirm", made["folder"]))
        self.assertEqual(told["improvements"][0]["against_baseline"]["word"], "holds")
        other = self.ended_study()
        self.refused("not-found", 404, "GET", f"/confirmations/{other}")
        self.refused("not-found", 404, "GET", "/confirmations/s9")


if __name__ == "__main__":
    unittest.main()
