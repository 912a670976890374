"""Whether every answer of the API is what its description says."""
import json
import pathlib
import subprocess
import sys
import unittest

from harness import PATIENCE, until
from held import GATED_STUDY
from served import ServedTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/studies"))
import confirm_formats_test  # noqa: E402
PEERS = ROOT / "tests/peers"


class Answering(ServedTest):
    """Each answer beside its schema: of the types that it says, and with no member that it does not name."""

    def test_answers_and_refusals_are_what_the_description_says(self):
        self.serve()
        asked = []

        def keep(method, path, place, body=None, status=200):
            answer, said = self.ask(method, place, body)
            self.assertEqual(answer.status, status, said)
            asked.append({"method": method.lower(), "path": path, "status": str(status), "said": said, "sent": body})
            return said

        keep("GET", "/templates", "/templates")
        made = keep("POST", "/folders", "/folders", {"folder": str(self.tmp / "begun"), "template": "compare"}, 201)
        self.assertEqual(sorted(p.name for p in (self.tmp / "begun").iterdir()), made["files"])
        keep("POST", "/folders", "/folders", {"folder": str(self.tmp / "begun")}, 409)
        keep("POST", "/folders", "/folders", {"folder": "begun"}, 422)
        planned = keep("POST", "/plan", "/plan", {"path": made["study"]})
        self.assertEqual(planned, self.json("plan", made["study"]))
        right = {"text": made["text"], "folder": made["folder"]}
        self.assertEqual(keep("POST", "/validate", "/validate", right)["problems"], [])
        wrong = {**right, "text": made["text"].replace("levels: [list, set]", "levels: [list, list]")}
        problem, = keep("POST", "/validate", "/validate", wrong)["problems"]
        self.assertEqual(problem["line"], made["text"].split("\n").index("  container: {levels: [list, set], baseline: list}") + 1)
        keep("POST", "/plan", "/plan", wrong, status=422)
        keep("POST", "/try", "/try", {"path": made["study"], "set": {"container": "set"}, "timeout_s": 60})
        keep("POST", "/try", "/try", wrong, status=422)
        keep("POST", "/simulate", "/simulate", {"path": made["study"], "jobs": 2})  # From the run that was tried.
        keep("POST", "/simulate", "/simulate", wrong, status=422)
        confirm_formats_test.ConfirmFormatsTest.optuna(self, values=(3.0, 1.0))
        self.write("job.py", "import sys\nprint('loss:', 10 * float(sys.argv[1]) + int(sys.argv[2]) % 9973 / 1e6)\n")
        confirmed = keep("POST", "/confirmations", "/confirmations", {
            "path": str(self.dir / "tune.db"), "run": "python3 job.py {lr} {seed}", "metric": "loss", "replicates": "5", "in": str(self.dir),
            "resource": ["sandbox=none"], "top": 1, "against": "both"}, 201)
        confirming = keep("POST", "/studies", "/studies", {"path": confirmed["study"], "jobs": 2}, 201)["id"]
        keep("GET", "/confirmations/{id}", f"/confirmations/{confirming}")
        until(lambda: self.get(f"/studies/{confirming}")["state"] == "ended")
        keep("GET", "/confirmations/{id}", f"/confirmations/{confirming}")
        gated = keep("POST", "/studies", "/studies", {"path": str(self.held("gated", GATED_STUDY)), "jobs": 2}, 201)["id"]
        gate, = until(lambda: self.get(f"/studies/{gated}/gates"))
        self.assertEqual(keep("GET", "/gates", "/gates")["total"], 1)
        allows = keep("GET", "/gates/{id}", f"/gates/{gate['id']}")["allows"]
        self.assertEqual((allows["cells"], allows["replicates"]), (2, {"min": 3, "max": 3}))
        self.assertEqual(allows["runs"], self.json("plan", self.tmp / "gated/study.yaml")["runs"]["total"])
        self.post(f"/studies/{gated}/cancel", {})
        until(lambda: self.get(f"/studies/{gated}")["state"] == "ended")
        self.assertIsNone(keep("GET", "/gates/{id}", f"/gates/{gate['id']}")["allows"])
        keep("GET", "/gates/{id}", f"/gates/{gated}-g9", status=404)
        ident = keep("POST", "/studies", "/studies", {"path": str(self.held("one")), "jobs": 2}, 201)["id"]
        self.until_started(ident)
        for stage in ("running", "ended"):
            for path in ("/studies", "/health", "/session", "/recall", "/openapi.json"):
                keep("GET", path, path)
            for part in ("", "/graph", "/hypotheses", "/experiments", "/claims", "/ledger", "/predictions", "/gates", "/runs", "/curves", "/cells", "/timeline", "/moments", "/opening", "/conversations"):
                keep("GET", "/studies/{id}" + part, f"/studies/{ident}{part}")
            for part in ("/hypotheses", "/experiments", "/claims", "/predictions", "/gates"):
                keep("GET", "/studies/{id}" + part, f"/studies/{ident}{part}?limit=1")
            keep("GET", "/runs/{id}", f"/runs/{ident}-r1")
            keep("GET", "/runs/{id}/files", f"/runs/{ident}-r1/files")
            last = self.get("/health")["last_event"]
            keep("GET", "/studies/{id}/past", f"/studies/{ident}/past?at={last}")
            keep("GET", "/studies/{id}", "/studies/none", status=404)
            keep("GET", "/studies/{id}/agents-code", f"/studies/{ident}/agents-code", status=404)
            keep("GET", "/studies/{id}/conversations/{line}", f"/studies/{ident}/conversations/none-1", status=404)
            if stage == "running":
                for verb in ("pause", "resume", "steer"):
                    keep("POST", f"/studies/{{id}}/{verb}", f"/studies/{ident}/{verb}", {"text": "go on"} if verb == "steer" else {})
                keep("POST", "/studies/{id}/resume", f"/studies/{ident}/resume", {"budget": {"runs": "x"}}, status=422)
                self.let_go("one")
                until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        artifact = self.get(f"/studies/{ident}/artifact")["path"]
        keep("GET", "/studies/{id}/artifact", f"/studies/{ident}/artifact")
        for look in ("check", "audit"):
            keep("POST", f"/artifacts/{look}", f"/artifacts/{look}", {"path": artifact})
        cost = keep("POST", "/artifacts/cost", "/artifacts/cost", {"path": artifact, "sample": 2, "seed": 7, "jobs": 1})
        self.assertEqual((cost["runs"], cost["of"], cost["jobs"]), (2, 6, 1))
        keep("POST", "/artifacts/cost", "/artifacts/cost", {"path": artifact, "claims": ["C99"]}, status=422)
        again = keep("POST", "/artifacts/reproduce", "/artifacts/reproduce",
                     {"path": artifact, "output": str(self.tmp / "again")}, 201)["id"]
        keep("GET", "/reproductions/{id}", f"/reproductions/{again}")
        name = keep("POST", "/artifacts/import", "/artifacts/import", {"path": artifact})["id"]
        self.assertEqual([one["id"] for one in keep("GET", "/artifacts", "/artifacts")["items"]], [name])
        stated = {one: keep("GET", "/artifacts/contents", f"/artifacts/contents?artifact={one}") for one in (ident, artifact, name)}
        self.assertEqual(stated[ident], stated[artifact])
        self.assertEqual(stated[ident], stated[name])
        self.assertEqual([claim["id"] for claim in stated[name]["claims"]], ["C01", "C02"])
        for look in ("check", "audit"):
            said = keep("POST", f"/artifacts/{look}", f"/artifacts/{look}", {"path": name})
            self.assertEqual((said["ok"], said["artifact"]), (True, name))
        paper = pathlib.Path(artifact, "PAPER.md").read_text()
        for one in (ident, artifact, name):
            self.assertEqual(self.get(f"/artifacts/file?artifact={one}&path=PAPER.md").decode(), paper)
        # Nothing outside an artifact is sent, and no folder that is none is listed.
        for path in ("../study.yaml", str(self.tmp / "one/study.yaml"), "logic", ".ara_env"):
            self.problem(404, "GET", f"/artifacts/file?artifact={ident}&path={path}")
        keep("GET", "/artifacts/contents", f"/artifacts/contents?artifact={self.home}", status=422)
        keep("GET", "/artifacts/contents", "/artifacts/contents?artifact=/nowhere", status=404)
        keep("GET", "/artifacts/contents", "/artifacts/contents?artifact=ara:none", status=404)
        keep("GET", "/artifacts/contents", "/artifacts/contents", status=400)
        for which in ("find", "ask"):
            keep("GET", f"/artifacts/{which}", f"/artifacts/{which}?artifact={ident}&q=costs")
            keep("GET", f"/artifacts/{which}", f"/artifacts/{which}?artifact={ident}", status=400)
        keep("GET", "/confirmations/{id}", f"/confirmations/{ident}", status=404)
        keep("GET", "/forecasts", "/forecasts")
        keep("POST", "/doctor", "/doctor", {"models": []}, status=422)
        for path in ("/problems", "/garbage", "/doctor", "/gates", "/tags"):
            keep("GET", path, path)
        keep("GET", "/studies/{id}/trace", f"/studies/{ident}/trace")
        keep("POST", "/drafts", "/drafts", {"command": "python3 job.py --n 3", "workspace": str(self.tmp / "one"),
                                            "folder": str(self.tmp / "drafted")})
        keep("GET", "/studies/{id}/failures", f"/studies/{ident}/failures")
        keep("POST", "/verify", "/verify", {})
        keep("POST", "/backups", "/backups", {"name": "one"}, 201)
        until(lambda: self.get(f"/studies/{again}")["state"] == "ended")
        keep("POST", "/garbage/delete", "/garbage/delete", {})
        keep("POST", "/studies/{id}/package", f"/studies/{ident}/package", {})
        keep("GET", "/studies", "/studies?limt=1", status=422)
        registered = next(e for e in self.get(f"/studies/{ident}/moments")["items"] if e["type"] == "ExperimentRegistered")
        keep("POST", "/studies/{id}/fork", f"/studies/{ident}/fork", {"at": registered["seq"]}, 201)
        keep("POST", "/captures", "/captures", {"folder": str(self.tmp / "one")}, 201)
        keep("POST", "/link", "/link", {}, 201)
        document = self.get("/openapi.json")
        self.assertEqual(self.wrong_with(document, asked), [])
        # The test can tell: a member of another type, one that is missing, one that nobody described.
        study = next(one for one in asked if one["path"] == "/studies/{id}" and one["status"] == "200")
        for change in ({"jobs": "many"}, {"jobs": None}, {"surprise": 1}):
            broken = json.loads(json.dumps(study))
            broken["said"].update(change)
            self.assertNotEqual(self.wrong_with(document, [broken]), [], change)
        del study["said"]["ledger"]
        self.assertNotEqual(self.wrong_with(document, [study]), [])

    def test_answers_about_an_older_home_have_members_of_the_described_types(self):
        self.home.mkdir()
        subprocess.run(["tar", "-xJf", str(ROOT / "tests/e2e/home/recorded/home.tar.xz"), "-C", str(self.home),
                        "--strip-components=1"], check=True)
        self.serve()
        asked = []
        for study in self.get("/studies?limit=1000&archived=all")["items"]:
            for part in ("", "/graph", "/hypotheses", "/experiments", "/claims", "/ledger", "/predictions", "/gates", "/runs", "/opening"):
                asked.append({"method": "get", "path": "/studies/{id}" + part, "status": "200",
                              "said": self.get(f"/studies/{study['id']}{part}")})
        self.assertGreater(len(asked), 100)
        self.assertEqual(self.wrong_with(self.get("/openapi.json"), asked, older=True), [])

    def test_the_main_answers_and_all_bodies_are_described(self):
        self.serve()
        paths = self.get("/openapi.json")["paths"]
        for path, methods in paths.items():
            for method, operation in methods.items():
                if method == "post":
                    body = operation["requestBody"]["content"]["application/json"]["schema"]
                    self.assertTrue(body.get("$ref"), path)
        for path in ("/studies", "/studies/{id}", "/studies/{id}/runs", "/runs/{id}", "/studies/{id}/gates", "/health"):
            content = paths[path]["get"]["responses"]["200"]["content"]["application/json"]
            self.assertTrue(content["schema"], path)

    def wrong_with(self, document, asked, older=False):
        """`older`: an older program wrote them, and wrote fewer members."""
        script = f"""
            const Ajv = require({json.dumps(str(PEERS / "node_modules/ajv/dist/2020.js"))}).default;
            const {{ document, asked }} = JSON.parse(require("fs").readFileSync(0, "utf8"));
            const ajv = new Ajv({{ strict: false, allErrors: true, validateFormats: false }});
            // More keys may be added, but not without being described: here every object is closed that lists members.
            const close = (s) => {{
              if (Array.isArray(s)) return s.forEach(close);
              if (!s || typeof s !== "object") return;
              if (s.properties && s.additionalProperties === undefined) s.additionalProperties = false;
              if ({json.dumps(older)}) delete s.required;
              Object.values(s).forEach(close);
            }};
            close(document.components.schemas);
            ajv.addSchema({{ $id: "api", components: document.components }});
            const resolved = (s) => JSON.parse(JSON.stringify(s).replaceAll('"#/', '"api#/'));
            const say = (one, schema, value) => {{
              const right = ajv.compile(resolved(schema));
              if (!right(value)) for (const e of right.errors.slice(0, 5)) console.log(one.method, one.path, one.status, e.instancePath, e.message, JSON.stringify(e.params));
            }};
            for (const one of asked) {{
              const operation = document.paths[one.path][one.method];
              const refused = document.components.responses.refused.content["application/problem+json"].schema;
              const schema = operation.responses[one.status]?.content["application/json"].schema ?? refused;
              say(one, schema, one.said);
              if (one.sent && one.status < 400) say(one, operation.requestBody.content["application/json"].schema, one.sent);
            }}
        """
        done = subprocess.run(["node", "-e", script], input=json.dumps({"document": document, "asked": asked}), capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()


if __name__ == "__main__":
    unittest.main()
