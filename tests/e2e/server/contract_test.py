"""What a program that uses the API relies on: requests sent twice, names of parameters and problems, and the description."""
import concurrent.futures
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

from harness import PATIENCE, until
from held import GATED_STUDY
from served import ServedTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
import api_types  # noqa: E402
PEERS = ROOT / "tests/peers"
PROBLEMS = "/api/v1/problems#"


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# The places of the description that really hold any JSON.
ANY_JSON = {
    "GET /openapi.json": "a document of another standard, which has its own schema",
    "to_decide.arguments": "of the tool that the model calls; each tool has its own",
    "contents.nodes[].fields": "what the authors of an artifact wrote in YAML",
    "trace.traceEvents[].args": "facts about a slice, for a person who looks at it",
}


def untyped(schema, place):
    """The places of a schema that allow any JSON."""
    if not any(key in schema for key in ("$ref", "type", "enum", "const", "anyOf", "oneOf")):
        yield place
    types, inner = [schema.get("type")], schema.get("additionalProperties")
    types = schema["type"] if isinstance(schema.get("type"), list) else types
    if "array" in types and "items" not in schema or "object" in types and not ("properties" in schema or isinstance(inner, dict)):
        yield place
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from untyped(choice, place)
    for name, member in schema.get("properties", {}).items():
        yield from untyped(member, f"{place}.{name}")
    for each in (schema.get("items"), inner):
        if isinstance(each, dict):
            yield from untyped(each, f"{place}[]")


