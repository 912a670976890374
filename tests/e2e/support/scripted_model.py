"""A model server with scripted replies for attacks: OpenAI's chat completions on a loopback port.

It has no state: the position in a conversation follows from the request. It keeps every request for checks.
"""
import http.server
import json
import re
import threading


def obliging(system, turn, task, answers):
    """The replies of a role without a script: its requirements are met, and it does nothing else."""
    said = []
    binds = {"you say what the question requires": (r"^(\S.*?)  \d+ bytes$", "The code does what the study file says."),
             "you say what is required of a version of the code": (r"^\+\+\+ b/(\S+)$", "It does what was said of it.")}
    drawn = next((said for role, said in binds.items() if role in system), None)
    if drawn:
        files = re.findall(drawn[0], task, re.M)
        code = next((name for name in files if name.endswith((".py", ".sh"))), files[0])
        lines = re.findall(r"^ *(\d+)  *([^#\s].*)$", answers[0], re.M) if answers else []
        said = [("read_file", {"path": code}),
                ("bind_requirement", {"of": "method", "text": drawn[1], "file": code,
                                      "from_line": int(lines[0][0]) if lines else 1})]
    elif "you review the source" in system:
        said = [[("read_file", {"path": file}),
                 ("judge_requirement", {"id": found, "met": True, "why": "The source does what is asked."})]
                for found, file in re.findall(r"^- ([KR]\d+) \(method\).*?bound to (\S+):\d+-\d+", task, re.M | re.S)]
    said.append(("finish", {"summary": "That is all."}))
    return said[min(turn, len(said) - 1)]


class ScriptedModel:
    """`scripts`: what a role, known by words of its system prompt, says: a list of (tool, arguments), where arguments
    that are text are sent as they are, of lists of these, which are one reply, or of text, a reply without a call. Beyond
    its end a role says the last thing again. `reports`: the share of the tokens of each call that it reports. `cost`: the
    price in US dollars that it states of each call."""

    def __init__(self, scripts, reports=1, cost=None):
        self.scripts, self.requests, self.reports, self.cost = scripts, [], reports, cost
        handler = type("Handler", (Handler,), {"model": self})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def reply(self, request):
        self.requests.append(request)
        messages = request["messages"]
        system = messages[0]["content"]
        script = next((list(said) for role, said in self.scripts.items() if role in system), None)
        turn = sum(m["role"] == "assistant" for m in messages)
        said = script[min(turn, len(script) - 1)] if script else obliging(
            system, turn, messages[1]["content"], [m["content"] or "" for m in messages if m["role"] == "tool"])
        text = said if isinstance(said, str) else None
        calls = [] if text else [{"id": f"call-{turn}" + (f"-{i}" if i else ""), "type": "function",
                  "function": {"name": tool, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}}
                 for i, (tool, arguments) in enumerate(said if isinstance(said, list) else [said])]
        return {"id": "1", "object": "chat.completion", "model": "scripted",
                "choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop",
                             "message": {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}}],
                "usage": self.usage(request, calls)}

    def usage(self, request, calls):
        """What it reports of a call: about one token per four characters, times `reports`."""
        sent, said = (int(len(json.dumps(part)) / 4 * self.reports) for part in (request["messages"], calls))
        stated = {} if self.cost is None else {"cost": self.cost}
        return {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said, **stated}

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(self.model.reply(request)).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            pass  # The client was killed.

    def log_message(self, *args):
        pass
