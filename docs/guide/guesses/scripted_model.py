"""A stand-in for a language model: OpenAI's chat completions on a loopback port, with replies that are written down here.

It writes config.yaml, which names its address, and serves until it is killed.
"""
import http.server
import json
import re

NEIGHBOURS = '''def guess(point, examples):
    """What most of the nearest examples are."""
    near = sorted(examples, key=lambda e: (point[0] - e[0]) ** 2 + (point[1] - e[1]) ** 2)[:NEAREST]
    return int(2 * sum(label for _, _, label in near) > NEAREST)'''

with open("guess.py") as file:
    CENTRES = re.search(r"^def guess.*?(?=\n\n\n)", file.read(), re.M | re.S)[0]


def edit(old, new):
    return ("edit_file", {"path": "guess.py", "old": old, "new": new})


def finish(summary):
    return ("finish", {"summary": summary})


def reviewed(task):
    """All requirements are met, by its reading of the file that each is bound to."""
    return [("judge_requirement", {"id": requirement, "met": True, "why": "The lines do what the requirement says."})
            for requirement in re.findall(r"^- ([KR]\d+) \(method\)", task, re.M)]


def calls(role, task):
    """What the model calls in a line of work, one call a reply, by its role."""
    if role == "write a version":
        return [("read_file", {"path": "guess.py"}), edit(CENTRES, NEIGHBOURS),
                edit("EXAMPLES = 80", "EXAMPLES = 80\nNEAREST = 31"), finish("It asks the nearest examples, not the centres.")]
    if role == "improve a version":
        return [edit("NEAREST = 31", "NEAREST = 9"), finish("It asks fewer neighbours, and so follows the moons.")]
    if role == "say what is required":
        return [("read_file", {"path": "guess.py"}),
                ("bind_requirement", {"of": "method", "text": "A guess follows from the examples alone.", "file": "guess.py",
                                      "from_line": 19, "to_line": 22}), finish("A guess must follow from the examples.")]
    if role == "review the source":
        return [("read_file", {"path": "guess.py"}), *reviewed(task), finish("I read guess.py.")]
    return [finish("Nothing to add.")]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        role = re.search(r"Your role: you ((?:\w+ )(?:a|the|what)(?: \w+)(?: \w+)?)", messages[0]["content"])
        role = " ".join(role[1].split()[:4 if "what" in role[1] else 3]) if role else ""
        turn = sum(message["role"] == "assistant" for message in messages)
        script = calls(role, messages[1]["content"])
        name, arguments = script[min(turn, len(script) - 1)]
        call = {"id": f"call-{turn}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        sent = sum(len(message.get("content") or "") for message in messages) // 4
        body = json.dumps({
            "id": "1", "object": "chat.completion", "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "tool_calls",
                         "message": {"role": "assistant", "content": None, "tool_calls": [call]}}],
            "usage": {"prompt_tokens": sent, "completion_tokens": 50, "total_tokens": sent + 50}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("config.yaml", "w") as file:
    file.write(f"""providers:
  here: {{api: openai, base_url: "http://127.0.0.1:{server.server_port}/v1"}}
models:
  scripted: {{provider: here, model: scripted, prices: {{input: 3, output: 15}}, max_output: 1000, stream: false}}
profiles:
  scripted: {{default: scripted}}
""")
server.serve_forever()