class Contract(ServedTest):
    def refused(self, name, *asked):
        answer, said = self.problem(*asked)
        self.assertEqual(said["type"], PROBLEMS + name, said)
        return said

    def test_a_request_sent_twice_starts_one_study(self):
        self.serve()
        file = self.held("one")
        body = {"path": str(file), "jobs": 1, "request": "first", "environment": {"PATH": "/usr/bin:/bin", "X": "1"}}
        # A request that was refused has started nothing, and may be corrected.
        self.refused("invalid-content", 422, "POST", "/studies", body | {"path": str(self.tmp / "none.yaml")})
        with concurrent.futures.ThreadPoolExecutor(4) as clients:
            answers = list(clients.map(lambda _: self.post("/studies", body, 201), range(4)))
        self.assertEqual({one["id"] for one in answers}, {"s1"})
        self.assertEqual(answers[0]["request"], "first")
        self.assertEqual(self.get("/studies")["total"], 1)
        self.until_started("s1")
        for other in (body | {"jobs": 2}, body | {"environment": {"PATH": "/usr/bin:/bin"}}, {**body, "priority": 1}):
            said = self.refused("request-reused", 409, "POST", "/studies", other)
            self.assertIn("s1", said["title"])
        self.refused("request-reused", 409, "POST", "/artifacts/reproduce", body)
        self.refused("invalid-member", 422, "POST", "/studies", body | {"request": "a\nb"})
        self.refused("invalid-member", 422, "POST", "/studies", body | {"request": "a" * 201})
        # The same after a restart, whatever has become of the file. Values of variables may be secrets, and do not count.
        self.server.kill()
        self.server.wait()
        file.rename(self.tmp / "moved.yaml")
        self.serve()
        self.assertEqual(self.post("/studies", body | {"environment": {"PATH": "/bin", "X": "2"}}, 201)["id"], "s1")
        self.refused("request-reused", 409, "POST", "/studies", body | {"jobs": 2})
        self.refused("invalid-content", 422, "POST", "/studies", body | {"request": "second"})
        self.assertEqual(self.get("/studies")["total"], 1)
        self.let_go("one")
        until(lambda: self.get("/studies/s1")["state"] == "ended")

    def test_a_file_of_an_import_is_read_alone(self):
        self.serve()
        name = self.post("/artifacts/import", {"path": str(ROOT / "tests/artifacts/corpus/resnet"), "despite_errors": True})["id"]
        files = {one["path"]: one["bytes"] for one in self.get(f"/artifacts/contents?artifact={name}")["files"]}
        paper = (ROOT / "tests/artifacts/corpus/resnet/PAPER.md").read_bytes()
        other = next(path for path in files if path != "PAPER.md" and files[path] != files["PAPER.md"])
        sha256 = hashlib.sha256((ROOT / "tests/artifacts/corpus/resnet" / other).read_bytes()).hexdigest()
        (self.home / "blobs" / sha256[:2] / sha256[2:]).unlink()
        self.assertEqual(self.get(f"/artifacts/file?artifact={name}&path=PAPER.md"), paper)
        self.refused("machine-fault", 503, "GET", f"/artifacts/file?artifact={name}&path={other}")
        self.refused("not-found", 404, "GET", "/artifacts/file?artifact=ara:none&path=PAPER.md")

    def test_names_are_known_and_refusals_have_their_types(self):
        self.serve()
        document = self.get("/openapi.json")
        names = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
        self.assertEqual(len(names), len(set(names)))
        tags = [tag["name"] for tag in document["tags"]]
        asked = 0
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                self.assertRegex(operation["operationId"], r"^[a-z]+([A-Z][a-z]+)*$")
                self.assertIn(operation["tags"][0], tags)
                place = re.sub(r"\{\w+\}", "s1", path)
                said = self.refused("unknown-parameter", 422, method.upper(), place + "?limits=1",
                                    {} if method == "post" else None)
                known = [one["name"] for one in operation.get("parameters", []) if one.get("in") == "query"]
                self.assertIn("`limit`" if "limit" in known else f"`{known[0]}`" if known else "no parameters", said["detail"])
                asked += 1
        self.assertGreater(asked, 60)
        # curl says of a body that it is a form, unless it is told otherwise; on the socket that is no matter.
        done = subprocess.run(["curl", "-sS", "--unix-socket", self.home / "kernel.sock", "-d", '{"text": "a=b&c"}',
                               "http://etude/api/v1/studies/s1/steer"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(json.loads(done.stdout)["type"], PROBLEMS + "not-found", done)
        self.assertEqual(self.get("/studies")["total"], 0)

        if api_types.GENERATOR.exists():
            self.assertTrue(api_types.types_of(document) == api_types.GENERATED.read_text(),
                            "apps/web/src/api_types.ts is older than the description: python3 tests/api_types.py ETUDE --write")

        places = [place for name, schema in document["components"]["schemas"].items() for place in untyped(schema, name)]
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                for answer in operation["responses"].values():
                    schema = answer.get("content", {}).get("application/json", {}).get("schema")
                    places += untyped(schema, f"{method.upper()} {path}") if schema is not None else []
        self.assertEqual(sorted(places), sorted(ANY_JSON))
        # The check can tell.
        self.assertEqual(list(untyped({"type": "object", "properties": {"a": {}, "b": {"type": ["array", "null"]}}}, "x")),
                         ["x.a", "x.b"])

        types = [one["type"] for one in self.get("/problems")["items"]]
        self.assertEqual(len(types), len(set(types)))
        self.assertEqual(document["components"]["schemas"]["problem"]["properties"]["type"]["enum"], types)
        documented = re.findall(r"^\| `([a-z-]+)` \| (\d+) \| (.*) \|$", (ROOT / "docs/http.md").read_text(), re.M)
        self.assertEqual([(PROBLEMS + name, int(status), meaning) for name, status, meaning in documented],
                         [(one["type"], one["status"], one["meaning"]) for one in self.get("/problems")["items"]])
        self.refused("not-found", 404, "GET", "/studies/s1")
        self.refused("not-found", 404, "GET", "/nothing")
        self.refused("method-not-allowed", 405, "DELETE", "/studies")
        self.refused("bad-request", 400, "POST", "/studies", "{")
        self.refused("invalid-parameter", 400, "GET", "/studies?limit=x")
        self.refused("invalid-parameter", 400, "GET", "/events?after=7")
        self.refused("invalid-member", 422, "POST", "/studies", {"path": 7})
        said = self.refused("not-found", 404, "GET", "/reproductions/s9")
        self.assertEqual((said["title"], said["what"], said["why"]), ("study s9 is not in this home", "study s9", "is not in this home"))
        said = self.refused("invalid-parameter", 400, "GET", "/recall?limit=4000000000")
        self.assertIn("from 1 to 1000", said["title"])

    def test_events_and_what_a_home_needs_are_as_described(self):
        self.serve()
        file = self.held("one")
        self.post("/studies", {"path": str(file), "jobs": 2}, 201)
        self.until_started("s1")
        said = self.refused("invalid-parameter", 400, "GET", "/studies/s1/curves?points=4000000000")
        self.assertIn("from 10 to 2000", said["title"])
        self.refused("refused", 409, "POST", "/studies/s1/package", {})
        self.let_go("one")
        broken = self.held("two")
        (broken.parent / "job.py").write_text("import sys\nsys.exit('no')\n")
        self.post("/studies", {"path": str(broken), "jobs": 2}, 201)
        until(lambda: all(study["state"] == "ended" for study in self.get("/studies")["items"]))

        document = self.get("/openapi.json")
        kinds = re.findall(r"^ETUDE_EVENT\((\w+),", (ROOT / "kernel/domain/events.def").read_text(), re.M)
        mapping = document["components"]["schemas"]["event"]["discriminator"]["mapping"]
        self.assertEqual(sorted(mapping), sorted(kinds))
        parameters = document["paths"]["/events"]["get"]["parameters"]
        self.assertIn({"$ref": "#/components/parameters/last_event_id"}, parameters)
        self.assertIn("206", document["paths"]["/runs/{id}/log"]["get"]["responses"])
        events = self.events()
        self.assertGreater(len({event["type"] for event in events}), 12)
        self.assertEqual(self.wrong_events(document, events), [])
        del events[0]["payload"]["spec"]
        events[1]["seq"] = "7"
        next(event for event in events if event["type"] == "RunsQueued")["payload"]["runs"][0]["number"] = "1"
        next(event for event in events if event["type"] == "RunEnded")["payload"]["surprise"] = 1
        self.assertEqual(len(self.wrong_events(document, events)), 4)

        cause, = self.get("/studies/s2/failures")["items"]
        self.assertEqual((cause["runs"], cause["first"]), (len(self.get("/studies/s2/runs?state=failed")["items"]), "s2-r1"))
        self.assertEqual(self.get("/studies/s1/failures"), {"items": [], "cursor": None, "total": 0})
        self.assertTrue(self.post("/verify", {})["ok"])
        garbage, listed = self.get("/garbage"), self.json("gc")
        self.assertEqual((garbage["items"], garbage["bytes"]), (listed["items"], listed["bytes"]))
        self.assertEqual({one["kind"] for one in garbage["items"]}, {"workspace"})
        made = self.post("/backups", {"name": "monday"}, 201)
        self.assertEqual(pathlib.Path(made["file"]), self.home / "backups/monday.tar")
        self.assertEqual(pathlib.Path(made["file"]).stat().st_size, made["bytes"])
        self.refused("refused", 409, "POST", "/backups", {"name": "monday"})
        for name in ("../monday", "/tmp/monday", "", "a/b", "."):
            self.refused("invalid-member", 422, "POST", "/backups", {"name": name})
        self.assertIn("home", [check["name"] for check in self.get("/doctor")["checks"]])

        artifact = self.get("/studies/s1/artifact")
        for path in ("PAPER.md", "etude.json", "report.html"):
            self.assertIn(path, artifact["files"])
            answer, said = self.ask("GET", f"/studies/s1/artifact/file?path={path}")
            self.assertEqual(answer.status, 200)
            if isinstance(said, bytes):
                self.assertEqual(said, (pathlib.Path(artifact["path"]) / path).read_bytes())
            self.assertNotIn("html", answer.headers["Content-Type"])
        (pathlib.Path(artifact["path"]) / "out").symlink_to("/etc/passwd")
        for path in ("../study.yaml", "/etc/passwd", "out", "none", "evidence", "%00"):
            self.refused("not-found", 404, "GET", f"/studies/s1/artifact/file?path={path}")
        (pathlib.Path(artifact["path"]) / "out").unlink()
        self.refused("not-found", 404, "GET", "/studies/s9/artifact/file?path=PAPER.md")
        for form, ending in (("zip", ".zip"), ("prereg", ".md"), ("checklist", ".md")):
            place = self.tmp / f"{form}{ending}"
            self.etude("export", artifact["path"], "--to", form, "-o", place)
            answer, said = self.ask("GET", f"/studies/s1/export?to={form}")
            self.assertEqual((answer.status, said), (200, place.read_bytes()), form)
        for form in ("atif", "oeb"):
            self.assertIn("no agent", self.refused("invalid-content", 422, "GET", f"/studies/s1/export?to={form}")["title"])
        for form in ("ro-crate", "latex", "croissant", "lara"):
            self.etude("export", artifact["path"], "--to", form, "-o", self.tmp / form)
            with zipfile.ZipFile(io.BytesIO(self.get(f"/studies/s1/export?to={form}"))) as archive:
                sent = {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
            self.assertEqual(sent, files_below(self.tmp / form), form)
        self.assertTrue(self.get("/studies/s1/export?to=html").startswith(b"<!DOCTYPE html>"))
        if shutil.which("pdflatex"):
            self.assertTrue(self.get("/studies/s1/export?to=pdf").startswith(b"%PDF"))
        else:
            self.assertIn("pdfLaTeX", self.refused("machine-fault", 503, "GET", "/studies/s1/export?to=pdf")["title"])
        self.assertIn("`lara`", self.refused("invalid-parameter", 400, "GET", "/studies/s1/export?to=paper")["title"])
        self.etude("trace", "s1", "-o", self.tmp / "trace.json")
        self.assertEqual(self.get("/studies/s1/trace"), json.loads((self.tmp / "trace.json").read_text()))
        self.assertGreater(len(self.get("/studies/s1/trace")["traceEvents"]), 12)
        self.refused("not-found", 404, "GET", "/studies/s9/trace")
        self.refused("not-found", 404, "GET", "/studies/s9/export?to=zip")
        paper = pathlib.Path(artifact["path"]) / "PAPER.md"
        before = paper.read_text()
        paper.write_text(before + "A note.\n")
        self.refused("refused", 409, "POST", "/studies/s1/package", {})  # What somebody wrote is not lost.
        paper.parent.rename(self.tmp / "annotated")
        again = self.post("/studies/s1/package", {})
        self.assertEqual((again["artifact"], again["head"]), (artifact["path"], self.get("/studies/s1")["head"]))
        self.assertEqual(paper.read_text(), before)

    def test_gates_of_all_studies_are_listed_until_they_are_decided(self):
        self.serve()
        self.assertEqual(self.get("/gates"), {"items": [], "cursor": None, "total": 0})
        for name in ("one", "two"):
            self.post("/studies", {"path": str(self.held(name, GATED_STUDY)), "jobs": 1}, 201)
        until(lambda: self.get("/gates")["total"] == 2)
        listed = self.get("/gates")["items"]
        self.assertEqual([(gate["id"], gate["study"], gate["on"]) for gate in listed],
                         [("s1-g1", "s1", "hypotheses"), ("s2-g1", "s2", "hypotheses")])
        self.assertEqual(listed, self.json("gates"))
        first = self.get("/gates?limit=1")
        self.assertEqual((first["items"], first["total"]), (listed[:1], 2))
        self.assertEqual(self.get(f"/gates?limit=1&cursor={first['cursor']}"), {"items": listed[1:], "cursor": None, "total": 2})
        self.post("/gates/s1-g1", {"decision": "approve"})
        self.post("/studies/s2/archive", {})
        until(lambda: [gate["id"] for gate in self.get("/gates")["items"]] == ["s2-g1"])
        self.assertEqual(self.get("/gates")["items"], self.json("gates"))
        self.post("/studies/s2/cancel", {})
        until(lambda: self.get("/gates")["total"] == 0)
        self.assertEqual(self.json("gates"), [])
        self.let_go("one", "two")
        until(lambda: all(study["state"] == "ended" for study in self.get("/studies?archived=all")["items"]))

    def test_a_draft_is_the_file_that_init_writes_and_says_what_to_decide(self):
        self.serve()
        code = self.tmp / "code"
        code.mkdir()
        (code / "train.py").write_text("import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\n"
                                       "p.add_argument('--seed', type=int)\nprint('loss', p.parse_args().lr)\n")
        asked = {"command": "python3 train.py --lr 3e-4 --seed 1", "workspace": str(code), "folder": str(code / "study"),
                 "environment": {}}
        draft = self.post("/drafts", asked)
        self.assertEqual(sorted(path.name for path in code.iterdir()), ["train.py"])
        self.assertEqual(draft["study"], str(code / "study/study.yaml"))
        lines = draft["text"].splitlines()
        self.assertEqual(draft["decide"], [n for n, line in enumerate(lines, 1) if line.startswith("# DECIDE: ")])
        self.assertGreater(len(draft["decide"]), 3)
        self.assertEqual(self.post("/validate", {"text": draft["text"], "folder": draft["folder"]})["problems"], [])
        made = self.post("/folders", asked, 201)
        self.assertEqual((made["text"], made["files"]), (draft["text"], ["study.yaml"]))
        self.assertEqual((code / "study/study.yaml").read_text(), draft["text"])
        self.refused("refused", 409, "POST", "/folders", asked)
        shutil.rmtree(code / "study")
        subprocess.run([*self.command("init", "study", "--from", asked["command"])], cwd=code, check=True, capture_output=True,
                       timeout=PATIENCE)
        self.assertEqual((code / "study/study.yaml").read_text(), draft["text"])

        said = self.refused("invalid-content", 422, "POST", "/drafts", asked | {"command": "python3 none.py --lr 1"})
        self.assertIn("none.py", said["title"])
        self.assertEqual(self.refused("invalid-content", 422, "POST", "/drafts", asked | {"command": ""})["what"], "command")
        for member, value in (("workspace", "code"), ("workspace", str(code / "none")), ("folder", "study"), ("folder", ""),
                              ("command", 7), ("environment", [])):
            self.assertEqual(self.refused("invalid-member", 422, "POST", "/drafts", asked | {member: value})["pointer"], f"/{member}")
        self.refused("invalid-member", 422, "POST", "/folders",
                     asked | {"folder": str(self.tmp / "other"), "template": "minimal"})
        self.assertFalse((self.tmp / "other").exists())

    def test_events_of_an_older_home_have_members_of_the_described_types(self):
        self.home.mkdir()
        subprocess.run(["tar", "-xJf", str(ROOT / "tests/e2e/home/recorded/home.tar.xz"), "-C", str(self.home),
                        "--strip-components=1"], check=True)
        self.serve()
        document = self.get("/openapi.json")
        events = self.events()
        self.assertGreater(len({event["type"] for event in events}), 30)
        self.assertEqual(self.wrong_events(document, events, older=True), [])

    def events(self):
        """All that the stream has now."""
        last = self.get("/health")["last_event"]
        connection = self.connection()
        self.addCleanup(connection.close)
        connection.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {self.token}"})
        answer, events = connection.getresponse(), []
        while not events or events[-1]["seq"] < last:
            line = answer.readline().decode()
            if line.startswith("data: "):
                events.append(json.loads(line[6:]))
        return events

    def wrong_events(self, document, events, older=False):
        """The `seq` of those that are not what the description says. `older`: of an older program, which may have written
        fewer members."""
        script = f"""
            const Ajv = require({json.dumps(str(PEERS / "node_modules/ajv/dist/2020.js"))}).default;
            const {{ document, events }} = JSON.parse(require("fs").readFileSync(0, "utf8"));
            const ajv = new Ajv({{ strict: false, validateFormats: false }});
            // More keys may be added, but not without being described.
            const close = (s) => {{
              if (!s || typeof s !== "object") return;
              if (s.properties && !Array.isArray(s)) s.additionalProperties ??= false;
              if ({json.dumps(older)}) delete s.required;
              Object.values(s).forEach(close);
            }};
            close(document.components.schemas);
            ajv.addSchema({{ $id: "api", components: document.components }});
            const mapping = document.components.schemas.event.discriminator.mapping;
            for (const event of events) {{
              const right = ajv.getSchema("api" + mapping[event.type]);
              if (!right(event)) console.log(event.seq, event.type, ajv.errorsText(right.errors));
            }}
        """
        done = subprocess.run(["node", "-e", script], input=json.dumps({"document": document, "events": events}),
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()


if __name__ == "__main__":
    unittest.main()
