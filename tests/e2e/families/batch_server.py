"""A server of one family that has its provider's batch API, too: OpenAI's (files and batches) or Anthropic's (message
batches). It enforces what these publish, and serves the requests in a batch by the rules of the family.

https://developers.openai.com/api/docs/guides/batch
https://platform.claude.com/docs/en/build-with-claude/batch-processing"""
import datetime
import email.parser
import email.policy
import json
import re
import time
import urllib.parse

from rules import Seen, openai_error
from rules_claude import claude_error
from server import Handler, Server
from wire import Asked, letters

WINDOW_S = 24 * 3600
ENDPOINTS = ("/v1/chat/completions", "/v1/responses", "/v1/embeddings")
UNKNOWN = {"error": {"message": "Not Found: this server has no batches", "type": "not_found_error"}}


class Refused(Exception):
    """`refusal`: status and body."""

    def __init__(self, refusal):
        super().__init__(str(refusal.body))
        self.refusal = refusal


class Batch:
    """`lines`: the requests with their custom ids. `looks`: how often it was looked at."""

    def __init__(self, id, lines, order):
        self.id, self.lines, self.order = id, lines, order
        self.made = time.time()
        self.looks = 0
        self.ending = None      # How it ended: "completed", "expired" or "cancelled".
        self.results = []       # The lines of its results.
        self.cancelling = False


class BatchHandler(Handler):
    def do_GET(self):
        self.batch_api(b"")

    def do_POST(self):
        path = urllib.parse.urlsplit(self.path).path
        if path == self.owner.family.path:
            return super().do_POST()
        self.batch_api(self.rfile.read(int(self.headers["Content-Length"])))

    def batch_api(self, data):
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            try:
                said = self.owner.batch_reply(self.command, urllib.parse.urlsplit(self.path).path, headers, data)
            except Refused as refused:
                self.owner.refused_batches.append((refused.refusal.status, json.dumps(refused.refusal.body)))
                return self.whole(refused.refusal.status, json.dumps(refused.refusal.body).encode())
            if isinstance(said, bytes):
                return self.whole(200, said, "application/x-jsonl")
            self.whole(200, json.dumps(said).encode())
        except ConnectionError:
            self.close_connection = True  # The client left.


