"""An artifact that was made to say something else than its record gives is found out, and where."""
import json
import pathlib
import re
import shutil
import unittest

from forgery import Forgery, LOG, halve_costs, kind, rewritten
from harness import JOB, STUDY, EtudeTest

TREE = "trace/exploration_tree.yaml"
CLAIMS = "logic/claims.md"
# One run of the slow arm fails, so that there is a log among the evidence.
FAILING = JOB.replace("spread =", 'if (arm, n, seed) == ("slow", 2, 437080074):\n    sys.exit("no convergence")\nspread =')
GUARDED = STUDY.replace("design: {replicates: {min: 6, max: 6}}",
                        "evaluator: {protect: [job.py]}\nseeds: fixed\ndesign: {replicates: {min: 12, max: 12}}")


# One study for all tests.
maker = EtudeTest("run_study")


def setUpModule():
    maker.pictures = True
    maker.setUp()
    maker.study(GUARDED, FAILING)
    AuditTest.made = maker.run_study()
    AuditTest.original = pathlib.Path(AuditTest.made["artifact"])


def tearDownModule():
    maker.tearDown()


class AuditTest(EtudeTest):
    pictures = True
    made = original = None

    def forgery(self):
        return Forgery(self.original, self.tmp / "forged")

    def audit(self, artifact, *args, code=1):
        return self.json("audit", artifact, *args, code=code)["findings"]

    def caught(self, forged, rule, file, line=None, severity="critical", says=""):
        """The audit finds this, here, and this bad."""
        findings = self.audit(forged.root)
        found = [f for f in findings if (f["rule"], f["file"], f["severity"]) == (rule, file, severity)]
        if line is not None:
            found = [f for f in found if f["line"] == line]
        self.assertTrue(any(says in f["message"] for f in found), f"{rule} {file}:{line} is not in {findings}")
        return findings


class Whole(AuditTest):
    def test_what_etude_wrote_passes_with_nothing_to_say(self):
        report = self.json("audit", self.original, "--strict", "--head", self.made["head"])
        self.assertEqual((report["ok"], report["findings"]), (True, []))

    def test_a_study_ends_with_its_own_audit(self):
        self.study(STUDY.replace("min: 6, max: 6", "min: 3, max: 3"))
        ended = self.etude("run", "study.yaml")
        self.assertIn("audit     passed", ended.stdout)
        self.assertNotIn("audit", ended.stderr)

    def test_people_may_annotate_and_complete(self):
        forged = self.forgery()
        forged.replace(CLAIMS, "# Claims\n", "# Claims\n\nRead C01 with care: one machine only.\n")
        forged.replace("PAPER.md", "doi: \"none\"", "doi: \"10.1000/182\"")
        forged.replace("logic/related_work.md", "\n", "\n\n## RW99: A book\n- **Type**: imports\n")
        findings = self.audit(forged.root, code=0)
        self.assertEqual({f["severity"] for f in findings if f["rule"] == "added-prose"}, {"info"})
        self.assertIn(("added-prose", CLAIMS, 3), {(f["rule"], f["file"], f["line"]) for f in findings})

    def test_without_a_record_it_says_so(self):
        forged = self.forgery()
        (forged.root / "etude.json").unlink()
        self.caught(forged, "lost-record", LOG)
        (forged.root / LOG).unlink()
        self.caught(forged, "no-record", "", severity="warning")
        self.etude("audit", self.tmp / "nowhere", code=2)


