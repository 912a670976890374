"""OpenAI's responses: reads requests and writes replies, whole and streamed."""
import time

from wire import Issued, Spoken, count_tokens, event, letters, pieces, text_of


def items_of(body):
    return body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]


def is_message(item):
    return item.get("type", "message") == "message"


def read(body):
    """Calls that follow one another without an answer between them are one reply."""
    items = items_of(body)
    turns = sum(item.get("type") == "function_call" and (i == 0 or items[i - 1].get("type") != "function_call")
                for i, item in enumerate(items))
    said = [i for i in items if is_message(i) and i["role"] in ("system", "developer")]
    texts = sum(is_message(i) and i["role"] == "assistant" for i in items)
    return Spoken((body.get("instructions") or "") + "".join(text_of(i["content"]) for i in said), turns, texts)


def call_id():
    return "call_" + letters(24)


def output_of(body, said):
    """The items of a reply. Reasoning is encrypted where `include` asks for it
    (https://developers.openai.com/api/docs/guides/reasoning). Of the newest models it always is (openai-python,
    types/responses/response_reasoning_item.py); this server is as strict as the older ones."""
    summary = [{"type": "summary_text", "text": said.thoughts[0][0]}]
    first = {"id": "rs_" + letters(48), "type": "reasoning", "summary": summary}
    if "reasoning.encrypted_content" in (body.get("include") or []):
        first["encrypted_content"] = said.thoughts[0][1]
    items = [first]
    if said.text or said.refusal:
        part = {"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}
        if said.refusal:
            part = {"type": "refusal", "refusal": said.refusal}
        items.append({"id": "msg_" + letters(48), "type": "message", "status": "completed", "role": "assistant",
                      "content": [part]})
    for call in said.calls:
        items.append({"id": "fc_" + letters(48), "type": "function_call", "status": "completed", "call_id": call.id,
                      "name": call.name, "arguments": call.arguments})
    return items


def answer(body, said):
    return Issued(said, body, output_of(body, said))


def usage(issued):
    body = issued.body
    sent = count_tokens(body["input"], body.get("instructions"), body.get("tools"))
    thought = count_tokens(issued.said.thoughts[0][0])
    out = thought + count_tokens([c.arguments for c in issued.said.calls], issued.said.text)
    return {"input_tokens": sent, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}, "output_tokens": out,
            "output_tokens_details": {"reasoning_tokens": thought}, "total_tokens": sent + out}


def response(issued, status, output, more=None):
    body = issued.body
    return {"id": "resp_" + issued.kept[0]["id"][3:], "object": "response", "created_at": int(time.time()),
            "status": status, "error": None, "incomplete_details": None, "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"), "model": body["model"], "output": output,
            "parallel_tool_calls": True, "previous_response_id": None,
            "reasoning": {"effort": "medium", "summary": None, **(body.get("reasoning") or {})},
            "store": body.get("store", True), "temperature": 1.0, "text": {"format": {"type": "text"}},
            "tool_choice": body.get("tool_choice") or "auto", "tools": body.get("tools") or [], "top_p": 1.0,
            "truncation": "disabled", "usage": None, "metadata": {}, **(more or {})}


def whole(issued):
    return response(issued, "completed", issued.kept, {"usage": usage(issued)})


def begun(item):
    """The item of output_item.added. Its encrypted content may be incomplete there; the one of output_item.done counts
    (https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_reasoning_item.py)."""
    if item["type"] == "reasoning":
        cut = {"encrypted_content": item["encrypted_content"][:16]} if "encrypted_content" in item else {}
        return {**item, "summary": [], **cut}
    if item["type"] == "message":
        return {**item, "status": "in_progress", "content": []}
    return {**item, "status": "in_progress", "arguments": ""}


def summary_events(item, place):
    part = item["summary"][0]
    place = {**place, "summary_index": 0}
    yield {"type": "response.reasoning_summary_part.added", **place, "part": {"type": "summary_text", "text": ""}}
    for piece in pieces(part["text"], 20):
        yield {"type": "response.reasoning_summary_text.delta", **place, "delta": piece}
    yield {"type": "response.reasoning_summary_text.done", **place, "text": part["text"]}
    yield {"type": "response.reasoning_summary_part.done", **place, "part": part}


def text_events(item, place):
    part = item["content"][0]
    place = {**place, "content_index": 0}
    key, more = ("refusal", {}) if part["type"] == "refusal" else ("text", {"logprobs": []})
    yield {"type": "response.content_part.added", **place, "part": {**part, key: ""}}
    for piece in pieces(part[key]):
        yield {"type": f"response.{part['type']}.delta", **place, "delta": piece, **more}
    yield {"type": f"response.{part['type']}.done", **place, key: part[key], **more}
    yield {"type": "response.content_part.done", **place, "part": part}


def call_events(item, place):
    for piece in pieces(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    done = {"name": item["name"], "arguments": item["arguments"]}
    yield {"type": "response.function_call_arguments.done", **place, **done}


INNER = {"reasoning": summary_events, "message": text_events, "function_call": call_events}


def happened(issued, cut):
    yield {"type": "response.created", "response": response(issued, "in_progress", [])}
    yield {"type": "response.in_progress", "response": response(issued, "in_progress", [])}
    for i, item in enumerate(issued.kept[:cut]):
        yield {"type": "response.output_item.added", "output_index": i, "item": begun(item)}
        yield from INNER[item["type"]](item, {"item_id": item["id"], "output_index": i})
        yield {"type": "response.output_item.done", "output_index": i, "item": item}
    if cut is None:
        yield {"type": "response.completed", "response": whole(issued)}
    else:
        yield {"type": "response.incomplete", "response": incomplete(issued, cut)}


def incomplete(issued, cut):
    """A reply of which only the first items came, because `max_output_tokens` was reached."""
    return response(issued, "incomplete", issued.kept[:cut],
                    {"incomplete_details": {"reason": "max_output_tokens"}, "usage": usage(issued)})


def stream(issued, cut=None):
    """The text of each server-sent event: named, numbered from 0, and without [DONE] at the end (measured:
    https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter, docs/conformance-matrix.md)."""
    for number, data in enumerate(happened(issued, cut)):
        yield event({**data, "sequence_number": number}, data["type"])


def cut_of(issued):
    """How many items fit `max_output_tokens`; None if all do."""
    most = issued.body.get("max_output_tokens")
    return 1 if most is not None and usage(issued)["output_tokens"] > most else None


def fitting(issued):
    cut = cut_of(issued)
    return whole(issued) if cut is None else incomplete(issued, cut)


def fitting_stream(issued):
    return stream(issued, cut_of(issued))