class BatchServer(Server):
    """`fate`: what becomes of batches: "done" after two looks, "held" until it is changed, "expired", or "absent" where
    there is no batch API. `asked`: (method, path) of each request to the batch API."""
    handler = BatchHandler

    def __init__(self, family, fate="done"):
        self.fate = fate
        self.files, self.batches, self.asked, self.refused_batches = {}, {}, [], []
        self.latest = {}  # The headers of the newest request.
        super().__init__(family)
        self.anthropic = family.path.endswith("/messages")
        cut = "" if self.anthropic else re.search("/(chat/completions|responses)$", family.path).group(0)
        self.root = family.path.removesuffix(cut)

    def door(self, headers):
        """The rules on key and version hold here, too."""
        seen = Seen(Asked({}, headers, {}), self.memory, [], None)
        for rule in self.family.rules:
            if rule.text.startswith(("takes the key", "wants the header")) and (found := rule.check(seen)):
                raise Refused(found)

    def batch_reply(self, method, path, headers, data):
        with self.lock:
            self.asked.append((method, path))
            self.latest = headers
            if self.fate == "absent" or not path.startswith(self.root):
                raise Refused(openai_error("Not Found: this server has no batches", status=404, kind="not_found_error"))
            self.door(headers)
            rest = path[len(self.root):].strip("/").split("/")
            known = self.messages if self.anthropic else self.openai
            return known(method, rest, headers, data)

    # OpenAI

    def openai(self, method, rest, headers, data):
        match (method, rest):
            case ("POST", ["files"]):
                return self.upload(headers, data)
            case ("GET", ["files", file, "content"]):
                return self.files[self.known(self.files, file)]
            case ("POST", ["batches"]):
                return self.order(json.loads(data))
            case ("GET", ["batches", id]):
                return self.openai_shape(self.looked_at(id))
            case ("POST", ["batches", id, "cancel"]):
                return self.openai_shape(self.cancelled(id))
        raise Refused(openai_error(f"Unknown request URL: {method} /{'/'.join(rest)}.", status=404))

    def known(self, kept, id):
        if id not in kept:
            raise Refused(openai_error(f"No such object: {id}", status=404))
        return id

    def upload(self, headers, data):
        """The multipart form, read by Python's own parser."""
        head = f"Content-Type: {headers['content-type']}\r\n\r\n".encode()
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + data)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
        if set(parts) != {"purpose", "file"}:
            raise Refused(openai_error("'file' and 'purpose' are required properties"))
        if parts["purpose"].get_payload(decode=True).decode() != "batch":
            raise Refused(openai_error("the purpose of this file is not `batch`"))
        name = parts["file"].get_filename()
        if not name.endswith(".jsonl"):
            raise Refused(openai_error("Invalid file format for Batch API. Must be .jsonl"))
        id = "file-" + letters(24)
        self.files[id] = parts["file"].get_payload(decode=True)
        return {"id": id, "object": "file", "bytes": len(self.files[id]), "created_at": int(time.time()),
                "filename": name, "purpose": "batch", "status": "processed", "expires_at": None}

    def order(self, order):
        if set(order) - {"input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after"}:
            raise Refused(openai_error(f"Unknown parameter among {sorted(order)}"))
        if order.get("completion_window") != "24h" or order.get("endpoint") not in ENDPOINTS:
            raise Refused(openai_error("Invalid completion_window or endpoint"))
        text = self.files[self.known(self.files, order.get("input_file_id"))]
        lines = [json.loads(line) for line in text.decode().splitlines() if line]
        self.check_ids([line.get("custom_id") for line in lines], ".+")
        for line in lines:
            if set(line) != {"custom_id", "method", "url", "body"} or line["method"] != "POST":
                raise Refused(openai_error(f"a line has {sorted(line)}"))
            if line["url"] != order["endpoint"] or line["body"].get("stream"):
                raise Refused(openai_error("the URL of a line is not the endpoint, or its reply is to be streamed"))
        batch = Batch("batch_" + letters(24), [(line["custom_id"], line["body"]) for line in lines], order)
        self.batches[batch.id] = batch
        return self.openai_shape(batch)

    def openai_shape(self, batch):
        status = batch.ending or ("cancelling" if batch.cancelling else "validating" if batch.looks == 0 else "in_progress")
        good = [one for one in batch.results if (one["response"] or {}).get("status_code") == 200]
        bad = [one for one in batch.results if one not in good]
        files = {name: None for name in ("output_file_id", "error_file_id")}
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                files[name] = f"file-{name}-{batch.id}"
                self.files[files[name]] = "".join(json.dumps(one) + "\n" for one in lines).encode()
        counts = {"total": len(batch.lines), "completed": len(good), "failed": len(bad)}
        return {"id": batch.id, "object": "batch", "endpoint": batch.order["endpoint"], "errors": None,
                "input_file_id": batch.order["input_file_id"], "completion_window": "24h", "status": status, **files,
                "created_at": int(batch.made), "expires_at": int(batch.made + WINDOW_S), "request_counts": counts,
                "metadata": None}

    def openai_line(self, custom_id, served, ending):
        if served is None:
            late = "This request could not be executed before the completion window expired."
            error = {"code": "batch_" + ending, "message": late if ending == "expired" else "It was cancelled."}
            return {"id": "batch_req_" + letters(24), "custom_id": custom_id, "response": None, "error": error}
        status, body = served
        response = {"status_code": status, "request_id": "req_" + letters(24), "body": body}
        return {"id": "batch_req_" + letters(24), "custom_id": custom_id, "response": response, "error": None}

    # Anthropic

    def messages(self, method, rest, headers, data):
        match (method, rest):
            case ("POST", ["batches"]):
                return self.messages_shape(self.new_messages(json.loads(data)), headers)
            case ("GET", ["batches", id]):
                return self.messages_shape(self.looked_at(id), headers)
            case ("GET", ["batches", id, "results"]):
                batch = self.batches[self.known(self.batches, id)]
                return "".join(json.dumps(one) + "\n" for one in batch.results).encode()
            case ("POST", ["batches", id, "cancel"]):
                return self.messages_shape(self.cancelled(id), headers)
        raise Refused(claude_error("Not found", 404, "not_found_error"))

    def new_messages(self, order):
        if set(order) != {"requests"} or not order["requests"]:
            raise Refused(claude_error("requests: Field required"))
        if any(set(one) != {"custom_id", "params"} for one in order["requests"]):
            raise Refused(claude_error("requests.0: custom_id and params are required, and nothing else"))
        self.check_ids([one["custom_id"] for one in order["requests"]], "[a-zA-Z0-9_-]{1,64}")
        if any(one["params"].get("stream") for one in order["requests"]):
            raise Refused(claude_error("requests.0.params.stream: streaming is not supported in batches"))
        lines = [(one["custom_id"], one["params"]) for one in order["requests"]]
        batch = Batch("msgbatch_" + letters(24), lines, order)
        self.batches[batch.id] = batch
        return batch

    def messages_shape(self, batch, headers):
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        counts["processing"] = 0 if batch.ending else len(batch.lines)
        for one in batch.results:
            counts[one["result"]["type"]] += 1
        at = lambda s: datetime.datetime.fromtimestamp(s, datetime.timezone.utc).isoformat()
        status = "ended" if batch.ending else "canceling" if batch.cancelling else "in_progress"
        url = f"http://{headers['host']}{self.root}/batches/{batch.id}/results" if batch.ending else None
        return {"id": batch.id, "type": "message_batch", "processing_status": status, "request_counts": counts,
                "created_at": at(batch.made), "expires_at": at(batch.made + WINDOW_S), "archived_at": None,
                "ended_at": at(time.time()) if batch.ending else None,
                "cancel_initiated_at": at(time.time()) if batch.cancelling else None, "results_url": url}

    def messages_line(self, custom_id, served, ending):
        if served is None:
            return {"custom_id": custom_id, "result": {"type": "expired" if ending == "expired" else "canceled"}}
        status, body = served
        good = {"type": "succeeded", "message": body}
        return {"custom_id": custom_id, "result": good if status == 200 else {"type": "errored", "error": body}}

    # Both

    def check_ids(self, ids, pattern):
        if not ids or len(set(ids)) != len(ids) or not all(re.fullmatch(pattern, str(one)) for one in ids):
            error = claude_error if self.anthropic else openai_error
            raise Refused(error("custom_id: must be unique and match " + pattern))

    def end(self, batch, ending):
        line = self.messages_line if self.anthropic else self.openai_line
        for custom_id, body in batch.lines:
            batch.results.append(line(custom_id, self.serve(body) if ending == "completed" else None, ending))
        batch.ending = ending

    def serve(self, body):
        """As it would be asked alone; key and version were checked at the door."""
        self.received.append(body)
        self.headers.append(self.latest)
        refusal = self.refusal(Asked(body, self.latest, {}))
        return (refusal.status, refusal.body) if refusal else (200, self.said(body))

    def looked_at(self, id):
        batch = self.batches[self.known(self.batches, id)]
        batch.looks += 1
        if not batch.ending and batch.cancelling:
            self.end(batch, "cancelled")
        elif not batch.ending and self.fate == "expired":
            self.end(batch, "expired")
        elif not batch.ending and self.fate == "done" and batch.looks > 1:
            self.end(batch, "completed")
        return batch

    def cancelled(self, id):
        batch = self.batches[self.known(self.batches, id)]
        batch.cancelling = not batch.ending
        return batch