class Pages(AuditTest):
    def test_a_number_changed_in_a_claim(self):
        forged = self.forgery()
        line = forged.line_of(CLAIMS, "- effect: ")
        old = forged.text(CLAIMS).splitlines()[line - 1]
        forged.replace(CLAIMS, old, re.sub(r"-\d", "-7", old, count=1))
        self.caught(forged, "changed-line", CLAIMS, line, says="the record gives «- effect: ")

    def test_a_number_changed_in_a_table_of_runs(self):
        forged = self.forgery()
        name = "evidence/results/E01.csv"
        row = forged.text(name).splitlines()[7]
        forged.replace(name, row, re.sub(r",(\d)\.", r",1\1.", row, count=1))
        forged.seal()
        self.caught(forged, "changed-line", name, 8)

    def test_points_changed_together_with_the_table(self):
        forged = self.forgery()
        name = "evidence/results/E01_points.csv"
        row = forged.text(name).splitlines()[4]
        forged.replace(name, row, re.sub(r",(\d+\.\d+),", r",9\1,", row, count=1))
        forged.seal()
        self.caught(forged, "changed-evidence", name, 5)
        self.caught(forged, "metric-mismatch", LOG)

    def test_a_picture_replaced_by_another(self):
        for name in ("evidence/figures/effects_E01.png", "evidence/figures/effects_E01.svg",
                     "evidence/tables/verdicts_E01.png"):
            forged = self.forgery()
            other = self.original / name.replace("effects", "means").replace("E01.", "E01_cost.")
            if not other.exists():
                other = self.original / "evidence/figures/effects_E01.png"
            (forged.root / name).write_bytes(other.read_bytes())
            forged.seal()
            self.caught(forged, "changed-evidence", name, says="whose hash the event log has")
            shutil.rmtree(forged.root)

    def test_what_is_drawn_and_what_is_cited_and_the_graph_changed(self):
        forged = self.forgery()
        name = "evidence/figures/effects_E01.csv"
        row = forged.text(name).splitlines()[1]
        forged.replace(name, row, re.sub(r"-\d", "-7", row, count=1))
        forged.replace("CITATION.cff", "title: ", "title: \"A better result\" # ")
        forged.replace(TREE, "status: \"refuted\"", "status: \"supported\"")
        forged.replace("README.md", "etude audit . --head ", "etude audit . --head 0")
        forged.seal()
        for file in (name, "CITATION.cff", TREE, "README.md"):
            self.caught(forged, "changed-line", file)

    def test_a_log_among_the_evidence_edited(self):
        forged = self.forgery()
        name = next(p for p in (forged.root / "evidence/logs").iterdir() if p.suffix == ".log")
        name.write_text("killed by the machine\n")
        forged.seal()
        self.caught(forged, "changed-evidence", f"evidence/logs/{name.name}")

    def test_a_claim_added_by_hand(self):
        forged = self.forgery()
        line = len(forged.text(CLAIMS).splitlines()) + 2
        claim = "## C03: Fast is always better\n- **Statement**: it is\n- **Status**: supported\n- **Proof**: [E01]\n"
        forged.write(CLAIMS, forged.text(CLAIMS) + "\n" + claim)
        self.caught(forged, "unrecorded-claim", CLAIMS, line, says="Fast is always better")
        self.caught(forged, "added-line", CLAIMS, line)

    def test_a_claims_status_changed(self):
        forged = self.forgery()
        line = forged.line_of(CLAIMS, "**Status**: refuted")
        forged.replace(CLAIMS, "**Status**: refuted", "**Status**: supported")
        self.caught(forged, "changed-status", CLAIMS, line, says="was recorded as 'refuted'")

    def test_a_dead_end_deleted_from_the_tree(self):
        forged = self.forgery()
        lines = forged.text(TREE).splitlines(keepends=True)
        at = forged.line_of(TREE, "type: dead_end") - 2
        depth = len(lines[at]) - len(lines[at].lstrip())
        end = next((i for i in range(at + 1, len(lines)) if len(lines[i]) - len(lines[i].lstrip()) <= depth), len(lines))
        forged.write(TREE, "".join(lines[: at - 1] + lines[end:]))  # with the line `children:` above it
        self.caught(forged, "missing-entry", TREE, says="dead_end")
        self.caught(forged, "changed-line", TREE)

    def test_a_step_added_to_the_tree(self):
        forged = self.forgery()
        forged.write(TREE, forged.text(TREE).rstrip() + "\n  - id: N77\n    type: insight\n    title: \"it was clear\"\n")
        self.caught(forged, "unrecorded-node", TREE)

    def test_a_verdict_flipped_in_the_report(self):
        forged = self.forgery()
        line = forged.line_of("report.md", "**refuted.**")
        forged.replace("report.md", "**refuted.**", "**supported.**")
        forged.replace("report.html", "</span> refuted</span>", "</span> supported</span>")
        forged.seal()
        self.caught(forged, "changed-line", "report.md", line, says="the record gives «**refuted.**")
        self.caught(forged, "changed-line", "report.html")

    def test_a_protected_file_changed_in_the_snapshot(self):
        forged = self.forgery()
        job = next((forged.root / "src/workspace").rglob("job.py"))
        job.write_text(job.read_text().replace("4.0", "2.0"))
        forged.seal()
        self.caught(forged, "protected-changed", str(job.relative_to(forged.root)))

    def test_a_file_put_among_the_evidence(self):
        forged = self.forgery()
        forged.write("evidence/results/E02.csv", "run,cost\ns1-r99,1\n")
        seal = json.loads(forged.text("etude.json"))
        seal["files"]["evidence/results/E02.csv"] = ""
        forged.write("etude.json", json.dumps(seal, indent=1))
        forged.seal()
        self.caught(forged, "unrecorded-file", "evidence/results/E02.csv")

    def test_the_word_of_another_version_excuses_nothing(self):
        forged = self.forgery()
        seal = json.loads(forged.text("etude.json"))
        seal["tool"] = "etude 0.0.1"
        forged.write("etude.json", json.dumps(seal, indent=1))
        forged.replace(CLAIMS, "- **Status**: refuted", "- **Status**: supported")
        self.caught(forged, "changed-line", CLAIMS, severity="error")
        self.caught(forged, "changed-status", CLAIMS)


