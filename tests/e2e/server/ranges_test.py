"""Parts of files: which ones are sent, under which conditions, and what is never cut."""
import hashlib
import subprocess
import unittest

from harness import PATIENCE, until
from served import ServedTest

JOB = '''
import os, sys
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write('{"name": "cost", "value": 1}\\n')
open(os.environ["ETUDE_OUTPUT"] + "/letters.txt", "w").write("abcdefghij" * 100)
print("arm", sys.argv[1])
'''
STUDY = '''
etude: 1
title: Letters
question: Which arm is cheaper?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
design: {replicates: {min: 3, max: 3}, smoke: false}
resources: {timeout: 1m, sandbox: none}
'''


class RangesTest(ServedTest):
    def study(self):
        folder = self.tmp / "letters"
        folder.mkdir()
        (folder / "job.py").write_text(JOB)
        (folder / "study.yaml").write_text(STUDY)
        ident = self.post("/studies", {"path": str(folder / "study.yaml"), "jobs": 2}, 201)["id"]
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        return ident

    def part(self, path, asked, **headers):
        return self.ask("GET", path, headers={"Range": asked, **{name.replace("_", "-"): value for name, value in headers.items()}})

    def test_files_are_sent_in_parts(self):
        self.serve()
        ident = self.study()
        run = f"/runs/{ident}-r1"
        letters = b"abcdefghij" * 100
        path = run + "/file?path=letters.txt"
        whole, said = self.ask("GET", path)
        self.assertEqual((whole.status, said, whole.headers["Accept-Ranges"]), (200, letters, "bytes"))
        tag = whole.headers["ETag"]
        self.assertEqual(tag, f'"{hashlib.sha256(letters).hexdigest()[:32]}"')
        for asked, first, last in (("bytes=0-2", 0, 2), ("bytes=3-", 3, 999), ("bytes=-4", 996, 999), ("bytes=990-5000", 990, 999),
                                   ("bytes=-5000", 0, 999), ("bytes=999-999", 999, 999)):
            answer, said = self.part(path, asked)
            self.assertEqual((answer.status, answer.headers["Content-Range"]), (206, f"bytes {first}-{last}/1000"), asked)
            self.assertEqual((said, answer.headers["ETag"]), (letters[first:last + 1], tag), asked)
        for asked in ("bytes=1000-", "bytes=5000-6000", "bytes=-0"):
            answer, said = self.part(path, asked)
            self.assertEqual((answer.status, answer.headers["Content-Range"]), (416, "bytes */1000"), asked)
            self.assertEqual((answer.headers["Content-Type"], said["status"]), ("application/problem+json", 416))
            self.assertEqual(said["type"], "/api/v1/problems#range-not-satisfiable")
        # Several ranges, another unit, and a file that has changed: the whole.
        self.assertEqual((self.part(path, "bytes=0-0,2-3")[0].status, self.part(path, "bytes=0-0,2-3")[1]), (200, letters))
        self.assertEqual(self.part(path, "bytes=0-2", If_Range='"other"')[1], letters)
        self.assertEqual(self.part(path, "bytes=0-2", If_Range="Sat, 01 Jan 2000 00:00:00 GMT")[0].status, 200)
        self.assertEqual(self.part(path, "bytes=0-2", If_Range=tag)[1], b"abc")
        self.assertEqual(self.part(path, "bytes=0-2", If_None_Match=tag)[0].status, 304)
        # A part is never compressed, since the range is of the file.
        answer, said = self.part(path, "bytes=0-499", Accept_Encoding="gzip")
        self.assertEqual((answer.status, answer.headers["Content-Encoding"], said), (206, None, letters[:500]))
        answer, said = self.ask("HEAD", path, headers={"Range": "bytes=0-2"})
        self.assertEqual((answer.status, said, answer.headers["Accept-Ranges"]), (200, b"", "bytes"))

        export = f"/studies/{ident}/export?to=zip"
        places = (run + "/log", run + "/metrics", f"/studies/{ident}/report", f"/studies/{ident}/artifact/file?path=PAPER.md",
                  f"/artifacts/file?artifact={ident}&path=report.html", export, f"/studies/{ident}/trace", f"/studies/{ident}/export?to=page")
        described = self.get("/openapi.json")["paths"]
        for place in places:
            whole = subprocess.run(["curl", "-sf", "-H", f"Authorization: Bearer {self.token}", f"{self.address}/api/v1{place}"],
                                   capture_output=True, timeout=PATIENCE).stdout
            got = subprocess.run(["curl", "-sf", "-r", "2-5", "-H", f"Authorization: Bearer {self.token}", f"{self.address}/api/v1{place}"],
                                 capture_output=True, timeout=PATIENCE).stdout
            self.assertEqual(got, whole[2:6], place)
            self.assertEqual(len(got), 4, place)
        ranged = [path for path, methods in described.items() if "206" in methods.get("get", {}).get("responses", {})]
        self.assertEqual(len(ranged), 9)
        for template in ranged:
            names = [one.get("$ref", "").rsplit("/", 1)[-1] for one in described[template]["get"]["parameters"]]
            self.assertIn("if_range", names)
        # A zip that was fetched in two pieces is the zip.
        fetched = b"".join(self.part(export, asked)[1] for asked in ("bytes=0-999", "bytes=1000-"))
        self.assertEqual(fetched, self.get(export))

        # Nothing else is cut: JSON, the page, refusals.
        for place in ("/health", f"/studies/{ident}", "//"):
            answer, said = self.part(place, "bytes=0-1")
            self.assertEqual(answer.status, 200, place)
            self.assertGreater(len(said), 2)
        self.assertEqual(self.ask("HEAD", "/health")[0].headers["Accept-Ranges"], "none")
        answer, said = self.part(run + "/file?path=none", "bytes=0-1")
        self.assertEqual((answer.status, said["status"]), (404, 404))
        # On the socket, too.
        done = subprocess.run(["curl", "-sS", "-i", "-r", "1-3", "--unix-socket", self.home / "kernel.sock",
                               f"http://etude/api/v1{path}"], capture_output=True, text=True, timeout=PATIENCE).stdout
        self.assertTrue(done.startswith("HTTP/1.1 206"), done)
        self.assertTrue(done.endswith("\n\nbcd"), done)

    def test_a_server_beside_the_owner_sends_parts_too(self):
        self.serve()
        ident = self.study()
        self.stop()
        self.begin("run", self.held("two"), "-j", "1")
        self.until_started("s2")
        self.serve()
        answer, said = self.part(f"/runs/{ident}-r1/file?path=letters.txt", "bytes=5-6")
        self.assertEqual((answer.status, said, answer.headers["Content-Range"]), (206, b"fg", "bytes 5-6/1000"))
        self.assertEqual(self.part(f"/runs/{ident}-r1/file?path=letters.txt", "bytes=1000-")[0].status, 416)
        self.let_go("two")


if __name__ == "__main__":
    unittest.main()
