"""Tags and the archive: over HTTP, from the terminal, in the page, in a backup, and after a kill."""
import json
import os
import pathlib
import signal
import subprocess
import tarfile
import unittest

from harness import ETUDE, PATIENCE, until
from served import ServedTest

HERE = pathlib.Path(__file__).resolve().parent


class TagsTest(ServedTest):
    def ended_study(self, name):
        ident = self.post("/studies", {"path": str(self.held(name)), "jobs": 2}, 201)["id"]
        self.let_go(name)
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        return ident

    def ids(self, query=""):
        page = self.get(f"/studies?{query}")
        self.assertEqual(page["total"], len(page["items"]))
        return [study["id"] for study in page["items"]]

    def test_a_study_that_has_ended_is_tagged_archived_and_found_again(self):
        self.serve()
        one, two = self.ended_study("one"), self.ended_study("two")
        before, last = self.get(f"/studies/{one}"), self.get("/health")["last_event"]
        self.assertEqual((before["tags"], before["archived"]), ([], False))

        self.assertEqual(self.post(f"/studies/{one}/tags", {"add": ["night", "<b>x</b>", "night"]})["tags"], ["<b>x</b>", "night"])
        self.assertEqual(self.post(f"/studies/{two}/tags", {"add": ["night"]})["tags"], ["night"])
        self.assertEqual(self.post(f"/studies/{one}/tags", {"add": ["an-odd-tag"], "remove": ["<b>x</b>", "never-there"]})["tags"], ["an-odd-tag", "night"])
        self.assertEqual(self.get("/tags")["items"], [{"tag": "an-odd-tag", "studies": 1}, {"tag": "night", "studies": 2}])
        self.assertEqual((self.ids("tag=night"), self.ids("tag=night,an-odd-tag"), self.ids("tag=x")), ([one, two], [one], []))

        archived = self.post(f"/studies/{one}/archive", {})
        self.assertEqual((archived["archived"], archived["tags"]), (True, ["an-odd-tag", "night"]))
        self.assertEqual([self.ids(), self.ids("archived=false"), self.ids("archived=true"), self.ids("archived=all")],
                         [[two], [two], [one], [one, two]])
        self.assertEqual((self.ids("tag=night"), self.ids("tag=night&archived=all&q=study&sort=wall&state=ended")), ([two], sorted([one, two], key=self.wall)))
        self.assertEqual(self.get("/studies?archived=true")["items"][0]["tags"], ["an-odd-tag", "night"])

        # It is still there, and nothing of its record has changed.
        after = self.get(f"/studies/{one}")
        self.assertEqual({**before, "tags": [], "archived": False}, {**after, "tags": [], "archived": False})
        self.assertEqual(self.get("/health")["last_event"], last)
        self.assertIn(one, {hit["study"] for hit in self.get(f"/recall?where=study%3D{one}")["items"]})
        self.assertTrue(self.post("/artifacts/audit", {"path": after["artifact"], "head": before["head"]})["ok"])
        self.assertNotIn("an-odd-tag", pathlib.Path(after["artifact"], "etude.json").read_text())

        # From the terminal, by way of the kernel that owns the home.
        self.etude("archive", one, "--undo")
        self.assertEqual(self.json("tag", two, "day", "--remove", "night")["tags"], ["day"])
        self.assertEqual((self.ids(), self.get(f"/studies/{two}")["tags"]), ([one, two], ["day"]))
        said = self.etude("tag", two, "two words", code=2).stderr
        self.assertEqual(said, "etude: tag `two words`: has a blank: use one word, such as `night` or `lr-sweep`\n")

        # A copy of the page for others does not have the tags.
        self.etude("export", one, "--to", "page", "-o", self.tmp / "copy")
        self.assertNotIn("an-odd-tag", (self.tmp / "copy/study.js").read_text())

    def wall(self, ident):
        return self.get(f"/studies/{ident}")["ledger"]["wall_s"]["spent"]

    def test_what_is_refused(self):
        self.serve()
        one = self.ended_study("one")
        for path in ("tags", "archive"):
            self.problem(404, "POST", f"/studies/s99/{path}", {})
            self.problem(400, "POST", f"/studies/{one}/{path}", "[]")
        for tag in ("", "two words", "a,b", "-old", "+new", "x" * 65, "a\u202eb", "a\nb", "a\u0000b"):
            _, said = self.problem(422, "POST", f"/studies/{one}/tags", {"add": ["fine", tag]})
            self.assertIn(said["type"], [f"/api/v1/problems#invalid-{what}" for what in ("content", "member")])
        for body in ({"add": "night"}, {"add": [1]}, {"remove": {}}):
            _, said = self.problem(422, "POST", f"/studies/{one}/tags", body)
            self.assertIn(said["pointer"], ("/add", "/remove"))
        self.problem(422, "POST", f"/studies/{one}/tags", {"add": ["night"], "remove": ["night"]})
        self.problem(422, "POST", f"/studies/{one}/tags", {"add": [f"t{i}" for i in range(33)]})
        self.assertEqual(self.problem(422, "POST", f"/studies/{one}/archive", {"archived": "yes"})[1]["pointer"], "/archived")
        for query in ("archived=yes", "tag=" + ",".join("x" * 33), "q=" + "+".join("x" * 33)):
            self.problem(400, "GET", f"/studies?{query}")
        self.assertEqual((self.get(f"/studies/{one}")["tags"], self.get("/tags")["items"]), ([], []))
        self.post(f"/studies/{one}/tags", {"add": ["night"]})
        self.stop()

        # A server that only shows shows the tags.
        self.serve("--read-only")
        self.problem(403, "POST", f"/studies/{one}/tags", {"add": ["day"]})
        self.problem(403, "POST", f"/studies/{one}/archive", {})
        self.assertEqual((self.ids("tag=night"), self.get("/tags")["items"]), ([one], [{"tag": "night", "studies": 1}]))

    def test_without_a_kernel_and_in_a_backup(self):
        self.study()
        for _ in range(2):
            self.run_study("-j", "2")
        self.etude("tag", "s1", "night", "caf\u00e9")
        self.assertEqual(self.etude("tag", "s1").stdout, "s1: caf\u00e9 night\n")
        self.assertEqual(self.etude("tag").stdout, "caf\u00e9  1 study\nnight  1 study\n")
        self.assertEqual(self.json("tag"), [{"tag": "caf\u00e9", "studies": 1}, {"tag": "night", "studies": 1}])
        self.assertIn("s1 is archived", self.etude("archive", "s1").stdout)

        def listed(*options):
            return [study["id"] for study in self.json("ls", *options)]

        self.assertEqual([listed(), listed("--archived"), listed("--all"), listed("--all", "--tag", "night"), listed("--tag", "night")],
                         [["s2"], ["s1"], ["s1", "s2"], ["s1"], []])
        self.assertEqual([listed("S2"), listed("S1"), listed("--all", "no such words"), listed("--state", "concluded"), listed("--state", "failed")],
                         [["s2"], [], [], ["s2"], []])
        self.assertEqual((listed("--state", "concluded", "S2"), listed("--all", "--tag", "night", "S1")), (["s2"], ["s1"]))
        self.assertEqual(self.etude("ls", "--tag", "night").stderr, "no study matches; --all also lists archived ones\n")
        self.assertRegex(self.etude("ls", "--all").stdout, r"(?m)^s1 .* caf\u00e9 night \(archived\) ")
        self.assertIn("tags      caf\u00e9 night (archived)", self.etude("show", "s1").stdout)
        self.assertEqual(self.json("verify")["problems"], [])

        self.etude("backup", self.tmp / "backup.tar")
        (self.tmp / "restored").mkdir()
        with tarfile.open(self.tmp / "backup.tar") as archive:
            archive.extractall(self.tmp / "restored")
        self.home = self.tmp / "restored"
        self.assertEqual((listed("--archived", "--tag", "night"), self.json("verify")["problems"]), (["s1"], []))

    def test_killed_at_the_commit_of_a_tag_it_is_there_whole_or_not_at_all(self):
        self.study()
        self.run_study("-j", "2")
        for fault, tags in (("kill-before-commit:1", []), ("kill-after-commit:1", ["day", "night"])):
            killed = self.etude("tag", "s1", "night", "day", code=None, env=os.environ | {"ETUDE_FAULT": fault})
            self.assertEqual(killed.returncode, -signal.SIGKILL)
            self.assertEqual((self.json("show", "s1")["tags"], self.json("verify")["problems"]), (tags, []))
        # What the server has answered survives its death.
        self.serve()
        self.post("/studies/s1/archive", {})
        self.server.kill()
        self.server.wait()
        self.assertEqual((self.json("ls"), self.json("show", "s1")["archived"], self.json("verify")["problems"]), ([], True, []))

    def test_in_the_page_by_keyboard_and_with_hostile_tags(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        self.serve()
        one, two = self.ended_study("one"), self.ended_study("two")
        asked = {"link": self.link, "one": one, "two": two}
        done = subprocess.run(["node", str(HERE / "page_tags.mjs"), str(pictures)], input=json.dumps(asked), text=True, capture_output=True, timeout=4 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""))
        self.assertEqual(self.get(f"/studies/{one}")["tags"], ["<img/src=x>", "night"])
        self.assertEqual((self.get(f"/studies/{two}")["tags"], self.ids("archived=true")), ([], []))


if __name__ == "__main__":
    unittest.main()
