"""OpenAI's chat completions: reads requests and writes replies, whole and streamed, in the manner of each server."""
import dataclasses
import time
import typing

from wire import Issued, Spoken, count_tokens, event, letters, opaque, pieces, text_of


@dataclasses.dataclass(frozen=True)
class Style:
    """How a server writes. `reasoning`: the field of what the model thinks; "content" stands for a list of parts there,
    "reasoning_details" for OpenRouter's list. `later`: what further pieces of a call have as id and name ("absent",
    None or text). `at_once`: the arguments come in the first piece of a call."""
    call_id: typing.Callable = lambda: "call_" + letters(24)
    reasoning: str | None = None
    at_once: bool = False
    index: bool = True
    later: str | None = "absent"
    signatures: bool = False
    finish_with_calls: bool = False
    usage_always: bool = False
    before: str = ""
    comment: str = ""
    cost: bool = False
    index_in_whole: bool = False


def read(body):
    messages = body["messages"]
    answers = [m for m in messages if m["role"] == "assistant"]
    turns = sum(bool(m.get("tool_calls")) for m in answers)
    system = "".join(text_of(m["content"]) for m in messages if m["role"] in ("system", "developer"))
    return Spoken(system, turns, len(answers) - turns)


def usage(body, said, style, most=None):
    """`most`: the context of a server that leaves out what is longer and counts what is left."""
    sent = count_tokens(body["messages"], body.get("tools", []))
    out = count_tokens(said.text, [c.arguments for c in said.calls], [t for t, _ in said.thoughts])
    sent = min(sent, most) if most else sent
    counts = {"prompt_tokens": sent, "completion_tokens": out, "total_tokens": sent + out}
    return {**counts, "cost": round(sent * 1e-6 + out * 4e-6, 8)} if style.cost else counts


def details(said):
    """OpenRouter's reasoning_details of a Gemini model: the text, then what is encrypted, which names its call.
    https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks"""
    own = {"format": "google-gemini-v1", "index": 0}
    first = [{"type": "reasoning.text", "text": said.thoughts[0][0], **own}]
    return first + [{"type": "reasoning.encrypted", "data": c.signature, "id": c.id, **own} for c in said.calls[:1]]


def parts(said):
    """Mistral's content of a reply with thinking. https://docs.mistral.ai/capabilities/reasoning"""
    first = {"type": "thinking", "thinking": [{"type": "text", "text": said.thoughts[0][0]}]}
    return [first] + ([{"type": "text", "text": said.text}] if said.text else [])


def keep(said, style):
    """What the client must send back with this reply."""
    if style.reasoning == "reasoning_details":
        return details(said)
    if style.signatures:
        return {call.id: call.signature for call in said.calls[:1]}
    return said.thoughts[0][0] if style.reasoning else None


def answer(body, said, style):
    return Issued(said, body, keep(said, style))


def call_of(call, i, said, style, arguments=None):
    """Only the first of parallel calls has a signature: https://ai.google.dev/gemini-api/docs/thought-signatures"""
    one = {"id": call.id, "type": "function",
           "function": {"name": call.name, "arguments": call.arguments if arguments is None else arguments}}
    if style.index:
        one["index"] = i
    if style.signatures and call is said.calls[0]:
        one["extra_content"] = {"google": {"thought_signature": call.signature}}
    return one


def finish_of(said):
    return "tool_calls" if said.calls else "stop"


def whole(issued, style, most=None):
    said = issued.said
    message = {"role": "assistant", "content": said.text or None}
    if style.reasoning == "content":
        message["content"] = parts(said)
    elif style.reasoning == "reasoning_details":
        message.update(reasoning=said.thoughts[0][0], reasoning_details=issued.kept)
    elif style.reasoning:
        message[style.reasoning] = said.thoughts[0][0]
    if said.calls:
        message["tool_calls"] = [call_of(c, i, said, style) for i, c in enumerate(said.calls)]
        if not style.index_in_whole:
            for one in message["tool_calls"]:
                one.pop("index", None)
    choice = {"index": 0, "message": message, "finish_reason": finish_of(said)}
    return {"id": "chatcmpl-" + letters(20), "object": "chat.completion", "created": int(time.time()),
            "model": issued.body.get("model"), "choices": [choice], "usage": usage(issued.body, said, style, most)}


def reasoning_deltas(said, style, kept):
    text = said.thoughts[0][0]
    if style.reasoning == "content":
        for piece in pieces(text):
            yield {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}
    elif style.reasoning == "reasoning_details":
        for piece in pieces(text):
            yield {"content": "", "reasoning": piece, "reasoning_details": [{**kept[0], "text": piece}]}
        if kept[1:]:
            yield {"content": "", "reasoning_details": kept[1:]}
    elif style.reasoning:
        for piece in pieces(text):
            yield {style.reasoning: piece}


def call_deltas(call, i, said, style):
    if style.at_once:
        yield {"tool_calls": [call_of(call, i, said, style)]}
        return
    yield {"tool_calls": [call_of(call, i, said, style, "")]}
    for piece in pieces(call.arguments):
        later = {"index": i, "function": {"arguments": piece}}
        if style.later != "absent":
            later = {"index": i, "id": None, "type": "function", "function": {"name": style.later, "arguments": piece}}
        yield {"tool_calls": [later]}


def deltas(issued, style):
    said = issued.said
    yield {"role": "assistant", "content": ""}
    yield from reasoning_deltas(said, style, issued.kept)
    for piece in pieces(said.text):
        yield {"content": piece}
    for i, call in enumerate(said.calls):
        yield from call_deltas(call, i, said, style)


def chunk(issued, delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-" + issued.said.thoughts[0][1][8:28], "object": "chat.completion.chunk", "created": 1,
            "model": issued.body.get("model"), "choices": [choice], **more}


def stream(issued, style, most=None):
    """The text of each server-sent event. Usage comes where `stream_options` asks for it, in a chunk without choices
    (openai-python, types/chat/chat_completion_stream_options_param.py), or always in the last chunk."""
    if style.before:
        yield event(style.before)
    all_deltas = list(deltas(issued, style))
    counts = usage(issued.body, issued.said, style, most)
    finish = finish_of(issued.said)
    for i, delta in enumerate(all_deltas):
        if style.comment and i % 3 == 0:
            yield f": {style.comment}\n\n"
        last = style.finish_with_calls and i == len(all_deltas) - 1
        more = {"usage": counts} if last and style.usage_always else {}
        yield event(chunk(issued, delta, finish if last else None, **more))
    if not style.finish_with_calls:
        more = {"usage": counts} if style.usage_always else {}
        yield event(chunk(issued, {}, finish, **more))
    if (issued.body.get("stream_options") or {}).get("include_usage") and not style.usage_always:
        yield event({**chunk(issued, {}), "choices": [], "usage": counts})
    yield event("[DONE]")


def broken_stream(issued, style, error):
    """A stream that ends with an error in the middle."""
    for text in list(stream(issued, style))[:4]:
        yield text
    yield event({**chunk(issued, {"content": ""}, "error"), "error": error, "provider": "Google AI Studio"})


def said_as_text(said):
    """A call that the server did not recognise, so that it arrives as text."""
    lines = [f"<tool_call>\n<function={c.name}>\n{c.arguments}\n</function>\n</tool_call>" for c in said.calls]
    return dataclasses.replace(said, text="\n".join(lines), calls=(), thoughts=((said.thoughts[0][0], opaque()),))
