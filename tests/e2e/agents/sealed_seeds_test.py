"""The seeds of a registration that another one keeps: an agent that asks for everything learns none of them."""
import textwrap
import unittest

from harness import NOISY_JOB, EtudeTest, verdicts
from scripted_model import ScriptedModel

# The job fails once the experiment is registered, and says its seed in several ways.
FAILING = '''
import os, sys
arm, seed, registered = sys.argv[1], int(sys.argv[2]), os.path.exists(sys.argv[3])
print("seed", seed, hex(seed), f"{seed:,}")
if registered:
    open(os.environ["ETUDE_OUTPUT"] + f"/{seed}.txt", "w").write(str(seed))
    raise SystemExit(f"bad seed {seed} (0x{seed:08x}, {seed:_})")
''' + NOISY_JOB
STUDY = '''
etude: 1
title: Sealed
question: Which is cheaper?
run: python3 -S job.py {arm} {seed} FLAG
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
design: {replicates: {min: 6, max: 6}}
gates: [{on: experiments, otherwise: pause}]
budget: {runs: 7}
resources: {timeout: 10m, sandbox: none}
agents: scripted
seeds: drawn
'''


def written(seed):
    """Ways of writing a number that a reader knows for it."""
    return {str(seed), f"{seed:x}", f"{seed:X}", f"{seed:,}", f"{seed:_}"}


# What the engineer asks before it mends the code.
ASKS = [
    [("list_files", {}), ("grep", {"pattern": "[0-9]{5,}"}), ("read_file", {"path": "crash.log"})],
    *[[("read_log", {"run": run, "stream": stream}) for run in range(3, 9)] for stream in ("stderr", "stdout")],
    [("recall", {"query": words}) for words in ("seed", "crashed", "E01 failed", "")],
    *[[("record_dead_end", {"title": "Why it failed", "hypothesis": "It runs.", "failure_mode": "It failed.",
                            "why_failed": "{{r%d.reason}}" % run, "lesson": "{{r%d.reason}}" % run})
       for run in range(4, 8)]],
    ("run_scratch", {"command": "cat crash.log; env; ls -R /etude; cat /proc/*/environ /proc/*/cmdline; find / -xdev -name "
                                "'std*.head' -o -xdev -name outcome 2>/dev/null | head -50 | xargs cat"}),
    ("request_runs", {"settings": {"arm": "slow"}}),
    ("edit_file", {"path": "job.py", "old": "fsat", "new": "fast"}),
    ("finish", {"summary": "The name of an arm was misspelt."}),
]


class SealedSeeds(EtudeTest):
    def blob(self, digest):
        return (self.home / "blobs" / digest[:2] / digest[2:]).read_text()

    def test_an_agent_that_asks_for_everything_about_a_failed_registered_run_learns_no_seed(self):
        flag = self.tmp / "registered"
        self.study(STUDY.replace("FLAG", str(flag)), FAILING)
        server = ScriptedModel({"you mend the code": ASKS})
        self.addCleanup(server.close)
        config = self.tmp / "config.yaml"
        config.write_text(textwrap.dedent(f"""
            providers: {{loop: {{api: openai, base_url: "{server.url}", timeouts: {{first_byte: 4m, total: 10m}}}}}}
            models: {{one: {{provider: loop, model: scripted, prices: {{input: 1, output: 1}}, max_output: 500}}}}
            profiles: {{scripted: {{default: one}}}}
            """))
        id = self.lines("--config", config, "run", "study.yaml", code=None)[-1]["id"]
        flag.touch()
        self.etude("approve", f"{id}-g1")
        self.lines("--config", config, "resume", id, "-j", "1", code=4)
        failed = [r for r in self.lines("runs", id) if r["purpose"] == "registered" and r["state"] == "failed"]
        self.assertGreater(len(failed), 1)
        # A person sees the seeds, in the list of runs, in their reasons and in their logs.
        for run in failed:
            self.assertIn(f"bad seed {run['seed']}", run["reason"])
            self.assertIn(f"{run['seed']:_}", self.blob(run["blobs"]["stderr"]))
        # The person mends the code and says what it saw; something else is wrong with the new code.
        seen = failed[0]["seed"]
        self.write("job.py", NOISY_JOB.replace('"fast"', '"fsat"'))
        self.write("crash.log", f"bad seed {seen} (0x{seen:08x})\n")
        self.etude("amend", id, "--why", f"It crashed on seed {seen}.")
        self.etude("steer", id, f"Run {failed[0]['id']} crashed on seed {seen:,}.")
        self.lines("--config", config, "resume", id, "--budget", "runs=200", code=None)
        self.etude("approve", f"{id}-g2")
        study = self.lines("--config", config, "resume", id)[-1]
        self.assertEqual(verdicts(study), {"H1": "supported"})
        runs = self.lines("runs", id)
        seeds = {e: {r["seed"] for r in runs if r["experiment"] == e and r["purpose"] == "registered"} for e in ("E01", "E02")}
        self.assertEqual(seeds["E01"], seeds["E02"])
        # The engineer and the reviewer were told what they asked for, without the seeds. Those who interpret the verdicts
        # may know them.
        after = ("you interpret the verdicts", "you write this study up")
        told = [str(m["content"]) for r in server.requests for m in r["messages"] if m["role"] != "assistant" and
                not any(role in r["messages"][0]["content"] for role in after)]
        self.assertTrue(any("A person" in t or "says: Run" in t for t in told), told)
        for words in ("crashed on seed ‹seed›", "bad seed ‹seed› (0x‹seed›)", "is withheld"):
            self.assertTrue(any(words in t for t in told), words)
        for seed in seeds["E01"]:
            for way in written(seed):
                self.assertFalse([t for t in told if way in t], (seed, way))
        answers = [e["payload"]["answer"] for e in self.lines("log", id) if e["type"] == "ToolReturned"]
        used = {a["tool"] for a in answers if not a["refused"]}
        self.assertLessEqual({"grep", "read_file", "read_log", "recall", "run_scratch", "request_runs"}, used)


if __name__ == "__main__":
    unittest.main()
