#!/usr/bin/env python3
"""Compares what two programs send to models: prompt_cost.py BEFORE AFTER

Both run the same two studies against a scripted server: a test whose roles say the same in both, and a search over three
versions of the code, whose engineers first read each file that the conversation does not show yet, then change a line, try
it up to TRIES times, or until they are told that few replies are left, and hand it in. Prints calls, tokens of the prompts,
and their price at PRICE US dollars per million, with and without a cache that holds the common beginning of two requests of
a conversation at a tenth of the price. Tokens are counted at 4 bytes each.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "e2e/support"))

from code_search_case import EVALUATE, JOB, SCORING  # noqa: E402
from code_search_case import STUDY as SEARCHING  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402
from thinking_test_case import NOISY_JOB, SCRIPT, STUDY  # noqa: E402

PRICE, CACHED, BYTES_PER_TOKEN, TRIES = 3.0, 0.1, 4, 60
HELPERS = {f"lib/part{i}.py": "".join(f"def part{i}_{j}(x):\n    return x * {j} + {i}\n\n\n" for j in range(30))
           for i in range(4)}
SEARCH = SEARCHING.replace("code: {drafts: 3, branches: 3, debug_depth: 2, versions: 6}",
                           "code: {drafts: 2, branches: 1, versions: 3}").replace("max: 4}", "max: 2}").replace("seeds: fixed\n", "")


def role_script(system):
    own = [one for one in SCRIPT if one["match"]["systemMessage"] in system]
    own.sort(key=lambda one: one["match"]["turnIndex"])
    return [[(c["name"], c["arguments"]) for c in one["response"]["toolCalls"]] for one in own]


class Recorder(ScriptedModel):
    """Keeps each request. Engineers of a search read what they have not seen, and try what they wrote."""

    def __init__(self):
        super().__init__({})

    def reply(self, request):
        system, task = request["messages"][0]["content"], request["messages"][1]["content"]
        fixed = role_script(system)
        if "## Your step" in task:
            self.scripts = {system: self.engineer(request, task)}
        else:
            self.scripts = {system: fixed} if fixed and "## The version" not in task else {}
        return super().reply(request)

    def engineer(self, request, task):
        """The whole script up to now: what was said before, and what comes next."""
        said = [(c["function"]["name"], c["function"]["arguments"])
                for m in request["messages"] for c in m.get("tool_calls") or []]
        tools = {tool["function"]["name"] for tool in request.get("tools", [])}
        shown = "\n".join(m["content"] or "" for m in request["messages"] if m["role"] != "assistant")
        unread = [path for path, text in {"job.py": JOB, "scoring.py": SCORING, **HELPERS}.items()
                  if text.strip().splitlines()[-1].strip() not in shown]
        names = [name for name, _ in said]
        level = 0.7 + 0.05 * int(re.search(r"## Your step\n\n[a-z]+-(\d+)", task).group(1))
        old = re.search(r"^\+SKILL = (\S+)$", task, re.M)
        if not said and "list_files" in tools:
            return [*said, ("list_files", {})]
        if unread and names.count("read_file") < 6:
            return [*said, ("read_file", {"path": unread[0]})]
        if "edit_file" not in names:
            return [*said, ("edit_file", {"path": "job.py", "old": f"SKILL = {old.group(1) if old else '0.6'}",
                                          "new": f"SKILL = {level:.2f}"})]
        few = re.search(r"\b\d+ repl(?:y|ies) left", shown)
        if names.count("run_scratch") < TRIES and "finish" not in names and not few:
            n = names.count("run_scratch")
            return [*said, ("run_scratch", {"command": f"python3 -c 'print(\"try {n}: \" + \"x\" * 400)'"})]
        return [*said, ("finish", {"summary": "It guesses otherwise than the person's own."})]


def place(folder, search):
    files = {"study.yaml": SEARCH, "job.py": JOB, "scoring.py": SCORING, "evaluate.py": EVALUATE, **HELPERS,
             "val.csv": "".join(f"{i * 7 % 11 % 2}\n" for i in range(200)),
             "secret/test.csv": "".join(f"{i * 5 % 13 % 2}\n" for i in range(200))}
    for path, text in (files if search else {"study.yaml": STUDY, "job.py": NOISY_JOB}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def tokens(text):
    return len(text.encode()) / BYTES_PER_TOKEN


def prompt(body):
    """What a request holds in the order in which providers cache it."""
    parts = [json.dumps(body.get("tools", []), ensure_ascii=False)]
    for message in body["messages"]:
        parts.append((message.get("content") or "") + json.dumps(message.get("tool_calls") or [], ensure_ascii=False))
    return "\n".join(parts)


def measured(etude, search):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "study"
        folder.mkdir()
        place(folder, search)
        model = Recorder()
        try:
            (folder.parent / "config.yaml").write_text(textwrap.dedent(f"""
                providers: {{mock: {{api: openai, base_url: "{model.url}"}}}}
                models: {{small: {{provider: mock, model: m, prices: {{input: 3, output: 15}}, max_output: 1000}}}}
                profiles: {{mock: {{default: small}}}}
                """))
            done = subprocess.run([etude, "--home", folder.parent / "home", "--config", folder.parent / "config.yaml", "run",
                                   "study.yaml", "-j", "2"], cwd=folder, capture_output=True, text=True)
        finally:
            model.close()
    whole = cached = 0.0
    before = ""
    for body in model.requests:
        text = prompt(body)
        common = len(os.path.commonprefix([before, text]))
        whole += tokens(text)
        cached += tokens(text[:common]) * CACHED + tokens(text[common:])
        before = text
    ended = (done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or [""])[-1]
    return {"calls": len(model.requests), "tokens": whole, "usd": whole * PRICE / 1e6, "cached": cached * PRICE / 1e6,
            "exit": done.returncode, "end": ended}


def main():
    programs = sys.argv[1:]
    if len(programs) != 2:
        raise SystemExit(__doc__)
    print("| study | program | calls | prompt tokens | US dollars | with a cache | exit |\n|---|---|---:|---:|---:|---:|---:|")
    for search in (False, True):
        rows = [measured(os.path.abspath(program), search) for program in programs]
        for label, row in zip(("before", "after"), rows):
            print(f"| {'search, 3 versions' if search else 'test'} | {label} | {row['calls']} | {row['tokens']:,.0f} "
                  f"| {row['usd']:.4f} | {row['cached']:.4f} | {row['exit']} |")
        shares = [100 * rows[1][key] / rows[0][key] for key in ("calls", "tokens", "usd", "cached")]
        print("| | after/before | " + " | ".join(f"{share:.1f} %" for share in shares) + " | |")


if __name__ == "__main__":
    main()
