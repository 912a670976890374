"""The official packages `openai` and `anthropic` understand every reply of these servers, streamed and whole, and their
conversations keep to the rules. Skipped by name where a package is not installed."""
import copy
import json
import pathlib
import sys
import unittest

import peer
from batch_server import BatchServer
from families import FAMILIES, KEY, family
from server import Server

# Where the tests' own packages are, if there are any.
sys.path += map(str, pathlib.Path(__file__).resolve().parents[2].glob("peers/venv/lib/python3*/site-packages"))

try:
    import openai
except ImportError:
    openai = None
try:
    import anthropic
except ImportError:
    anthropic = None

ROLE = "you review the source"
CHATS = [one for one in FAMILIES if one.path.endswith("/chat/completions")]


def add_details(into, new):
    for one in new:
        last = into[-1] if into else {}
        if one["type"] == last.get("type") == "reasoning.text":
            last["text"] += one["text"]
        else:
            into.append(dict(one))


def add_parts(into, new):
    for one in new:
        if into and one["type"] == into[-1]["type"] == "thinking":
            into[-1]["thinking"][0]["text"] += one["thinking"][0]["text"]
        else:
            into.append(copy.deepcopy(one))


def add_call(calls, given):
    """A call begins with its name; further pieces of arguments belong to the last one."""
    if given["function"].get("name"):
        calls.append(copy.deepcopy(given))
        calls[-1].pop("index", None)
    else:
        calls[-1]["function"]["arguments"] += given["function"]["arguments"]


def message_of(chunks):
    """The message that the chunks of a stream make."""
    found = {"role": "assistant", "content": ""}
    for chunk in chunks:
        for choice in chunk["choices"]:
            delta = choice["delta"]
            for key in ("content", "reasoning_content", "reasoning"):
                if isinstance(delta.get(key), list):
                    found[key] = found[key] or []
                    add_parts(found[key], delta[key])
                elif delta.get(key):
                    found[key] = (found.get(key) or "") + delta[key]
            add_details(found.setdefault("reasoning_details", []), delta.get("reasoning_details") or [])
            for call in delta.get("tool_calls") or []:
                add_call(found.setdefault("tool_calls", []), call)
    return {key: value for key, value in found.items() if value not in ([], None)}


class Packages(unittest.TestCase):
    maxDiff = None

    def server(self, one):
        server = Server(one)
        self.addCleanup(server.close)
        server.trouble = ""
        return server

    def batch_server(self, name, fate="done"):
        server = BatchServer(family(name), fate)
        self.addCleanup(server.close)
        return server

    def fine(self, server):
        self.assertEqual((server.failed, server.refused, server.lost), ([], [], []))


