"""What lists give of much, and what a study was at an event."""
import json
import statistics
import time
import unittest
import urllib.parse

from harness import until
from held import GATED_STUDY, HELD_STUDY, admit
from served import ServedTest


class Listing(ServedTest):
    def numbers(self, ident, query):
        return [run["number"] for run in self.get(f"/studies/{ident}/runs?{query}")["items"]]

    def test_runs_are_found_by_state_experiment_levels_and_number(self):
        self.serve()
        ident = self.ended_study()
        everything = self.get(f"/studies/{ident}/runs")["items"]
        self.assertGreater(len(everything), 6)

        def those(which):
            return [run["number"] for run in everything if which(run)]

        fast = those(lambda r: r["factors"]["arm"] == "fast")
        self.assertEqual(self.numbers(ident, "where=arm%3Dfast"), fast)
        self.assertEqual(self.numbers(ident, "where=arm%3Dfast&order=newest"), fast[::-1])
        self.assertEqual(self.numbers(ident, "experiment=E01"), those(lambda r: r["experiment"] == "E01"))
        self.assertEqual(self.numbers(ident, "experiment=E01&where=arm%3Dslow&limit=2"),
                         those(lambda r: r["experiment"] == "E01" and r["factors"]["arm"] == "slow")[:2])
        self.assertEqual(self.numbers(ident, "state=succeeded,failed"), those(lambda r: r["state"] == "succeeded"))
        self.assertEqual(self.numbers(ident, "state=failed,succeeded&order=newest&limit=3"), those(lambda r: r["state"] == "succeeded")[::-1][:3])
        self.assertEqual(self.numbers(ident, "state=succeeded&where=arm%3Dfast&cursor=4"), [n for n in fast if n > 4])
        self.assertEqual(self.numbers(ident, "numbers=3,1,5&cursor=1&limit=1"), [3])
        self.assertEqual(self.numbers(ident, "state=running"), [])
        self.assertEqual(self.numbers(ident, "numbers=3,1,99"), [1, 3])
        self.assertEqual(self.numbers(ident, "where=arm%3Dfa"), [])
        for wrong, kind, known in (("where=arn%3Dfast", "factor `arn`", "`arm`"), ("sort=factor:n", "factor `n`", "`arm`"),
                                   ("sort=metric:loss", "metric `loss`", "`cost`"), ("measured=loss%3C1", "metric `loss`", "`cost`")):
            for listed in ("runs", "curves"):
                if listed == "runs" or "sort" not in wrong:
                    said = json.dumps(self.problem(400, "GET", f"/studies/{ident}/{listed}?{wrong}")[1])
                    self.assertIn(kind, said)
                    self.assertIn(known, said)
        for wrong in ("state=ran", "numbers=x", "numbers=0", "where=arm", "where=%3Dx", "order=best", 'where=a%22b%3Dc', "limit=0"):
            self.problem(400, "GET", f"/studies/{ident}/runs?{wrong}")

    def test_runs_are_sorted_and_found_by_what_they_measured_once_it_is_not_withheld(self):
        self.serve()
        # The smoke runs and the first two of the experiment end; a third one is held.
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 1}, 201)["id"]
        for ended in range(1, 5):
            admit(self.tmp / "one.hold", 1)
            until(lambda: len([r for r in self.get(f"/studies/{ident}/runs")["items"] if r["ended"]]) >= ended)
        everything = self.get(f"/studies/{ident}/runs")["items"]
        costs = {r["number"]: r["metrics"]["cost"] for r in everything if r["metrics"].get("cost") is not None}
        covered = [r["number"] for r in everything if r["withheld"] and r["ended"]]
        self.assertTrue(costs and covered and not set(costs) & set(covered), everything)
        rest = [r["number"] for r in everything if r["number"] not in costs]
        for order, down in (("oldest", False), ("newest", True), ("asc", False), ("desc", True)):
            self.assertEqual(self.numbers(ident, f"sort=metric:cost&order={order}"), sorted(costs, key=costs.get, reverse=down) + rest)
        for condition in ("cost>0", "cost!=-1", "cost<=1e9"):
            self.assertEqual(self.numbers(ident, "measured=" + urllib.parse.quote(condition)), list(costs), condition)
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")

        costs = {r["number"]: r["metrics"]["cost"] for r in self.get(f"/studies/{ident}/runs")["items"]}
        self.assertLess(set(covered), set(costs))
        by_cost = sorted(costs, key=costs.get)
        self.assertEqual(self.numbers(ident, "sort=metric:cost&order=newest"), by_cost[::-1])
        seen, cursor = [], ""
        while cursor is not None:
            page = self.get(f"/studies/{ident}/runs?sort=metric:cost&limit=2&cursor={cursor}")
            seen += [run["number"] for run in page["items"]]
            cursor = page["cursor"]
        self.assertEqual(seen, by_cost)
        limit = costs[by_cost[3]]
        self.assertEqual(self.numbers(ident, f"measured=cost%3C{limit!r}"), sorted(by_cost[:3]))
        self.assertEqual(self.numbers(ident, f"measured=cost%3C%3D{limit!r}&measured=cost%3E{costs[by_cost[0]]!r}&order=newest"),
                         sorted(by_cost[1:4], reverse=True))
        self.assertEqual(self.get(f"/studies/{ident}/curves?measured=cost%3C0")["runs"]["id"], [])
        levels = {r["number"]: r["factors"]["arm"] for r in self.get(f"/studies/{ident}/runs")["items"]}
        self.assertEqual(self.numbers(ident, "sort=factor:arm"), sorted(levels, key=lambda number: (levels[number], number)))
        for wrong in ("sort=best", "sort=metric:", "sort=factor", "sort=state:x", "measured=cost", "measured=%3C1", "measured=cost%3C",
                      "measured=cost%3Cfast", "measured=cost%3Cnan", "&".join(["measured=cost%3C1"] * 33)):
            self.problem(400, "GET", f"/studies/{ident}/runs?{wrong}")

    def test_a_metric_by_cell_is_summarised_as_soon_as_it_is_not_withheld(self):
        self.serve()
        running = self.post("/studies", {"path": str(self.held("held")), "jobs": 1}, 201)["id"]
        self.until_started(running)
        self.assertEqual(self.get(f"/studies/{running}/cells"), {"metric": "cost", "items": [], "cells": [], "cursor": None, "total": 0})
        self.let_go("held")
        ident = self.ended_study()
        runs = [run for run in self.get(f"/studies/{ident}/runs?limit=1000")["items"] if run["evidence"]]
        found = self.get(f"/studies/{ident}/cells")["items"]
        self.assertEqual(self.get(f"/studies/{ident}/cells")["cells"], found)
        self.assertEqual([cell["factors"] for cell in found], [{"arm": "fast"}, {"arm": "slow"}])
        for cell in found:
            values = sorted(run["metrics"]["cost"] for run in runs if run["factors"] == cell["factors"])
            self.assertEqual(cell["n"], len(values))
            self.assertAlmostEqual(cell["mean"], statistics.mean(values), places=9)
            self.assertAlmostEqual(cell["sd"], statistics.stdev(values), places=9)
            least, low, middle, high, greatest = cell["quartiles"]
            self.assertEqual((least, greatest), (values[0], values[-1]))
            for ours, theirs in zip((low, middle, high), statistics.quantiles(values, n=4, method="inclusive")):
                self.assertAlmostEqual(ours, theirs, places=9)
        self.problem(400, "GET", f"/studies/{ident}/cells?metric=loss")

    def test_every_list_of_a_study_is_a_page_if_one_is_asked_for_and_else_a_plain_array(self):
        self.serve()
        ident = self.ended_study()
        for part in ("hypotheses", "experiments", "claims", "predictions", "gates"):
            path = f"/studies/{ident}/{part}"
            whole = self.get(path)
            self.assertIsInstance(whole, list, part)
            self.assertEqual(self.get(f"{path}?limit=1000"), {"items": whole, "cursor": None, "total": len(whole)}, part)
            seen, cursor = [], ""
            while cursor is not None:
                page = self.get(f"{path}?limit=1&cursor={cursor}")
                self.assertEqual((len(page["items"]), page["total"]), (min(1, len(whole)), len(whole)), part)
                seen += page["items"]
                cursor = page["cursor"]
            self.assertEqual(seen, whole, part)
            self.assertEqual(self.get(f"{path}?cursor=1000"), {"items": [], "cursor": None, "total": len(whole)}, part)
            for wrong in ("limit=x", "cursor=-1", "cursor=s1"):
                self.problem(400, "GET", f"{path}?{wrong}")
            self.problem(404, "GET", f"/studies/s9/{part}?limit=1")
        self.assertEqual([len(self.get(f"/studies/{ident}/{part}")) for part in ("hypotheses", "experiments")], [2, 1])

    def test_every_other_list_has_one_form(self):
        self.serve()
        ident = self.ended_study()
        whole = ("/tags", "/templates", "/artifacts", "/problems", "/forecasts", "/garbage", f"/studies/{ident}/failures",
                 f"/studies/{ident}/cells", f"/studies/{ident}/conversations", f"/runs/{ident}-r1/files")
        for path in whole:
            everything = self.get(path)
            self.assertEqual((everything["cursor"], everything["total"]), (None, len(everything["items"])), path)
            seen, cursor = [], ""
            while cursor is not None:
                page = self.get(f"{path}?limit=2&cursor={cursor}")
                self.assertEqual((len(page["items"]) <= 2, page["total"]), (True, everything["total"]), path)
                seen += page["items"]
                cursor = page["cursor"]
            self.assertEqual(seen, everything["items"], path)
            self.problem(400, "GET", f"{path}?limit=0")
        self.assertGreater(self.get("/problems")["total"], 10)
        # Where counting costs something, it is done once.
        for path in (f"/studies/{ident}/runs", f"/studies/{ident}/runs?sort=seed", f"/studies/{ident}/moments",
                     f"/studies/{ident}/runs?state=succeeded&where=arm%3Dfast", f"/studies/{ident}/runs?measured=cost%3C5&order=desc"):
            everything = self.get(f"{path}{'&' if '?' in path else '?'}limit=1000")
            self.assertEqual((everything["cursor"], everything["total"]), (None, len(everything["items"])), path)
            first = self.get(f"{path}{'&' if '?' in path else '?'}limit=2")
            self.assertEqual((len(first["items"]), first["total"]), (2, everything["total"]), path)
            following = self.get(f"{path}{'&' if '?' in path else '?'}limit=2&cursor={first['cursor']}")
            self.assertIsNone(following["total"], path)
            self.assertEqual(first["items"] + following["items"], everything["items"][:4], path)
        everything = self.get("/recall?q=costs&limit=1000")
        self.assertEqual(everything["total"], len(everything["items"]))
        self.assertGreater(everything["total"], 2)
        seen, cursor = [], ""
        while cursor is not None:
            page = self.get(f"/recall?q=costs&limit=2&cursor={cursor}")
            seen += page["items"]
            cursor = page["cursor"]
            self.assertEqual(page["total"], None if cursor else len(seen))
        self.assertEqual(seen, everything["items"])
        listed = [study["id"] for study in self.get("/studies?order=asc")["items"]]
        self.assertEqual([study["id"] for study in self.get("/studies?order=desc")["items"]], listed[::-1])
        self.problem(400, "GET", "/studies?order=up")

    def test_pages_of_runs_and_of_studies_have_no_gap_and_no_repeat_from_either_end(self):
        self.serve()
        ids = [self.ended_study(name) for name in ("one", "two", "three")]
        for order, wanted in (("oldest", ids), ("newest", ids[::-1])):
            seen, cursor = [], ""
            while cursor is not None:
                page = self.get(f"/studies?limit=2&order={order}&cursor={cursor}")
                seen += [study["id"] for study in page["items"]]
                cursor = page["cursor"]
            self.assertEqual(seen, wanted)
        self.assertNotIn("hypotheses", self.get("/studies")["items"][0])
        everything = self.numbers(ids[0], "limit=1000")
        for order, wanted in (("oldest", everything), ("newest", everything[::-1])):
            seen, cursor = [], ""
            while cursor is not None:
                page = self.get(f"/studies/{ids[0]}/runs?limit=3&order={order}&cursor={cursor}")
                seen += [run["number"] for run in page["items"]]
                cursor = page["cursor"]
            self.assertEqual(seen, wanted)

    def test_studies_are_found_by_words_states_and_verdicts_and_sorted(self):
        self.serve()
        ids = [self.ended_study(name) for name in ("one", "two")]
        self.post("/studies", {"path": str(self.held("Größe", GATED_STUDY)), "jobs": 1}, 201)
        until(lambda: self.get("/studies?state=waiting")["total"] == 1)
        gated = self.get("/studies?order=newest")["items"][0]["id"]

        def found(query):
            page = self.get(f"/studies?{query}")
            self.assertEqual((len(page["items"]), page["cursor"]), (page["total"], None), query)
            return [study["id"] for study in page["items"]]

        self.assertEqual(found("q=TWO"), ids[1:])
        self.assertEqual(found("q=cheaper+study"), [*ids, gated])
        self.assertEqual(found("q=Gr%C3%B6%C3%9Fe"), [gated])
        self.assertEqual(found(f"q={ids[0]}"), ids[:1])
        self.assertEqual(found("q=%25"), [])
        self.assertEqual(found("q=one+two"), [])
        self.assertEqual(found("state=concluded"), ids)
        self.assertEqual(found("state=waiting,ended&order=newest"), [gated, *ids[::-1]])
        self.assertEqual(found("state=failed"), [])
        self.assertEqual(found("verdict=refuted"), ids)
        self.assertEqual(found("verdict=inconclusive"), [])
        self.assertEqual(found("sort=title&order=newest"), [ids[1], ids[0], gated])
        self.assertEqual(found("sort=runs&state=running"), [gated])
        self.assertEqual(found("sort=runs")[0], gated)
        self.assertEqual(self.get("/studies?sort=runs&limit=1&order=newest&cursor=2")["items"][0]["id"], gated)
        for wrong in ("sort=best", "state=lost", "verdict=none"):
            self.problem(400, "GET", f"/studies?{wrong}")

    def test_a_study_can_be_seen_as_it_was_after_each_of_its_events(self):
        self.serve()
        ident = self.ended_study()
        log = self.lines("log", ident)
        moments = self.get(f"/studies/{ident}/moments?limit=1000")["items"]
        self.assertEqual([m["seq"] for m in moments],
                         [e["seq"] for e in log if not e["type"].startswith(("Run", "Model", "Tool", "Manip", "Pictures"))])
        verdicts, nodes = [], []
        for moment in moments:
            past = self.get(f"/studies/{ident}/past?at={moment['seq']}")
            self.assertGreaterEqual(past["at"], moment["seq"])
            study = past["study"]
            analysed = any(e["type"] == "ExperimentAnalysed" and e["seq"] <= past["at"] for e in log)
            judged = [h["verdict"] for h in study["hypotheses"] if h["verdict"]]
            self.assertEqual(bool(judged), analysed)
            for run in past["runs"]:
                if run["purpose"] == "registered":
                    self.assertEqual(run["withheld"], not analysed, moment)
                    if not analysed:
                        self.assertEqual({v for v in run["metrics"].values()} - {None}, set())
            verdicts.append(len(judged))
            nodes.append(len(past["nodes"]))
        self.assertEqual((verdicts, nodes), (sorted(verdicts), sorted(nodes)))
        self.assertEqual((verdicts[0], verdicts[-1]), (0, 2))
        # Its last moment is what it is now, but for its tags, which are in no event. Going back after going forth gives the same.
        now = self.get(f"/studies/{ident}")
        self.assertEqual((now.pop("tags"), now.pop("archived")), ([], False))
        last = self.get(f"/studies/{ident}/past?at={log[-1]['seq']}")
        self.assertEqual(last["study"], now)
        self.assertEqual(last["nodes"], self.get(f"/studies/{ident}/graph")["nodes"])
        early = self.get(f"/studies/{ident}/past?at={moments[1]['seq']}")
        self.assertEqual(early, self.get(f"/studies/{ident}/past?at={moments[1]['seq']}"))
        self.assertEqual(early["study"]["state"], "running")
        self.problem(400, "GET", f"/studies/{ident}/past")
        self.problem(404, "GET", f"/studies/{ident}/past?at=0")
        self.problem(404, "GET", "/studies/s99/past?at=1")

    def test_experiments_are_listed_without_the_history_of_their_runs(self):
        self.serve()
        at_once = HELD_STUDY.replace("design: {{", "design: {{smoke: false, ")
        ident = self.post("/studies", {"path": str(self.held("one", at_once)), "jobs": 1}, 201)["id"]
        self.until_started(ident)
        until(lambda: self.get(f"/studies/{ident}/experiments"))
        experiment, = self.get(f"/studies/{ident}/experiments")
        left = [r for r in self.get(f"/studies/{ident}/runs?experiment=E01")["items"] if r["ended"] is None]
        self.assertEqual((experiment["analysed"], experiment["pending"]), (False, len(left)))
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        experiment, = self.get(f"/studies/{ident}/experiments")
        self.assertEqual((experiment["analysed"], experiment["pending"]), (True, 0))
        self.assertEqual(len(experiment["hash"]), 64)

    def test_curves_of_many_runs_come_in_one_answer_and_not_before_their_analysis(self):
        self.serve()
        file = self.held("one", HELD_STUDY.replace("design: {{", "design: {{smoke: false, "))
        job = file.parent / "job.py"
        once = """out.write(f'{{"name": "cost", "value": {value}}}\\n')"""
        stepwise = """out.writelines(f'{{"name": "cost", "value": {value + (i - 29) ** 2}, "step": {10 * i}}}\\n' for i in range(30))
    out.write('{"name": "once", "value": 1}\\n{"name": "right", "value": 1, "item": "a"}\\n{"name": "right", "value": 0, "item": "b"}\\n')
with open(os.environ["ETUDE_OUTPUT"] + "/note.txt", "w") as note:
    note.write(arm)"""
        self.assertIn(once, job.read_text())
        job.write_text(job.read_text().replace(once, stepwise))
        ident = self.post("/studies", {"path": str(file), "jobs": 2}, 201)["id"]
        admit(self.tmp / "one.hold", 2)
        ended = until(lambda: len(found := self.get(f"/studies/{ident}/runs?state=succeeded")["items"]) == 2 and found)
        early = self.get(f"/studies/{ident}/curves")
        self.assertEqual((early["withheld"], early["runs"]["id"], early["metrics"], early["x"], early["y"]), (2, [], [], [], []))
        self.problem(403, "GET", f"/runs/{ended[0]['id']}/files")
        self.problem(403, "GET", f"/runs/{ended[0]['id']}/file?path=note.txt")
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")

        curves = self.get(f"/studies/{ident}/curves?limit=1000")
        runs = self.get(f"/studies/{ident}/runs?limit=1000")["items"]
        self.assertEqual((curves["metric"], curves["metrics"], curves["withheld"], curves["reduced"], curves["axis"]),
                         ("cost", ["cost"], 0, None, "step"))
        self.assertEqual(curves["runs"]["id"], [r["id"] for r in runs])
        self.assertEqual(curves["runs"]["factors"], {"arm": [r["factors"]["arm"] for r in runs]})
        self.assertEqual(curves["runs"]["seed"], [r["seed"] for r in runs])
        self.assertEqual(curves["x"], [10 * i for i in range(30)])
        for run, values in zip(runs, curves["y"]):
            said = [json.loads(line) for line in self.get(f"/runs/{run['id']}/metrics").splitlines()]
            self.assertEqual(values, [one["value"] for one in said if one["name"] == "cost"])
        # Reduced: what a run reported lowest and highest is there.
        few = self.get(f"/studies/{ident}/curves?points=10&where=arm%3Dfast")
        self.assertEqual((few["reduced"], len(few["x"]), len(few["mean_x"]), few["x"][-1]), ("extremes", 10, 5, 290))
        self.assertEqual(set(few["runs"]["factors"]["arm"]), {"fast"})
        whole = dict(zip(curves["runs"]["id"], curves["y"]))
        for run, values in zip(few["runs"]["id"], few["y"]):
            self.assertEqual((min(values), max(values)), (min(whole[run]), max(whole[run])))
        timed = self.get(f"/studies/{ident}/curves?x=time&numbers={runs[0]['number']}")
        self.assertAlmostEqual(timed["x"][-1], runs[0]["usage"]["wall_s"])
        self.assertEqual((timed["x"][0], len(timed["x"]), timed["y"][0]), (0, 30, whole[runs[0]["id"]]))
        pages, cursor = [], ""
        while cursor is not None:
            page = self.get(f"/studies/{ident}/curves?limit=2&cursor={cursor}")
            pages += page["runs"]["id"]
            cursor = page["cursor"]
        self.assertEqual(pages, curves["runs"]["id"])
        for other in ("once", "right", "nothing"):
            self.assertEqual(self.get(f"/studies/{ident}/curves?metric={other}")["runs"]["id"], [], other)
        for wrong in ("x=epoch", "points=8", "points=11", "points=2002", "spacing=cubic", "state=ran"):
            self.problem(400, "GET", f"/studies/{ident}/curves?{wrong}")
        self.problem(404, "GET", "/studies/s99/curves")

        # Its files, by the way.
        run = runs[0]
        self.assertEqual([(f["path"], f["bytes"]) for f in self.get(f"/runs/{run['id']}/files")["items"]],
                         [("note.txt", len(run["factors"]["arm"]))])
        answer, said = self.ask("GET", f"/runs/{run['id']}/file?path=note.txt")
        self.assertEqual((answer.status, said.decode(), answer.headers["Content-Type"]),
                         (200, run["factors"]["arm"], "text/plain; charset=utf-8"))
        self.problem(404, "GET", f"/runs/{run['id']}/file?path=../note.txt")
        self.problem(400, "GET", f"/runs/{run['id']}/file")
        self.problem(404, "GET", f"/runs/{ident}-r999/files")

    def test_what_a_run_of_seconds_used_is_told_over_time(self):
        self.serve()
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 1}, 201)["id"]
        until(lambda: self.get(f"/studies/{ident}/runs?state=running")["items"])
        time.sleep(2.5)
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")
        long, *others = self.get(f"/studies/{ident}/runs")["items"]
        head, *rows = self.get(f"/runs/{long['id']}/usage").decode().splitlines()
        self.assertEqual(head, "seconds,cpu_seconds,memory_bytes")
        seconds, cpu, memory = zip(*(map(float, row.split(",")) for row in rows))
        self.assertEqual(sorted(seconds), list(seconds))
        self.assertLessEqual(seconds[-1], long["usage"]["wall_s"])
        self.assertLessEqual(max(cpu), long["usage"]["cpu_s"] + 0.1)
        self.assertLessEqual(max(memory), long["usage"]["rss_peak_bytes"])
        self.assertGreater(max(memory), 0)
        quick = [run for run in others if run["usage"]["wall_s"] < 2]
        self.assertNotIn("usage", quick[0]["blobs"])
        self.assertEqual(self.get(f"/runs/{quick[0]['id']}/usage"), b"")
        self.assertEqual(self.etude("verify").returncode, 0)

    def test_what_it_was_opened_with_is_told(self):
        self.serve()
        ident = self.ended_study()
        opening = self.get(f"/studies/{ident}/opening")
        self.assertEqual(opening["text"], (self.tmp / "one/study.yaml").read_text())
        self.assertEqual(len(opening["workspace"]), 64)
        self.assertEqual(opening["spec"]["title"], "Study one")
        self.problem(404, "GET", "/studies/s99/opening")


if __name__ == "__main__":
    unittest.main()
