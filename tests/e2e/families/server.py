"""A server of one family on a loopback port. It keeps what it received and what it refused."""
import http.server
import json
import threading
import traceback
import urllib.parse

import chat_protocol
import script
from rules import Seen
from wire import Asked, Memory

# https://openrouter.ai/docs/api/reference/errors-and-debugging and https://openrouter.ai/docs/api-reference/streaming:
# in the middle of a stream, and with status 200 also instead of a whole reply.
BROKEN = {"code": "server_error", "message": "Provider disconnected unexpectedly"}
BROKEN_WHOLE = {"error": {"code": 502, "message": "Provider returned error"}}


class Http(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Clients that leave are no faults; others are kept by Handler."""


class Events(list):
    """The texts of the events of a stream."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            self.answer(*self.reply_to(data))
        except ConnectionError:
            self.close_connection = True  # The client left.

    def reply_to(self, data):
        address = urllib.parse.urlsplit(self.path)
        if address.path != self.owner.family.path:
            self.owner.refused.append((404, f"there is no {address.path}"))
            return 404, {"error": {"message": f"there is no {address.path}", "type": "not_found_error"}}
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(urllib.parse.parse_qsl(address.query))
        try:
            return self.owner.reply(Asked(json.loads(data), headers, query))
        except Exception:  # Shown by the test, which would otherwise see only a status.
            self.owner.failed.append(traceback.format_exc())
            return 500, {"error": {"message": traceback.format_exc(), "type": "server_error"}}

    def answer(self, status, said):
        if not isinstance(said, Events):
            return self.whole(status, json.dumps(said).encode())
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for text in said:
            data = text.encode()
            for part in (data[:len(data) // 2], data[len(data) // 2:]):  # An event may come in two pieces.
                self.piece(part)
        self.wfile.write(b"0\r\n\r\n")

    def piece(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def whole(self, status, data, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


class Server:
    """`received`, `headers`: the bodies and the headers in order. `refused`: (status, text) of each refusal. `lost`:
    words about opaque material that did not come back. `failed`: tracebacks of faults of this server's own."""
    handler = Handler

    def __init__(self, family, context=None):
        self.family = family
        self.context = context or family.context
        self.protocol = family.speaks(self.context)
        self.memory = Memory()
        self.headers = []
        self.received, self.refused, self.lost, self.failed = [], [], [], []
        self.trouble = family.trouble
        self.lock = threading.Lock()
        handler = type("Handler", (self.handler,), {"owner": self})
        self.http = Http(("127.0.0.1", 0), handler)
        self.port = self.http.server_port
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def trouble_with(self, body):
        """The Refusal of a request for a reason that no rule has; None."""

    def refusal(self, asked):
        seen = Seen(asked, self.memory, self.lost, self.context)
        for rule in self.family.rules:
            found = rule.check(seen)
            if found:
                self.refused.append((found.status, json.dumps(found.body, ensure_ascii=False)))
                return found
        return None

    def reply(self, asked):
        """(status, JSON) or (200, texts of events)."""
        with self.lock:
            self.received.append(asked.body)
            self.headers.append(asked.headers)
            refusal = self.trouble_with(asked.body) or self.refusal(asked)
            self.lost[:] = dict.fromkeys(self.lost)  # Each later request of a conversation says the same once more.
            if refusal:
                return refusal.status, refusal.body
            return 200, self.said(asked.body)

    def next_reply(self, body, spoken):
        return script.next_reply(spoken, self.protocol.call_id)

    def said(self, body):
        spoken = self.protocol.read(body)
        said = self.next_reply(body, spoken)
        trouble = self.trouble if spoken.turns == 1 and not spoken.texts else ""
        if trouble:
            self.trouble = ""
        if trouble == "as text":
            said = chat_protocol.said_as_text(said)
        issued = self.protocol.answer(body, said)
        self.memory.add(issued, *self.protocol.names(issued))
        if not body.get("stream"):
            return BROKEN_WHOLE if trouble == "break" else self.protocol.whole(issued)
        if trouble == "break":
            return Events(chat_protocol.broken_stream(issued, self.family.style, BROKEN))
        return Events(self.protocol.stream(issued))

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()