@unittest.skipUnless(openai, "the package openai is not installed")
class OpenAi(Packages):
    def client(self, server, path="/chat/completions"):
        one, base = server.family, f"http://127.0.0.1:{server.port}"
        if one.name == "azure":
            return openai.AzureOpenAI(azure_endpoint=base, api_key=KEY, api_version="2025-04-01-preview",
                                      azure_deployment="gpt-5-mini", max_retries=0)
        headers = {"api-key": KEY} if one.name == "azure-v1" else {}
        return openai.OpenAI(base_url=base + one.path.removesuffix(path), api_key=KEY, max_retries=0,
                             default_headers=headers)

    def say(self, client, body, stream):
        if not stream:
            message = client.chat.completions.create(**body).choices[0].message
            return message.model_dump(exclude_none=True, warnings=False)
        usage = {} if body["model"] == "mistral" else {"stream_options": {"include_usage": True}}
        stream = client.chat.completions.create(**body, **usage, stream=True)
        chunks = [chunk.model_dump(exclude_unset=True, warnings=False) for chunk in stream]
        self.assertTrue(any(chunk.get("usage") for chunk in chunks))
        return message_of(chunks)

    def test_chat_completions(self):
        for one in CHATS:
            for stream in (True, False):
                with self.subTest(one.name, stream=stream):
                    server = self.server(one)
                    client, body = self.client(server), {**peer.first(one, ROLE), "model": one.name}
                    for turn in range(2):
                        message = self.say(client, body, stream)
                        names = [call["function"]["name"] for call in message["tool_calls"]]
                        self.assertEqual(names, [["read_file", "judge_requirement"], ["finish"]][turn])
                        body = peer.extended(one, body, {"choices": [{"message": message}]})
                    self.say(client, body, stream)
                    self.fine(server)

    def test_responses(self):
        for stream in (True, False):
            with self.subTest(stream=stream):
                server = self.server(family("responses"))
                client, body = self.client(server, "/responses"), peer.first(server.family, ROLE)
                for _ in range(3):
                    said = self.respond(client, body, stream)
                    self.assertEqual((said.status, said.output[0].type), ("completed", "reasoning"))
                    body = peer.extended(server.family, body, said.model_dump(exclude_none=True))
                self.fine(server)

    def respond(self, client, body, stream):
        if not stream:
            return client.responses.create(**body)
        with client.responses.stream(**body) as events:
            kinds = [event.type for event in events]
            self.assertIn("response.function_call_arguments.delta", kinds)
            return events.get_final_response()

    def test_a_refusal_is_an_error_with_its_parameter(self):
        server = self.server(family("openai-chat"))
        with self.assertRaises(openai.BadRequestError) as caught:
            self.client(server).chat.completions.create(**peer.first(server.family, ROLE), max_tokens=9)
        self.assertEqual((caught.exception.param, caught.exception.code), ("max_tokens", "unsupported_parameter"))

    def test_an_error_in_the_middle_of_a_stream_is_one(self):
        server = self.server(family("openrouter"))
        client, body = self.client(server), {**peer.first(server.family, ROLE), "model": "google/gemini"}
        body = peer.extended(server.family, body, {"choices": [{"message": self.say(client, body, False)}]})
        server.trouble = "break"
        with self.assertRaises(openai.APIError):
            list(client.chat.completions.create(**body, stream=True))


    def test_batches(self):
        """Uploaded, ordered, looked at, read; each reply is one of the API that it is for."""
        for name, path in (("openai-chat", "/chat/completions"), ("responses", "/responses")):
            with self.subTest(name):
                server = self.batch_server(name)
                client, body = self.client(server, path), peer.first(server.family, ROLE)
                line = {"custom_id": "a", "method": "POST", "url": "/v1" + path, "body": body}
                file = client.files.create(file=("in.jsonl", json.dumps(line).encode() + b"\n"), purpose="batch")
                self.assertEqual((file.object, file.purpose), ("file", "batch"))
                batch = client.batches.create(input_file_id=file.id, endpoint="/v1" + path, completion_window="24h")
                self.assertEqual((batch.object, batch.status), ("batch", "validating"))
                while batch.status != "completed":
                    batch = client.batches.retrieve(batch.id)
                self.assertEqual(batch.request_counts.completed, 1)
                said = json.loads(client.files.content(batch.output_file_id).text)
                self.assertEqual((said["custom_id"], said["response"]["status_code"]), ("a", 200))
                kind = openai.types.responses.Response if name == "responses" else openai.types.chat.ChatCompletion
                kind.model_validate(said["response"]["body"])
                with self.assertRaises(openai.NotFoundError):
                    client.batches.retrieve("batch_other")
                self.fine(server)

    def test_a_batch_that_is_cancelled_or_expires_says_so(self):
        for fate, ending in (("held", "cancelled"), ("expired", "expired")):
            with self.subTest(fate):
                server = self.batch_server("openai-chat", fate)
                client = self.client(server)
                line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {}}
                file = client.files.create(file=("in.jsonl", json.dumps(line).encode()), purpose="batch")
                batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions",
                                              completion_window="24h")
                if fate == "held":
                    self.assertEqual(client.batches.cancel(batch.id).status, "cancelling")
                batch = client.batches.retrieve(batch.id)
                self.assertEqual((batch.status, batch.output_file_id), (ending, None))
                self.assertIsNone(json.loads(client.files.content(batch.error_file_id).text)["response"])
                self.assertEqual(server.received, [])


@unittest.skipUnless(anthropic, "the package anthropic is not installed")
class Anthropic(Packages):
    def say(self, client, body, stream):
        if not stream:
            return client.messages.create(**body)
        with client.messages.stream(**body) as events:
            return events.get_final_message()

    def test_messages(self):
        for name in ("claude-4.6", "claude-5.5"):
            for stream in (True, False):
                with self.subTest(name, stream=stream):
                    server = self.server(family(name))
                    client = anthropic.Anthropic(base_url=f"http://127.0.0.1:{server.port}", api_key=KEY, max_retries=0)
                    body = peer.first(server.family, ROLE)
                    for turn in range(3):
                        message = self.say(client, body, stream)
                        self.assertEqual((message.content[0].type, message.stop_reason), ("thinking", "tool_use"))
                        body = peer.extended(server.family, body, message.model_dump(exclude_none=True))
                    self.fine(server)

    def test_batches(self):
        for fate, ending in (("done", "succeeded"), ("expired", "expired"), ("held", "canceled")):
            with self.subTest(fate):
                server = self.batch_server("claude-5.5", fate)
                client = anthropic.Anthropic(base_url=f"http://127.0.0.1:{server.port}", api_key=KEY, max_retries=0)
                body = peer.first(server.family, ROLE)
                batch = client.messages.batches.create(requests=[{"custom_id": "a", "params": body}])
                self.assertEqual((batch.type, batch.processing_status), ("message_batch", "in_progress"))
                if fate == "held":
                    self.assertEqual(client.messages.batches.cancel(batch.id).processing_status, "canceling")
                while batch.processing_status != "ended":
                    batch = client.messages.batches.retrieve(batch.id)
                said = list(client.messages.batches.results(batch.id))
                self.assertEqual([(one.custom_id, one.result.type) for one in said], [("a", ending)])
                if fate == "done":
                    self.assertEqual(said[0].result.message.stop_reason, "tool_use")
                self.fine(server)

    def test_a_refusal_is_an_error_with_its_words(self):
        server = self.server(family("claude-5.5"))
        client = anthropic.Anthropic(base_url=f"http://127.0.0.1:{server.port}", api_key=KEY, max_retries=0)
        body = {**peer.first(server.family, ROLE), "tool_choice": {"type": "any"}}
        with self.assertRaises(anthropic.BadRequestError) as caught:
            client.messages.create(**body)
        self.assertIn('type "tool" and "any" are not supported', str(caught.exception))


if __name__ == "__main__":
    unittest.main()
