"""Studies whose hypotheses a model proposes, over HTTP against aimock: both protocols, kills, chaos, keys."""
import os
import signal
import socket
import subprocess
import unittest

from harness import PATIENCE, until, until_signal_is_taken, verdicts
from thinking_test_case import ALL_CALLS, FAST, KEY, REST, SCRIPT, STUDY, ThinkingTest, calls


class Thinking(ThinkingTest):
    def asked(self):
        """How many calls have been sent to the model."""
        studies = self.json("ls") if (self.home / "etude.db").exists() else []
        return sum(len(self.events(study["id"], "ModelAsked")) for study in studies)

    def test_a_person_has_the_last_word_on_what_the_code_does(self):
        denial = calls(0, "judge_requirement", {"id": "R2", "met": False, "why": "job.py has no arms at all."},
                       "you review the source", [("read_file", {"path": "job.py"})])
        own = "you own the code of this study"
        fixtures = [denial if f == REST[3] else f for f in SCRIPT] + [
            calls(0, "finish", {"summary": "The code does it already."}, own)]
        self.configure(self.server(fixtures=fixtures).url)
        _, study = self.run_thinking(code=3)
        self.assertEqual((study["state"], study["hypotheses"][0]["verdict"]), ("paused", None))
        self.assertIn("etude judge", study["detail"])
        self.assertIn("R2 The arm decides on the cost that is reported.: not met, job.py has no arms",
                      self.etude("show", study["id"]).stdout)
        wrong = self.etude("judge", study["id"], "R1", "--met", "--why", "it is", code=2)
        self.assertIn("R1 is a part of the question", wrong.stderr)
        self.etude("judge", study["id"], "R2", "--met", "--unmet", "--why", "it is", code=2)
        judged = self.json("--config", self.config, "judge", study["id"], "R2", "--met", "--why",
                           f"line 5 does; my key is {KEY}", env=self.env)
        self.assertEqual([r["judge"] for r in judged["requirements"]], [None, "person"])
        self.etude("--config", self.config, "resume", study["id"], env=self.env)
        self.assertEqual(verdicts(self.json("show", study["id"])), {"H1": "supported"})
        report = (self.dir / "study-ara" / "report.md").read_text()
        self.assertIn("met (a person's word): line 5 does; my key is", report)
        self.assertNotIn(KEY, report)

    def test_a_whole_study_in_either_protocol(self):
        for api in ("openai", "anthropic"):
            with self.subTest(api):
                self.configure(self.server().url, api)
                events, study = self.run_thinking("-o", self.tmp / api)
                self.assertEqual(verdicts(study), {"H1": "supported"})
                self.assertEqual(study["hypotheses"][0]["by"], "hypothesis")
                account = [a for a in study["ledger"]["accounts"] if a["branch"] == "hypothesis-1"][0]
                self.assertEqual((account["role"], account["calls"]), ("hypothesis", 6))
                self.assertGreater(study["ledger"]["usd"]["spent"], 0)
                self.assertEqual(study["ledger"]["tokens"]["reserved"], 0)
                refused = [e["payload"] for e in events if e["type"] == "ToolReturned" and e["payload"]["answer"]["refused"]]
                self.assertEqual([r["answer"]["tool"] for r in refused], ["propose_hypothesis", "write_section"])
                report = (self.tmp / api / "report.md").read_text()
                self.assertIn("> H1 is supported, with an effect of ", report)
                self.assertRegex(report, r"R1 .*question.*H1 supported")
                self.assertRegex(report, r"R2 .*job.py:1-3.*met: job.py looks the cost up")
                titles = [n["title"] for n in self.json("graph", study["id"], "--format", "json")["nodes"]]
                self.assertIn("One contrast", titles)
                self.etude("check", self.tmp / api, "--strict")
                self.etude("audit", self.tmp / api)
        self.assertTrue(self.json("verify")["ok"])
        # The key is nowhere.
        found = subprocess.run(["grep", "-rl", KEY, str(self.home), str(self.tmp / "openai"), str(self.tmp / "anthropic")],
                               capture_output=True, text=True).stdout
        self.assertEqual(found, "")

    def test_a_third_of_the_requests_failing_in_four_ways_changes_no_verdict(self):
        ways = ("--chaos-drop", "--chaos-malformed", "--chaos-disconnect", "--chaos-ratelimit")
        self.configure(self.server(*(word for way in ways for word in (way, "0.05"))).url)
        _, study = self.run_thinking()
        self.assertEqual(verdicts(study), {"H1": "supported"})
        self.assertEqual(len(study["hypotheses"]), 1)
        answered = [e for e in self.events(study["id"], "ModelAnswered") if not e["payload"]["end"]["failure"]]
        self.assertEqual(len(answered), ALL_CALLS)

    def test_killed_while_it_thinks_it_goes_on_from_the_journal(self):
        # Half a second for each call: every kill falls into the middle of one.
        server = self.server("--chaos-latency", "300")
        self.configure(server.url)
        study = None
        for _ in range(4):
            verb = ["resume"] if study else ["run", "study.yaml"]
            process = subprocess.Popen(self.command("--config", self.config, *verb), cwd=self.dir, env=self.env,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            asked = self.asked()
            until(lambda: self.asked() > asked)
            process.send_signal(signal.SIGKILL)
            process.wait()
            study = self.only_id()
        self.etude("--config", self.config, "resume", env=self.env)
        study = self.json("show", study)
        self.assertEqual(verdicts(study), {"H1": "supported"})
        ends = [e["payload"]["end"] for e in self.events(study["id"], "ModelAnswered")]
        self.assertEqual(len([e for e in ends if not e["failure"]]), ALL_CALLS)
        lost = [e for e in ends if e["failure"]]
        self.assertTrue(all(e["maybe_paid"] for e in lost))
        self.assertLessEqual(len(lost), 4)
        self.assertLessEqual(len(server.asked()), ALL_CALLS + len(lost))
        self.assertEqual(len([e for e in self.lines("log", study["id"]) if e["type"] == "HypothesisProposed"]), 1)

    def test_a_study_is_replayed_from_its_journal_without_a_server(self):
        server = self.server()
        self.configure(server.url)
        first = self.run_thinking("-o", self.tmp / "first")[1]
        server.close()
        second = self.lines("run", "study.yaml", "--agents", "replay:" + first["id"], "-o", self.tmp / "second")[-1]
        self.assertEqual(verdicts(second), verdicts(first))
        self.assertEqual(second["ledger"]["usd"]["spent"], 0)
        said = [[(e["type"], e["payload"].get("answer", {}).get("tool")) for e in self.lines("log", s["id"])
                 if e["type"] in ("LineOpened", "ToolReturned", "WorkspaceAmended", "HypothesisProposed", "LineEnded")]
                for s in (first, second)]
        self.assertEqual(*said)
        # Another workspace is another conversation, and where it is first so is said.
        self.write("notes.md", "Look here.\n")
        third = self.lines("run", "study.yaml", "--agents", "replay:" + first["id"], "-o", self.tmp / "third",
                           code=None)[-1]
        self.assertEqual((third["state"], third["reason"]), ("paused", "agent"))
        self.assertRegex(third["detail"], r"call 1 of s1 differs: message 1, byte \d+: «.*» was recorded, and now it is «.*notes.md")
        self.assertIn("there is no such study in this home",
                      self.etude("run", "study.yaml", "--agents", "replay:s99", "-o", self.tmp / "x", code=2).stderr)

    def test_a_later_study_recalls_what_an_earlier_one_found(self):
        self.configure(self.server().url)
        first = self.run_thinking("-o", self.tmp / "first")[1]
        asks = REST + [calls(0, "recall", {"query": "arm costs NOT \"less", "verdict": "supported"}),
                calls(1, "recall", {"kind": "hypothesis", "study": "s2"}),
                calls(2, "view_image", {"path": "job.py"}), calls(3, "propose_hypothesis", FAST),
                calls(4, "finish", {"summary": "It is known already."})]
        self.configure(self.server(fixtures=asks).url)
        events, _ = self.run_thinking("-o", self.tmp / "second")
        answers = [e["payload"]["answer"] for e in events if e["type"] == "ToolReturned"]
        text = [self.told(a) for a in answers]
        self.assertIn(f"{first['id']}/H1 hypothesis, supported: {FAST['statement']}\n", text[0])
        self.assertIn("Nothing in the memory matches.", text[1])
        self.assertIn("takes no pictures", text[2])
        self.assertTrue(self.json("verify")["ok"])

    def test_who_leaves_in_the_middle_of_a_call_leaves_nothing_behind(self):
        self.configure(self.server("--chaos-latency", "1500").url)
        for signals, code in (([signal.SIGTERM], 130), ([signal.SIGINT, signal.SIGINT], 130), ([signal.SIGINT], 130)):
            verb = ["resume"] if self.home.exists() else ["run", "study.yaml"]
            process = subprocess.Popen(self.command("--config", self.config, *verb), cwd=self.dir, env=self.env,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            asked = self.asked()
            until(lambda: self.asked() > asked)
            for one in signals:
                process.send_signal(one)
                until_signal_is_taken(process, one)
            said = process.communicate(timeout=PATIENCE)[0]
            self.assertEqual(process.returncode, code, said)
        study = self.json("show", self.only_id())
        self.assertEqual(study["ledger"]["tokens"]["reserved"], 0)  # One SIGINT waited for the reply.
        self.etude("--config", self.config, "cancel", study["id"], env=self.env)
        self.assertEqual(self.json("show", study["id"])["outcome"], "cancelled")

    def test_a_reached_budget_stops_the_thinking_and_more_of_it_goes_on(self):
        self.configure(self.server().url)
        self.write("study.yaml", STUDY + "budget: {tokens: 6000}\n")
        _, study = self.run_thinking(code=4)
        self.assertEqual((study["state"], study["reason"]), ("paused", "budget"))
        self.assertLessEqual(study["ledger"]["tokens"]["spent"], 6000)
        self.etude("--config", self.config, "resume", study["id"], "--budget", "tokens=1000000", env=self.env)
        self.assertEqual(verdicts(self.json("show", study["id"])), {"H1": "supported"})

    def test_what_is_missing_is_said_before_anything_starts(self):
        def refused(*args, env=self.env):
            run = self.etude("--config", self.config, "run", "study.yaml", *args, code=2, env=env)
            self.assertEqual(self.json("ls"), [])
            return run.stderr
        self.configure("http://127.0.0.1:9")
        self.assertIn("its key is in $MOCK_KEY, which is not set",
                      refused(env={k: v for k, v in os.environ.items() if k != "MOCK_KEY"}))
        self.assertIn("there is no such profile: there are `builtin`, `mock`", refused("--agents", "other"))
        self.assertIn("is not the name of a profile", refused("--agents", "a b"))
        self.config.write_text(self.config.read_text().replace("prices: {input: 3, output: 15}, ", ""))
        self.write("study.yaml", STUDY + "budget: {usd: 1}\n")
        self.assertIn("its price is not known, and the study has a budget in usd", refused())

    def test_a_study_waits_for_a_server_that_is_gone_and_goes_on_by_itself(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.configure(f"http://127.0.0.1:{port}")
        process = subprocess.Popen(self.command("--config", self.config, "run", "study.yaml"), cwd=self.dir, env=self.env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        waiting = lambda: (self.home / "etude.db").exists() and [s for s in self.json("ls")
                                                                 if "waiting" in self.json("show", s["id"])]
        until(waiting)
        study = self.json("show", self.only_id())
        self.assertEqual((study["state"], study["waiting"][0]["on"], study["waiting"][0]["line"]),
                         ("running", "provider", "hypothesis-1"))
        # A request may meet the port just as it is closed.
        self.assertRegex(study["waiting"][0]["why"],
                         "model small is out of reach and is asked again by itself: (unreachable|cut off)")
        self.server("-p", str(port))
        self.assertEqual(process.wait(PATIENCE), 0)
        study = self.json("show", self.only_id())
        self.assertEqual(verdicts(study), {"H1": "supported"})
        self.assertNotIn("waiting", study)


if __name__ == "__main__":
    unittest.main()
