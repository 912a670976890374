"""`GET /metrics`, as Prometheus' own client library reads it: what is counted, and who may read it."""
import json
import pathlib
import sys
import unittest

from harness import JOB, STUDY, until
from served import ServedTest

# Where the tests' own packages are, if there are any.
sys.path += map(str, pathlib.Path(__file__).resolve().parents[2].glob("peers/venv/lib/python3*/site-packages"))

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None


@unittest.skipUnless(text_string_to_metric_families, "no prometheus_client in tests/peers/venv")
class Metrics(ServedTest):
    def scrape(self, **kw):
        answer, text = self.ask("GET", "/metrics", **kw)
        self.assertEqual(answer.status, 200, text)
        self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        families = list(text_string_to_metric_families(text.decode()))
        self.assertEqual(len({family.name for family in families}), len(families))
        samples = {}
        for family in families:
            self.assertTrue(family.documentation)
            for sample in family.samples:
                key = (sample.name, *sorted(sample.labels.items()))
                self.assertNotIn(key, samples)
                samples[key] = sample.value
            if family.type == "histogram":
                self.check_histogram(family)
        return {family.name: family for family in families}, samples

    def check_histogram(self, family):
        """Buckets grow up to the count."""
        series = {}
        for sample in family.samples:
            labels = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
            one = series.setdefault(labels, {"buckets": []})
            if sample.name.endswith("_bucket"):
                one["buckets"].append((float(sample.labels["le"]), sample.value))
            else:
                one[sample.name.rsplit("_", 1)[1]] = sample.value
        for one in series.values():
            bounds, counts = zip(*one["buckets"])
            self.assertEqual(list(bounds), sorted(bounds))
            self.assertEqual(list(counts), sorted(counts))
            self.assertEqual((bounds[-1], counts[-1]), (float("inf"), one["count"]))
            self.assertGreaterEqual(one["sum"], 0)

    def test_what_a_study_did_is_counted(self):
        self.serve()
        families, samples = self.scrape()
        self.assertEqual(samples["etude_events_total",], 0)
        self.study(STUDY.replace("budget: {runs: 100, wall: 10m}", "budget: {runs: 100, wall: 10m, tokens: 5}"),
                   JOB.replace("spread = ", "if (arm, n, seed % 2) == ('fast', 2, 0): sys.exit(3)\nspread = "))
        ident = self.post("/studies", {"path": str(self.dir / "study.yaml"), "jobs": 2}, 201)["id"]
        study = until(lambda: (s := self.get(f"/studies/{ident}"))["state"] == "ended" and s)
        families, samples = self.scrape()
        runs = [json.loads(line) for line in self.etude("runs", ident, "--json").stdout.splitlines()]
        for state in ("succeeded", "failed"):
            number = sum(run["state"] == state for run in runs)
            self.assertEqual(samples.get(("etude_runs_ended_total", ("state", state)), 0), number)
            self.assertEqual(samples.get(("etude_run_duration_seconds_count", ("state", state)), 0), number)
        self.assertEqual(samples["etude_run_launch_seconds_count",], len(runs))
        self.assertEqual(samples["etude_run_wait_seconds_count",], len(runs))
        whole = sum(run["usage"]["wall_s"] for run in runs if run["state"] == "succeeded")
        self.assertLess(abs(samples["etude_run_duration_seconds_sum", ("state", "succeeded")] - whole), 0.2 * whole + 0.5)
        events = sum(1 for _ in self.etude("log", ident, "--json").stdout.splitlines())
        self.assertEqual(samples["etude_events_total",], events)
        self.assertGreater(samples["etude_store_commit_seconds_count", ("durable", "true")], 10)

        of = ("study", ident)
        self.assertEqual(samples["etude_study_state", ("state", "ended"), of], 1)
        self.assertEqual(samples["etude_study_state", ("state", "running"), of], 0)
        self.assertEqual(samples["etude_study_runs", ("state", "going"), of], 0)
        spent = study["ledger"]["runs"]["spent"]
        self.assertEqual(samples["etude_study_budget_runs", ("part", "spent"), of], spent)
        self.assertEqual(samples["etude_study_budget_runs", ("part", "limit"), of], 100)
        self.assertEqual(samples["etude_study_budget_tokens", ("part", "limit"), of], 5)
        self.assertNotIn(("etude_study_budget_dollars", ("part", "limit"), of), samples)
        self.assertGreater(samples["process_resident_memory_bytes",], 1 << 20)

    def test_runs_that_go_on_and_wait(self):
        self.serve()
        ident = self.post("/studies", {"path": str(self.held("one")), "jobs": 2}, 201)["id"]
        self.until_started(ident, 2)
        of = ("study", ident)
        _, samples = until(lambda: (s := self.scrape())[1].get(("etude_study_runs", ("state", "going"), of)) == 2 and s)
        waiting = sum(run["state"] == "queued" for run in self.get(f"/studies/{ident}/runs")["items"])
        self.assertEqual(samples["etude_study_runs", ("state", "waiting"), of], waiting)
        self.assertEqual(samples["etude_study_budget_runs", ("part", "reserved"), of], 2)
        self.post(f"/studies/{ident}/cancel", {})
        self.let_go("one")
        until(lambda: self.get(f"/studies/{ident}")["state"] == "ended")

    def test_who_may_read_it(self):
        self.serve()
        self.problem(401, "GET", "/metrics", token=False)
        scraper = self.etude("serve", "--scrape-token").stdout.strip()
        self.assertNotEqual(scraper, self.token)
        only = {"Authorization": f"Bearer {scraper}"}
        self.scrape(headers=only)
        # It opens nothing else.
        for method, path in (("GET", "/health"), ("GET", "/studies"), ("POST", "/studies"), ("GET", "/metrics/x"),
                             ("GET", "/openapi.json"), ("POST", "/metrics"), ("GET", "/health?/metrics")):
            self.problem(401, method, path, headers=only)
        self.problem(401, "POST", "/session", {"token": scraper}, token=False)
        # Nor does it outlive the token.
        self.etude("serve", "--new-token")
        self.problem(401, "GET", "/metrics", headers=only)


if __name__ == "__main__":
    unittest.main()
