"""Anthropic's messages: reads requests and writes replies, whole and streamed."""
import dataclasses

from wire import Issued, Spoken, arguments_of, count_tokens, event, letters, opaque, pieces, text_of, without


@dataclasses.dataclass(frozen=True)
class Look:
    """`shown`: the thinking has its text, and not only its signature. `interleaved`: there is thinking before each
    call. `redacted`: a part of the thinking is encrypted.
    https://platform.claude.com/docs/en/build-with-claude/extended-thinking"""
    shown: bool = False
    interleaved: bool = False
    redacted: bool = False


def read(body):
    answers = [m for m in body["messages"] if m["role"] == "assistant"]
    turns = sum(isinstance(m["content"], list) and any(b["type"] == "tool_use" for b in m["content"]) for m in answers)
    return Spoken(text_of(body.get("system")), turns, len(answers) - turns)


def call_id():
    return "toolu_" + letters(24)


def thinking(one, shown):
    return {"type": "thinking", "thinking": one[0] if shown else "", "signature": one[1]}


def content_of(said, look):
    blocks = [thinking(said.thoughts[0], look.shown)]
    if look.redacted:
        blocks.append({"type": "redacted_thinking", "data": opaque()})
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    for i, call in enumerate(said.calls):
        if i and look.interleaved:
            blocks.append(thinking(said.thoughts[i], look.shown))
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call)})
    return blocks


def answer(body, said, look):
    return Issued(said, without(body, "cache_control"), content_of(said, look))


def usage(issued):
    """Zeros are said, too. https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/usage.py"""
    body = issued.body
    sent = count_tokens(body["messages"], body.get("system"), body.get("tools"))
    return {"input_tokens": sent, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "output_tokens": count_tokens(issued.kept), "service_tier": "standard"}


def stop_of(issued):
    return "tool_use" if issued.said.calls else "end_turn"


def whole(issued):
    return {"id": "msg_" + letters(24), "type": "message", "role": "assistant", "model": issued.body["model"],
            "content": issued.kept, "stop_reason": stop_of(issued), "stop_sequence": None, "usage": usage(issued)}


def deltas(block):
    if block["type"] == "thinking":
        for piece in pieces(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "text":
        for piece in pieces(block["text"]):
            yield {"type": "text_delta", "text": piece}


def begun(block):
    """The block of content_block_start: without what its deltas bring. A redacted block comes whole."""
    empty = {"thinking": {"thinking": "", "signature": ""}, "text": {"text": ""}, "tool_use": {"input": {}}}
    return {**block, **empty.get(block["type"], {})}


def stream(issued):
    """The text of each server-sent event, with a ping in between and no [DONE] at the end.
    https://platform.claude.com/docs/en/build-with-claude/streaming"""
    counts = usage(issued)
    began = {**whole(issued), "content": [], "stop_reason": None, "usage": {**counts, "output_tokens": 1}}
    yield named({"type": "message_start", "message": began})
    for i, block in enumerate(issued.kept):
        yield named({"type": "content_block_start", "index": i, "content_block": begun(block)})
        if i == 0:
            yield named({"type": "ping"})
        for delta in [*deltas(block), *inputs(issued.said, block)]:
            yield named({"type": "content_block_delta", "index": i, "delta": delta})
        yield named({"type": "content_block_stop", "index": i})
    yield named({"type": "message_delta", "delta": {"stop_reason": stop_of(issued), "stop_sequence": None},
                 "usage": {"output_tokens": counts["output_tokens"]}})
    yield named({"type": "message_stop"})


def inputs(said, block):
    """The input of a call as pieces of JSON text, of which the first is empty."""
    if block["type"] == "tool_use":
        arguments = next(call.arguments for call in said.calls if call.id == block["id"])
        for piece in ["", *pieces(arguments)]:
            yield {"type": "input_json_delta", "partial_json": piece}


def named(data):
    return event(data, data["type"])
