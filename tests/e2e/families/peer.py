"""A small client of each protocol that does everything right, for tests that then do one thing wrong."""
import copy
import json
import urllib.error
import urllib.request

from families import KEY

NO_ARGUMENTS = {"type": "object", "additionalProperties": False, "properties": {}}


def is_responses(family):
    return family.path.endswith("/responses")


def is_messages(family):
    return family.path.endswith("/messages")


def first(family, role="you review the source"):
    """A body that the family takes. The default role calls two tools at once."""
    words, tool = f"Your role: {role} of this study.", {"name": "read_file", "description": "Reads a file."}
    if is_responses(family):
        return {"model": "gpt-6.1-sol", "instructions": words, "input": [{"role": "user", "content": "Go on."}],
                "store": False, "include": ["reasoning.encrypted_content"],
                "tools": [{"type": "function", **tool, "parameters": NO_ARGUMENTS, "strict": True}]}
    if is_messages(family):
        thinking = {"type": "enabled", "budget_tokens": 2000} if family.name == "claude-4.6" else {"type": "adaptive"}
        return {"model": "claude", "max_tokens": 8000, "thinking": thinking, "system": words,
                "messages": [{"role": "user", "content": [{"type": "text", "text": "Go on."}]}],
                "tools": [{**tool, "input_schema": NO_ARGUMENTS}]}
    parameters = {"type": "object", "properties": {}} if family.name == "gemini" else NO_ARGUMENTS
    body = {"model": "any", "tools": [{"type": "function", "function": {**tool, "parameters": parameters}}],
            "messages": [{"role": "system", "content": words}, {"role": "user", "content": "Go on."}]}
    return {**body, "reasoning_effort": "none"} if family.name == "openai-chat" else body


def extended(family, body, reply):
    """The next body: with the reply as it came, and an answer for each of its calls."""
    body = copy.deepcopy(body)
    if is_responses(family):
        calls = [item for item in reply["output"] if item["type"] == "function_call"]
        body["input"] += reply["output"]
        body["input"] += [{"type": "function_call_output", "call_id": c["call_id"], "output": "Done."} for c in calls]
    elif is_messages(family):
        calls = [block for block in reply["content"] if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": c["id"], "content": "Done."} for c in calls]
        body["messages"] += [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": results}]
    else:
        message = reply["choices"][0]["message"]
        ids = [call["id"] for call in message["tool_calls"]]
        body["messages"].append(message)
        body["messages"] += [{"role": "tool", "tool_call_id": one, "content": "Done."} for one in ids]
    return body


def headers_of(family):
    if is_messages(family):
        return {"x-api-key": KEY, "anthropic-version": "2023-06-01"}
    return {"api-key": KEY} if family.name.startswith("azure") else {"Authorization": f"Bearer {KEY}"}


def query_of(family):
    return "?api-version=2025-04-01-preview" if family.name == "azure" else ""


def open_reply(server, body, headers=None, query=None):
    family = server.family
    address = f"http://127.0.0.1:{server.port}{family.path}{query_of(family) if query is None else query}"
    headers = {"Content-Type": "application/json", **(headers_of(family) if headers is None else headers)}
    return urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode(), headers), timeout=60)


def post(server, body, headers=None, query=None):
    """(status, JSON)"""
    try:
        with open_reply(server, body, headers, query) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)


def events(server, body):
    """The data of each event of a stream, comments left out."""
    with open_reply(server, {**body, "stream": True}) as reply:
        lines = reply.read().decode().split("\n")
    return [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]


