"""A night without a model: plays the agents with six ideas that were written beforehand.

    python3 rehearse.py [options of `etude run`]

It serves a made-up model on this machine, writes rehearsal.yaml (study.yaml with six versions) and runs it."""
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

PEEK = '''        for path in ("/etude/work/val.txt", "/etude/metrics.jsonl", "/proc/%d/mem" % os.getppid()):
            try:
                print(path, "can be read:", open(path, "rb").read(20))
            except OSError as error:
                print(path, error.strerror)
'''
# For each step the edits of train.py: what stands there, and what replaces it.
IDEAS = [
    [("WINDOW = 500 ", "WINDOW = 400 ")],                       # About as good.
    [("SMOOTHING = 1 ", "SMOOTHING = 0.1 ")],                   # Better.
    [("ORDER = 2 ", "ORDER = three ")],                         # Does not run, and is corrected:
    [("ORDER = three ", "ORDER = 3 ")],                         # Better again.
    [("import random\n", "import os\nimport random\n"),         # Would like to see what scores it.
     ("        counts = self", PEEK + "        counts = self")],
    [("WINDOW = 500 ", "WINDOW = 1000 ")],                      # About as good.
]
CONFIG = """
providers: {{rehearsal: {{api: openai, base_url: "{url}"}}}}
models: {{writer: {{provider: rehearsal, model: rehearsal-1, prices: {{input: 0, output: 0}}, max_output: 1000}},
         reader: {{provider: rehearsal, model: rehearsal-2, prices: {{input: 0, output: 0}}, max_output: 1000}}}}
profiles: {{night: {{default: writer, reviewer: reader}}}}
"""


def said_to(task, answers):
    """The calls of a line of work, one after another."""
    step = re.search(r"^## Your step\n\n[a-z]+-(\d+):", task, re.M)
    if step:
        edits = [("edit_file", {"path": "train.py", "old": old, "new": new}) for old, new in IDEAS[int(step[1]) - 1]]
        return edits + [("finish", {"summary": "It changes one thing of the model or of its training."})]
    read = ("read_file", {"path": "train.py"})
    judged = [("judge_requirement", {"id": found, "met": True, "why": "The source trains on the budget and hands a model in."})
              for found in re.findall(r"^- ([KR]\d+) \(method\)", task, re.M)]
    if not judged:
        line = re.search(r"^ *(\d+) +.*hand_in\(", "\n".join(answers), re.M)
        judged = [("bind_requirement", {"of": "method", "file": "train.py", "from_line": int(line[1]) if line else 1,
                                        "text": "It trains on the budget and answers by what it learnt."})]
    return [read] + judged + [("finish", {"summary": "That is all."})]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = request["messages"]
        turn = sum(m["role"] == "assistant" for m in messages)
        calls = said_to(messages[1]["content"], [m["content"] or "" for m in messages if m["role"] == "tool"])
        tool, arguments = calls[min(turn, len(calls) - 1)]
        reply = {"id": "1", "object": "chat.completion", "model": request["model"], "choices": [
            {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": None, "tool_calls": [
                {"id": f"call-{turn}", "type": "function",
                 "function": {"name": tool, "arguments": json.dumps(arguments)}}]}}],
            "usage": {"prompt_tokens": len(json.dumps(messages)) // 4, "completion_tokens": 20}}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    study = open("study.yaml").read()
    with open("rehearsal.yaml", "w") as file:
        file.write(re.sub(r"versions: \d+", f"versions: {len(IDEAS)}", study))
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        config.write(CONFIG.format(url=f"http://127.0.0.1:{server.server_port}/v1"))
        config.flush()
        etude = os.environ.get("ETUDE", "etude")
        sys.exit(subprocess.call([etude, "--config", config.name, "run", "rehearsal.yaml", *sys.argv[1:]]))