class Record(AuditTest):
    def ended(self, lines, fits=lambda payload: True):
        """Where a registered run of the fast arm ended, and its number."""
        queued = next(json.loads(line)["payload"] for line in lines if '"purpose":"registered"' in line)
        fast = {run["number"] for run in queued["runs"] if queued["cells"][run["cell"]]["arm"] == "fast"}
        return next((i, json.loads(line)["payload"]["run"]) for i, line in enumerate(lines)
                    if kind(line) == "RunEnded" and json.loads(line)["payload"]["run"] in fast)

    def better(self, payload):
        payload["measurement"]["values"]["cost"]["value"] /= 2

    def test_a_value_changed_in_the_log_alone(self):
        forged = self.forgery()
        at, run = self.ended(forged.text(LOG).splitlines())
        forged.relog(lambda lines: lines[:at] + [rewritten(lines[at], self.better)] + lines[at + 1:])
        self.caught(forged, "metric-mismatch", LOG, at + 1, says=f"-r{run} is recorded as")
        self.caught(forged, "score-mismatch", LOG)
        self.caught(forged, "changed-line", "evidence/results/E01.csv")
        self.caught(forged, "log-mismatch", "etude.json", severity="error")

    def test_a_run_left_out_of_the_log(self):
        forged = self.forgery()
        _, run = self.ended(forged.text(LOG).splitlines())
        forged.relog(lambda lines: [line for line in lines if json.loads(line)["payload"].get("run") != run])
        self.caught(forged, "missing-run", LOG, says=f"run {run} of 'E01' was planned")

    def test_a_run_left_out_of_the_plan_too(self):
        forged = self.forgery()
        _, gone = self.ended(forged.text(LOG).splitlines())

        def unplan(payload):
            payload["runs"] = [run for run in payload["runs"] if run["number"] != gone]

        def change(lines):
            kept = [line for line in lines if json.loads(line)["payload"].get("run") != gone]
            return [rewritten(line, unplan) if '"purpose":"registered"' in line else line for line in kept]

        forged.relog(change)
        self.caught(forged, "missing-run", LOG, says="without holes")

    def test_a_run_left_out_and_the_others_counted_anew(self):
        forged = self.forgery()
        _, gone = self.ended(forged.text(LOG).splitlines())

        def closer(number):
            return number - 1 if number > gone else number

        def renumber(payload):
            if "run" in payload:
                payload["run"] = closer(payload["run"])
            payload["runs"] = [dict(run, number=closer(run["number"])) for run in payload["runs"]
                               if run["number"] != gone] if "runs" in payload else None
            if payload["runs"] is None:
                del payload["runs"]

        forged.relog(lambda lines: [
            rewritten(line, renumber) if kind(line).startswith("Run") else line
            for line in lines if json.loads(line)["payload"].get("run") != gone])
        self.caught(forged, "missing-run", LOG, says="registered 12 runs of its cell")
        self.caught(forged, "decision-mismatch", LOG, says="the plan of the runs")

    def test_a_registration_moved_behind_its_runs(self):
        forged = self.forgery()

        def change(lines):
            at = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentRegistered")
            end = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentAnalysed")
            return lines[:at] + lines[at + 1 : end] + [lines[at]] + lines[end:]

        queued = next(i for i, line in enumerate(forged.text(LOG).splitlines()) if '"purpose":"registered"' in line)
        forged.relog(change)
        self.caught(forged, "late-registration", LOG, queued, says="was not registered before it")

    def test_a_registration_put_in_front_of_runs_that_were_there(self):
        forged = self.forgery()

        def later(lines):
            at = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentRegistered")
            event, last = json.loads(lines[at]), json.loads(lines[-1])
            moved = lines[at].replace(f'"boot":{event["boot"]}', f'"boot":{last["boot"]}')
            return lines[:at] + [moved.replace(f'"time":{event["time"]}', f'"time":{last["time"]}')] + lines[at + 1:]

        forged.relog(later)
        self.caught(forged, "out-of-order", LOG)
        self.caught(forged, "older-than-registration", LOG, severity="warning")

    def test_a_seed_exchanged_after_the_fact(self):
        forged = self.forgery()

        def exchange(payload):
            payload["runs"][3]["seed"] += 1

        forged.relog(lambda lines: [rewritten(line, exchange) if '"purpose":"registered"' in line else line
                                    for line in lines])
        self.caught(forged, "unregistered-run", LOG, says="its seed is")

    def test_a_run_repeated_because_its_value_was_not_liked(self):
        forged = self.forgery()
        at, run = self.ended(forged.text(LOG).splitlines())

        def change(lines):
            queued = next(line for line in lines if '"purpose":"registered"' in line)
            number = max(r["number"] for r in json.loads(queued)["payload"]["runs"]) + 1

            def once_more(payload):
                planned = next(r for r in payload["runs"] if r["number"] == run)
                payload["cells"] = [payload["cells"][planned["cell"]]]
                payload["runs"] = [dict(planned, number=number, cell=0, retry_of=run, attempt=2)]

            def better(payload):
                payload["run"] = number
                self.better(payload)

            def starting(payload):
                payload["run"] = number

            start = next(line for line in lines if kind(line) == "RunStarting")
            again = [rewritten(queued, once_more), rewritten(start, starting), rewritten(lines[at], better)]
            boot = json.loads(lines[at])["boot"]
            again = [re.sub(r'"boot":\d+', f'"boot":{boot}', line, count=1) for line in again]
            return lines[: at + 1] + again + lines[at + 1:]

        forged.relog(change)
        self.caught(forged, "illegal-retry", LOG, at + 2, says="did not ask for it")

    def test_a_failed_run_called_a_success(self):
        forged = self.forgery()
        lines = forged.text(LOG).splitlines()
        at = next(i for i, line in enumerate(lines) if '"state":"failed"' in line and kind(line) == "RunEnded")
        forged.relog(lambda lines: lines[:at] + [lines[at].replace('"state":"failed"', '"state":"succeeded"')] +
                     lines[at + 1:])
        self.caught(forged, "decision-mismatch", LOG, at + 1, says="its outcome says failed")

    def test_a_claim_recorded_against_its_verdict(self):
        forged = self.forgery()
        at = next(i for i, line in enumerate(forged.text(LOG).splitlines())
                  if kind(line) == "ClaimRecorded" and '"status":"refuted"' in line)
        forged.relog(lambda lines: lines[:at] + [lines[at].replace('"status":"refuted"', '"status":"supported"')] +
                     lines[at + 1:])
        self.caught(forged, "decision-mismatch", LOG, at + 1)

    def test_a_forgery_that_is_whole_is_known_by_the_head_alone(self):
        """What was measured is replaced before it is analysed, and etude itself makes all that follows from it."""
        shutil.copytree(maker.home, self.home, symlinks=True)
        cut = halve_costs(self.home, self.made["id"], below=7)
        fork = self.json("fork", self.made["id"], "--at", cut - 1)
        study = self.lines("resume", fork["id"])[-1]
        self.assertNotEqual(study["hypotheses"][0]["effect"], self.made["hypotheses"][0]["effect"])
        self.assertTrue(self.json("audit", study["artifact"])["ok"])
        findings = self.audit(study["artifact"], "--head", self.made["head"])
        self.assertEqual([(f["rule"], f["severity"]) for f in findings], [("wrong-head", "critical")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
